// In `wall` a run allocates while it sets up and while it fills its pools; a step in the steady
// state allocates nothing.
#include <string>

#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "support/allocations.hpp"
#include "support/catch.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

std::uint64_t allocations_of(const Configuration& c, const LoadedData& data) {
  const std::uint64_t before = test::allocations();
  test::train(c, data);
  return test::allocations() - before;
}

/// Under every scheme and every way of all-reduce: c with three times the steps.
void check_steps_allocate_nothing(Configuration c, const LoadedData& data) {
  c.time = TimeMode::wall;
  c.servers = 2;
  c.evaluate_every = 1e9;
  c.hyperparameters["send-probability"] = 1.0;
  for (const Scheme& scheme : schemes()) {
    for (const AllReduce& collective : all_reduces()) {
      if (!scheme.has_collective && &collective != &all_reduces().front()) continue;
      CAPTURE(data.name, c.model, scheme.name, collective.name);
      // Nobody waits for gosgd's messages: the pools fill until 256 are unread from each to each.
      const std::uint64_t steps = scheme.name == "gosgd" ? 40'000 : 400;
      c.scheme = scheme.name;
      c.collective = collective.name;
      c.steps = steps;
      const std::uint64_t few = allocations_of(c, data);
      c.steps = 3 * steps;
      const std::uint64_t many = allocations_of(c, data);
      // How far threads run ahead of each other differs from run to run, and with it how many
      // envelopes are made and how long a histogram of staleness grows: about ten more or less, and
      // up to sixty in a tree, some of whose edges a short run may not get to use.
      CHECK(many < few + 2 * steps / 8);
    }
  }
}

}  // namespace

TEST_CASE("steps in wall allocate nothing", "[scheme]") {
  if (!test::counts_allocations()) {
    WARN("allocations are not counted in this build: nothing is checked");
    return;
  }
  Configuration c = test::quick("", 4, 0);
  check_steps_allocate_nothing(c, test::dense_problem());
  check_steps_allocate_nothing(c, test::sparse_problem());
  c.model = "mlp:16,8";
  check_steps_allocate_nothing(c, test::dense_problem());
}

TEST_CASE("steps in wall allocate nothing on a network that takes time", "[scheme]") {
  if (!test::counts_allocations()) {
    WARN("allocations are not counted in this build: nothing is checked");
    return;
  }
  Configuration c = test::quick("", 3, 0);
  c.network = {.latency = std::chrono::microseconds(1), .bytes_per_second = 1e9};
  check_steps_allocate_nothing(c, test::dense_problem());
}

TEST_CASE("the count of allocations sees them", "[scheme]") {
  if (!test::counts_allocations()) return;
  const std::uint64_t before = test::allocations();
  for (int i = 0; i < 10; ++i) delete new std::string(100, 'x');
  CHECK(test::allocations() >= before + 20);
}
