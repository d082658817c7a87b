// What a run keeps whose members have changed.
#include <set>
#include <string>
#include <vector>

#include "trainyard/base/random.hpp"
#include "trainyard/base/vector.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/runtime/run_state.hpp"

#include "support/catch.hpp"

using namespace trainyard;

namespace {

void fill(Vector vector, float value) {
  for (float& each : vector.floats()) each = value;
}

std::vector<std::string> names_of(const RunState& state, int rank) {
  std::vector<std::string> names;
  for (const KeptVector& kept : state.kept_by(rank)) names.emplace_back(kept.name);
  return names;
}

/// Three workers and a server, whose worker w keeps w + 1 in what is its own.
RunState state_of_three() {
  RunState state({.workers = 3, .servers = 1, .dimension = 4});
  state.share_staleness();
  const VectorBuffer initial = VectorBuffer::zeroed(Scalar::float32, 4);
  for (int w = 0; w < 3; ++w) {
    const auto own = static_cast<float>(w + 1);
    fill(state.keep_model(w, initial.view()), own);
    fill(state.keep(w, "optimizer.v", 4), own);
    fill(state.keep(w, "error", 4), own);
    fill(state.keep(w, "outer model", 4), 7.0F);
    state.count(w, "steps") = 5;
    state.count(w, "minibatches") = 9;
    (void)state.stream(w, "own", RandomStream(1, Purpose::scheme, static_cast<std::uint32_t>(w)));
    (void)state.stream(w, "common", RandomStream(1, Purpose::scheme, 99));
    state.coding_of(w).vectors = 10;
  }
  fill(state.keep_model(3, initial.view()), 8.0F);
  return state;
}

float first_of(RunState& state, int rank, const char* name) {
  return state.keep(rank, name, 4).floats().front();
}

}  // namespace

TEST_CASE("who stays has all that it had, and a new pass over its rows", "[runtime]") {
  RunState former = state_of_three();
  RunState state({.workers = 2, .servers = 1, .dimension = 4});
  state.share_staleness();
  CHECK(state.inherit(former, {0, 2, 3}, 0, {}) == 0);
  CHECK(first_of(state, 1, "error") == 3.0F);
  CHECK(first_of(state, 1, "replica") == 3.0F);
  CHECK(first_of(state, 2, "shard") == 8.0F);
  CHECK(state.count(1, "steps") == 5);
  CHECK(state.count(1, "minibatches") == 0);
  // Fifteen minibatches, ten of them of those who are left.
  CHECK(state.minibatches_of_others() == 5);
  CHECK(state.coding_of(0).vectors + state.coding_of(1).vectors == 30);
}

TEST_CASE("who joins has what all have alike, and its own begins anew", "[runtime]") {
  RunState former = state_of_three();
  const std::set<std::string> alike = former.held_alike();
  CHECK(alike == std::set<std::string>{"outer model", "stream common"});
  RunState state({.workers = 4, .servers = 1, .dimension = 4});
  state.share_staleness();
  CHECK(state.inherit(former, {0, RunState::joins, 1, 2, 3}, 1, alike) == 3 * 4 * sizeof(float));
  CHECK(names_of(state, 1) == std::vector<std::string>{"optimizer.v", "outer model", "replica"});
  CHECK(first_of(state, 1, "replica") == 2.0F);
  CHECK(first_of(state, 1, "optimizer.v") == 2.0F);
  CHECK(first_of(state, 1, "outer model") == 7.0F);
  CHECK(first_of(state, 1, "error") == 0.0F);
  CHECK(state.count(1, "steps") == 5);
  // It is said to have done five steps, which nobody has learnt from.
  CHECK(state.minibatches_of_others() + 4 * 5 == 15);
  const RandomStream fresh(2, Purpose::scheme, 5);
  CHECK(state.stream(1, "common", fresh).packed() == state.stream(2, "common", fresh).packed());
  CHECK(state.stream(1, "own", fresh).packed() == fresh.packed());
}
