// Gradient tracking with a table of gradients against the paper's lines, against gradient tracking,
// and where it comes to rest when rows differ.
#include "trainyard/base/memory_account.hpp"
#include "trainyard/base/random.hpp"

#include "scheme/gossip_rules.hpp"
#include "scheme/several_rows.hpp"
#include "support/catch.hpp"
#include "support/memory_bound.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::many_rows;
using test::Rows;
using test::share_rows;
using test::shares_of_many_rows;

namespace {

constexpr int workers = test::sharers;
constexpr double step_size = 0.1;

Configuration configuration(const char* scheme, std::uint64_t steps, std::size_t batch) {
  Configuration c;
  c.scheme = scheme;
  c.workers = workers;
  c.steps = steps;
  c.batch = batch;
  c.seed = 11;
  c.order = RowOrder::file;
  c.optimizer.lr = step_size;
  c.ingredients["topology"] = "ring";
  return c;
}

/// GT-SAGA over minibatches: it keeps the points z at which each was last taken, as the paper does,
/// and no gradients.
Rows gt_saga_of_the_paper(const Dataset& data, const Rows& w, std::size_t batch,
                          std::uint64_t steps) {
  const std::size_t count = (share_rows + batch - 1) / batch, d = data.features / 2;
  const auto rows_of = [&](std::size_t m) { return std::min(batch, share_rows - m * batch); };
  Rows x = test::all_zero(workers, d), y = x, v = x;
  std::vector<Rows> z(workers, test::all_zero(count, d));
  std::vector<RandomStream> draws;
  for (std::uint32_t i = 0; i < workers; ++i) draws.emplace_back(11U, Purpose::scheme, i + 1);
  for (std::uint64_t t = 0; t < steps; ++t) {
    const Rows before = v;
    for (std::size_t i = 0; i < workers; ++i) {
      std::fill(v[i].begin(), v[i].end(), 0.0);
      for (std::size_t m = 0; m < count; ++m) {
        const auto g = test::gradient_of_rows(data, i, z[i][m], m * batch, rows_of(m));
        for (std::size_t k = 0; k < d; ++k) {
          v[i][k] += static_cast<double>(rows_of(m)) / share_rows * g[k];
        }
      }
      if (t == 0) continue;
      const auto m = static_cast<std::size_t>(draws[i].below(count));
      const auto now = test::gradient_of_rows(data, i, x[i], m * batch, rows_of(m));
      const auto then = test::gradient_of_rows(data, i, z[i][m], m * batch, rows_of(m));
      const double factor = static_cast<double>(count * rows_of(m)) / share_rows;
      for (std::size_t k = 0; k < d; ++k) v[i][k] += factor * (now[k] - then[k]);
      z[i][m] = x[i];
    }
    y = test::combined({{1.0, y}, {1.0, v}, {-1.0, before}});
    if (t > 0) y = test::mixed_rows(w, y);
    x = test::mixed_rows(w, test::combined({{1.0, x}, {-step_size, y}}));
  }
  return x;
}

}  // namespace

TEST_CASE("gt-saga follows its paper, minibatch by minibatch", "[scheme][rule:gt-saga]") {
  const Dataset data = many_rows();
  for (const char* topology : {"ring", "static-exp"}) {
    const Rows w = test::matrix_of(topology, workers);
    for (const std::size_t batch : {1U, 2U, 3U, 5U}) {
      for (const std::uint64_t steps : {1U, 2U, 3U, 40U}) {
        CAPTURE(topology, batch, steps);
        Configuration c = configuration("gt-saga", steps, batch);
        c.ingredients["topology"] = topology;
        test::check_rows(test::run_on_quadratic(c, data, {}, shares_of_many_rows()).workers,
                         gt_saga_of_the_paper(data, w, batch, steps));
      }
    }
  }
}

TEST_CASE("where a minibatch is the share, gt-saga is gradient-tracking", "[scheme]") {
  const Dataset data = many_rows();
  for (const std::uint64_t steps : {1U, 2U, 5U, 40U}) {
    CAPTURE(steps);
    const auto found = [&](const char* scheme) {
      return test::run_on_quadratic(configuration(scheme, steps, share_rows), data, {},
                                    shares_of_many_rows())
          .workers;
    };
    test::check_rows(found("gt-saga"), found("gradient-tracking"));
  }
}

TEST_CASE("gt-saga comes to rest at the optimum over rows, with a last minibatch that is shorter",
          "[scheme]") {
  const Dataset data = many_rows();
  for (const std::size_t batch : {1U, 2U}) {
    CAPTURE(batch);
    Configuration c = configuration("gt-saga", 6000, batch);
    c.optimizer.lr = 0.05;
    const test::Replicas found = test::run_on_quadratic(c, data, {}, shares_of_many_rows());
    CHECK(test::farthest(found.workers, test::optimum(data)) < 1e-10);
    for (std::size_t i = 0; i < workers; ++i) {
      const auto table = found.kept[i].at("table of gradients");
      CHECK(table.size() == 2 * ((share_rows + batch - 1) / batch));
      const auto first = test::gradient_of_rows(data, i, found.workers[i], 0, batch);
      CHECK(table[0] == Approx(first[0]).margin(1e-9));
      const auto whole = test::gradient_of_rows(data, i, found.workers[i], 0, share_rows);
      CHECK(found.kept[i].at("mean of the table")[1] == Approx(whole[1]).margin(1e-9));
    }
  }
}

TEST_CASE("a table of gradients that does not fit is refused before the first step", "[scheme]") {
  const LoadedData data = test::dense_problem();
  Configuration c = test::quick("gt-saga", 4, 10);
  c.batch = 1;
  c.model = "mlp:50";
  const MemoryBound bound(memory_held() + 300'000);  // a worker's table has 100 × 1000 floats
  CHECK_THROWS_WITH(test::train(c, data), ContainsSubstring("a gradient for each of a worker's") &&
                                              ContainsSubstring("a larger --batch makes fewer"));
}

TEST_CASE("fixed minibatches have each row once, and the same ones in every pass", "[scheme]") {
  const Dataset data = many_rows();
  Configuration c = configuration("gt-saga", 1, 2);
  c.order = RowOrder::reshuffle;
  const test::Replicas found = test::run_on_quadratic(c, data, {}, shares_of_many_rows());
  // At x = 0 of all, whatever the order in which rows are laid out.
  for (std::size_t i = 0; i < workers; ++i) {
    const auto whole = test::gradient_of_rows(data, i, {0.0, 0.0}, 0, share_rows);
    const auto mean = found.kept[i].at("mean of the table");
    for (std::size_t k = 0; k < 2; ++k) CHECK(mean[k] == Approx(whole[k]).margin(1e-12));
  }
}
