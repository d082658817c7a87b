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

// Allocations of a run with so many steps more than a short one. How far threads run ahead of each
// other differs from run to run, and with it how many envelopes are made and how long a histogram
// of staleness grows: about ten more or less, up to sixty in a tree, some of whose edges a short
// run may not get to use, and hundreds on a busy machine, where a rank falls far behind now and
// then. All of that has an end, while a step that allocates does so at least once: longer and
// longer runs tell them apart.
constexpr std::uint64_t few_steps = 30;
constexpr std::uint64_t more_steps = 160;
// Nobody waits for gosgd's messages: its pools fill until 256 are unread from each to each, which
// is three allocations each at most.
constexpr std::uint64_t more_steps_of_gosgd = 8 * 2 * 3 * 256;

void check_steps_allocate_nothing(Configuration c, const LoadedData& data) {
  CAPTURE(data.name, c.model, c.scheme, ingredient_name(c.ingredients, "collective"));
  c.time = TimeMode::wall;
  c.servers = 2;
  c.evaluate_every = 1e9;
  std::uint64_t more = more_steps;
  if (c.scheme == "gosgd") {
    c.workers = 2;
    c.hyperparameters["send-probability"] = 1.0;
    more = more_steps_of_gosgd;
  }
  bool steady = false;
  for (int attempt = 0; attempt < 4 && !steady; ++attempt, more *= 4) {
    c.steps = few_steps;
    const std::uint64_t few = allocations_of(c, data);
    c.steps = few_steps + more;
    steady = allocations_of(c, data) < few + more / 2;
  }
  CHECK(steady);
}

}  // namespace

TEST_CASE("steps in wall allocate nothing", "[scheme]") {
  if (!test::counts_allocations()) {
    WARN("allocations are not counted in this build: nothing is checked");
    return;
  }
  for (const Scheme& scheme : schemes()) {
    check_steps_allocate_nothing(test::quick(scheme.name, 3, 0), test::dense_problem());
  }
  // What a step computes and how it sums up are the same code under every scheme that does so.
  for (const AllReduce& way : all_reduces()) {
    Configuration c = test::quick("all-reduce", 3, 0);
    c.ingredients["collective"] = way.name;
    check_steps_allocate_nothing(c, test::dense_problem());
  }
  for (const char* scheme :
       {"sequential", "ring", "ddp", "fused-all-reduce", "ps-async", "local-sgd", "hogwild"}) {
    Configuration c = test::quick(scheme, 3, 0);
    check_steps_allocate_nothing(c, test::sparse_problem());
    c.model = "mlp:16,8";
    check_steps_allocate_nothing(c, test::dense_problem());
  }
}

TEST_CASE("steps in wall allocate nothing on a network that takes time", "[scheme]") {
  if (!test::counts_allocations()) {
    WARN("allocations are not counted in this build: nothing is checked");
    return;
  }
  // One of each pace and home: what waits for the network is below the schemes.
  for (const char* scheme : {"ring", "ps-sync", "ps-async", "ps-backup", "gossip", "ad-psgd"}) {
    Configuration c = test::quick(scheme, 3, 0);
    c.network = {.latency = std::chrono::microseconds(1), .bytes_per_second = 1e9};
    check_steps_allocate_nothing(c, test::dense_problem());
  }
}

TEST_CASE("the count of allocations sees them", "[scheme]") {
  if (!test::counts_allocations()) return;
  const std::uint64_t before = test::allocations();
  for (int i = 0; i < 10; ++i) delete new std::string(100, 'x');
  CHECK(test::allocations() >= before + 20);
}
