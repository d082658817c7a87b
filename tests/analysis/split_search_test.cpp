// Splits on paper against runs in simulated time.
#include "trainyard/analysis/split_search.hpp"

#include <algorithm>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/resolve.hpp"

#include "support/catch.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

const LoadedData& wide_data() {
  static const LoadedData data{"blobs", generate_blobs(400, 16, 16, 1.0, 3), {}};
  return data;
}

Configuration asked(int workers, double bytes_per_second, std::size_t batch = 4) {
  Configuration c = test::quick("gpipe", workers, 1);
  c.model = "mlp:16,16,16";
  c.batch = batch;
  c.network = {.latency = std::chrono::microseconds(20), .bytes_per_second = bytes_per_second};
  return c;
}

SplitSearch searched(const Configuration& c) {
  return search_splits(*make_model({c.model, 0.0}, wide_data().train), c);
}

/// A step of the split as it is played.
double played(Configuration c, const SplitCost& cost) {
  set_split(c, cost.split);
  c.hyperparameters["microbatches"] = cost.microbatches;
  return test::train(c, wide_data()).summary.seconds;
}

}  // namespace

TEST_CASE("what a search says of each split is near what a run takes", "[analysis]") {
  for (const int workers : {1, 2, 4, 6, 8, 16}) {
    for (const double rate : {1e6, 2e7}) {
      const Configuration c = asked(workers, rate);
      const SplitSearch search = searched(c);
      REQUIRE_FALSE(search.found.empty());
      std::vector<double> taken;
      for (const SplitCost& cost : search.found) {
        CAPTURE(workers, rate, cost.split.text(), cost.microbatches);
        taken.push_back(played(c, cost));
        CHECK(cost.step_s == Approx(taken.back()).epsilon(0.1));
        // Sums among twins or of gradients alone have nothing to meet.
        const bool even = 16 % cost.split.tensor == 0;
        if (cost.split.pipeline == 1 && even) {
          CHECK(cost.step_s == Approx(taken.back()).epsilon(1e-6));
        }
      }
      CHECK(taken.front() <= 1.1 * *std::ranges::min_element(taken));
    }
  }
}

TEST_CASE("a search has all splits once, with as many microbatches as are best", "[analysis]") {
  const Configuration c = asked(8, 1e7);
  const SplitSearch search = searched(c);
  // 8 = 2³ has C(5, 2) products of three; of four layers or two pairs no eight stages are made, nor
  // four of pairs.
  CHECK(search.found.size() + search.left_out == 10);
  CHECK(search.left_out == 2);
  CHECK(std::ranges::is_sorted(search.found, {}, &SplitCost::step_s));
  for (const SplitCost& cost : search.found) {
    CAPTURE(cost.split.text(), cost.microbatches);
    CHECK(cost.split.workers() == 8);
    const auto times = std::ranges::count(search.found, cost.split, &SplitCost::split);
    CHECK(times == 1);
    if (cost.split.pipeline == 1) CHECK(cost.microbatches == 1);
    CHECK(cost.compute_s > 0.0);
    CHECK((cost.in_stages_s > 0.0) == (cost.split.tensor > 1));
    CHECK((cost.gradients_s > 0.0) == (cost.split.data > 1));
    // Differences of seconds were 1e-18 s off, on either side.
    CHECK(cost.wait_s >= 0.0);
    if (cost.split.pipeline == 1) CHECK(cost.wait_s == 0.0);
    for (const int other : {1, 2, 4, 8}) {
      Configuration given = c;
      given.hyperparameters["microbatches"] = other;
      for (const SplitCost& fixed : searched(given).found) {
        if (fixed.split == cost.split && cost.split.pipeline > 1) {
          CHECK(cost.step_s <= fixed.step_s);
        }
      }
    }
  }
}

TEST_CASE("a search counts what a worker holds", "[analysis]") {
  const SplitSearch search = searched(asked(4, 1e7));
  const auto bytes_of = [&](const Split& split) {
    return std::ranges::find(search.found, split, &SplitCost::split)->bytes_held;
  };
  // Of 16-16-16-16-16 a layer has 272 parameters; a replica and a gradient, and of 4 rows the units
  // and slopes of four layers.
  CHECK(bytes_of({4, 1, 1}) == 4.0 * (2 * 4 * 272 + 4 * (4 * 2 * 16)));
  // A quarter of each, but for the biases of the two layers that are split by rows, of 16 rows.
  CHECK(bytes_of({1, 1, 4}) ==
        4.0 * (2 * (4 * 256 / 4 + 2 * 16 / 4 + 2 * 16) + 16 * (2 * 2 * (16 + 4))));
  // Stages in one piece: the second one's minibatch has units from below as well, but the first has
  // more on their way.
  Configuration given = asked(4, 1e7);
  given.hyperparameters["microbatches"] = 8;
  const SplitSearch eight = searched(given);
  const auto piped = std::ranges::find(eight.found, Split{2, 2, 1}, &SplitCost::split);
  CHECK(piped->bytes_held == 4.0 * (3 * 2 * 272 + 2 * 1 * (2 * 2 * 16)));
}

TEST_CASE("units that do not divide are shared as they are in a run", "[analysis]") {
  for (const char* model : {"mlp:16,16", "mlp:17,16,19", "mlp:16,16,16,16"}) {
    for (const int workers : {3, 4, 6, 12}) {
      for (const double rate : {1e6, 2e7}) {
        Configuration c = asked(workers, rate);
        c.model = model;
        const SplitSearch search = searched(c);
        CHECK(std::ranges::count(search.found, Split{1, 1, workers}, &SplitCost::split) == 1);
        for (const SplitCost& cost : search.found) {
          CAPTURE(model, workers, rate, cost.split.text(), cost.microbatches);
          CHECK(cost.step_s == Approx(played(c, cost)).epsilon(0.1));
        }
      }
    }
  }
}

TEST_CASE("fewer units than workers leave splits out", "[analysis]") {
  Configuration c = asked(17, 1e7);
  const SplitSearch search = searched(c);
  REQUIRE(search.found.size() == 1);
  CHECK(search.left_out == 2);
  CHECK(search.found.front().split == Split{17, 1, 1});
  c.model = "softmax";
  CHECK_THROWS_WITH(searched(c), ContainsSubstring("--model: a model without layers"));
}
