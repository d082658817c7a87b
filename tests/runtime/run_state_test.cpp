#include "trainyard/runtime/run_state.hpp"

#include <string>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/base/memory_account.hpp"

#include "support/catch.hpp"

using namespace trainyard;

namespace {

std::vector<std::string> names_of(const RunState& state, int rank) {
  std::vector<std::string> names;
  for (const KeptVector& kept : state.kept_by(rank)) names.emplace_back(kept.name);
  return names;
}

}  // namespace

TEST_CASE("what is kept may have a precision of its own, and then has only that", "[runtime]") {
  RunState state({.workers = 1, .dimension = 3});
  const Vector sum = state.keep(0, "sum", 3, Scalar::float64);
  CHECK(sum.scalar() == Scalar::float64);
  CHECK(state.keep(0, "sum", 3, Scalar::float64).data() == sum.data());
  CHECK_THROWS_AS(state.keep(0, "sum", 3), InternalError);
  CHECK(state.keep(0, "plain", 3).scalar() == Scalar::float32);
}

TEST_CASE("what is kept is zero at first and the same under the same name", "[runtime]") {
  RunState state({.workers = 2, .servers = 1, .scalar = Scalar::float64, .dimension = 3});
  const Vector tracker = state.keep(1, "tracker", 5);
  REQUIRE(tracker.size() == 5);
  CHECK(tracker.scalar() == Scalar::float64);
  for (const double value : tracker.doubles()) CHECK(value == 0.0);
  tracker.doubles()[4] = 2.5;
  // Others that come between leave it where it is.
  for (int other = 0; other < 100; ++other) (void)state.keep(1, std::to_string(other), 7);
  CHECK(state.keep(1, "tracker", 5).data() == tracker.data());
  CHECK(state.keep(1, "tracker", 5).doubles()[4] == 2.5);
  // Each rank has its own.
  CHECK(state.keep(0, "tracker", 6).data() != tracker.data());
  CHECK(state.keep(2, "tracker", 0).empty());
}

TEST_CASE("a name stands for one length", "[runtime]") {
  RunState state({.workers = 2, .dimension = 3});
  (void)state.keep(1, "tracker", 5);
  CHECK_THROWS_AS(state.keep(1, "tracker", 4), InternalError);
  CHECK_THROWS_WITH(state.keep(1, "tracker", 4),
                    "rank 1 keeps 'tracker' of 5 numbers, and asks for 4 under that name");
  CHECK(names_of(state, 1) == std::vector<std::string>{"tracker"});
}

TEST_CASE("what is kept is counted as memory, and listed", "[runtime]") {
  const std::size_t before = memory_held();
  {
    RunState state({.workers = 1, .servers = 1, .scalar = Scalar::float64, .dimension = 1000});
    (void)state.keep(0, "velocity", 1000);
    (void)state.keep(0, "correction", 500);
    (void)state.keep(0, "velocity", 1000);
    CHECK(memory_held() - before >= 1500 * sizeof(double));
    CHECK(memory_held() - before < 1700 * sizeof(double));
    CHECK(names_of(state, 0) == std::vector<std::string>{"correction", "velocity"});
    CHECK(state.kept_by(0).front().values.size() == 500);
    CHECK(names_of(state, 1).empty());
  }
  CHECK(memory_held() == before);
}

TEST_CASE("replicas and shards begin as they are told, and are listed too", "[runtime]") {
  RunState state(
      {.home = ModelHome::servers, .workers = 1, .servers = 2, .scalar = Scalar::float64});
  const std::vector<double> initial{1.0, -2.0};
  const Vector replica = state.keep_model(0, initial);
  const Vector shard = state.keep_model(2, ConstVector(initial).first(1));
  CHECK(replica.doubles()[1] == -2.0);
  CHECK(names_of(state, 0) == std::vector<std::string>{"replica"});
  CHECK(names_of(state, 2) == std::vector<std::string>{"shard"});
  CHECK(state.replica(0).data() == replica.data());
  CHECK(state.shard(1).data() == shard.data());
  CHECK(state.shard(0).empty());
  CHECK(state.shared() == nullptr);
}

TEST_CASE("in simulated time all ranks record staleness in one place", "[runtime]") {
  RunState state({.home = ModelHome::shared, .workers = 3, .servers = 1, .dimension = 2});
  CHECK(&state.staleness_of(0) != &state.staleness_of(3));
  state.share_staleness();
  for (int rank = 0; rank < 4; ++rank) {
    state.staleness_of(rank).record(static_cast<std::uint64_t>(rank));
  }
  CHECK(&state.staleness_of(0) == &state.staleness_of(3));
  CHECK(state.staleness().mean() == 1.5);
}

TEST_CASE("a scheme cannot keep something under its model's name", "[runtime]") {
  RunState state({.workers = 1, .servers = 1, .dimension = 3});
  const VectorBuffer start(Scalar::float32, 3);
  (void)state.keep_model(0, start.view());
  (void)state.keep_model(1, start.view());
  CHECK_THROWS_AS(state.keep(0, "replica", 3), InternalError);
  CHECK_THROWS_AS(state.keep(1, "shard", 3), InternalError);
}
