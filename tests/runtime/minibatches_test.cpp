// A worker's minibatches: before their turn, share by share, and what computing on them costs.
#include "trainyard/runtime/minibatches.hpp"

#include <algorithm>
#include <chrono>
#include <span>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/run.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/own_row.hpp"
#include "support/catch.hpp"
#include "support/training.hpp"

namespace trainyard {

namespace {

/// The rows that programs, which are plain functions, have taken: places in their share.
std::vector<std::size_t> noted;

void note(Batch batch) {
  for (const RowRange& range : batch) {
    for (std::size_t row = 0; row < range.count; ++row) noted.push_back(range.first + row);
  }
}

RunResult run_of(const Scheme& scheme, int workers, std::uint64_t steps) {
  const LoadedData data = test::dense_problem();
  Configuration c = test::quick("ring", workers, steps);
  c.time = TimeMode::simulated;
  c.compute_time = std::chrono::milliseconds(2);
  c = resolve(c, {c.scheme}, data, {});
  return run_experiment(plan_run(scheme, c, data), {});
}

std::vector<std::size_t> rows_of(void (*program)(Worker&), int workers = 1,
                                 CastRule cast = cast::replicas) {
  Scheme scheme = test::mine(program);
  scheme.cast = cast;
  noted.clear();
  run_of(scheme, workers, 7);
  return noted;
}

}  // namespace

TEST_CASE("minibatches that are looked at before their turn are those that come", "[runtime]") {
  const auto in_turn = rows_of([](Worker& worker) {
    while (worker.next_step()) note(worker.minibatches().next());
  });
  CHECK(in_turn.size() > 7);
  CHECK(in_turn == rows_of([](Worker& worker) {
          Minibatches& minibatches = worker.minibatches();
          std::vector<std::size_t> seen;
          while (worker.next_step()) {
            const Batch second = minibatches.upcoming(1);
            const std::vector<RowRange> ahead(second.begin(), second.end());
            require(minibatches.taken() == worker.step(), "looking takes none");
            note(minibatches.next());
            const Batch first = minibatches.upcoming(0);
            require(std::ranges::equal(first, ahead, {}, &RowRange::first, &RowRange::first),
                    "the second one has become the first");
          }
        }));
}

TEST_CASE("shares one by one have the minibatches that all of them have together", "[runtime]") {
  const auto together = rows_of(
      [](Worker& worker) {
        while (worker.next_step()) note(worker.minibatches().next());
      },
      3, cast::one_worker);
  const auto one_by_one = rows_of(
      [](Worker& worker) {
        Minibatches& minibatches = worker.minibatches();
        require(minibatches.shares() == 3, "those of all workers");
        while (worker.next_step()) {
          for (std::size_t share = 0; share < 3; ++share) {
            note(minibatches.of_share(share, worker.step()));
          }
        }
      },
      3, cast::one_worker);
  CHECK(together == one_by_one);

  // What is left out is skipped, and nothing comes twice.
  const auto last = rows_of(
      [](Worker& worker) {
        while (worker.next_step()) {
        }
        note(worker.minibatches().of_share(2, 6));
        CHECK_THROWS_AS(worker.minibatches().of_share(2, 6), InternalError);
      },
      3, cast::one_worker);
  REQUIRE_FALSE(last.empty());
  CHECK(std::ranges::equal(std::span(one_by_one).last(last.size()), last));
}

TEST_CASE("computing on a minibatch takes as long as a gradient, and a part as its rows",
          "[runtime]") {
  const Scheme whole = test::mine([](Worker& worker) {
    while (worker.next_step()) worker.minibatches().compute_on_next([](Batch) {});
  });
  CHECK(run_of(whole, 2, 5).summary.seconds == Approx(5 * 2e-3));

  const Scheme half = test::mine([](Worker& worker) {
    Minibatches& minibatches = worker.minibatches();
    while (worker.next_step()) {
      RowRange rows = minibatches.next().front();
      rows.count = (rows.count + 1) / 2;
      worker.compute(minibatches.count_of({&rows, 1}), [] {});
    }
  });
  const double took = run_of(half, 2, 5).summary.seconds;
  CHECK(took > 0.0);
  CHECK(took < 5 * 2e-3);
}

}  // namespace trainyard
