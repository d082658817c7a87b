// Gradient tracking with variance reduction against the papers' lines, row by row, against what it
// is with whole gradients, and where it comes to rest when rows differ.
#include <optional>

#include "trainyard/base/random.hpp"

#include "scheme/gossip_rules.hpp"
#include "support/catch.hpp"

using namespace trainyard;
using test::Rows;

namespace {

constexpr int workers = 5;
constexpr std::size_t share_rows = 3;
constexpr double step_size = 0.1;

/// Three rows a worker, none alike.
Dataset many_rows() {
  Rows h, b;
  for (std::size_t r = 0; r < workers * share_rows; ++r) {
    const auto x = static_cast<double>(r);
    h.push_back({0.5 + 0.125 * static_cast<double>(r % 4), 1.0 - 0.03125 * x});
    b.push_back({2.0 - 0.5 * x, 0.25 * x - static_cast<double>(r % 3)});
  }
  return test::quadratic_data(h, b);
}

test::Special shares_of_many_rows() {
  test::Special special;
  for (std::uint32_t i = 0; i < workers; ++i)
    special.parts.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  return special;
}

Configuration configuration(const char* scheme, std::uint64_t steps) {
  Configuration c;
  c.scheme = scheme;
  c.workers = workers;
  c.steps = steps;
  c.batch = 1;
  c.seed = 11;
  c.order = RowOrder::file;  // row k mod 3 is worker i's k-th minibatch
  c.optimizer.lr = step_size;
  c.ingredients["topology"] = "ring";
  return c;
}

/// Each worker's gradient at its own x: of its row number `row`, of all its rows where there is
/// none.
Rows gradients(const Dataset& data, const Rows& x, std::optional<std::size_t> row) {
  Rows g = test::all_zero(x.size(), x.front().size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t r = 0; r < share_rows; ++r) {
      if (row && *row != r) continue;
      const float* values = data.dense.data() + (share_rows * i + r) * data.features;
      for (std::size_t j = 0; j < g[i].size(); ++j) {
        const double own = static_cast<double>(values[j]) *
                           (x[i][j] - static_cast<double>(values[g[i].size() + j]));
        g[i][j] += row ? own : own / share_rows;
      }
    }
  }
  return g;
}

/// Jiang et al., Algorithm 1: y = v = the whole gradient at first.
Rows gt_vr_of_the_paper(const Dataset& data, const Rows& w, double probability,
                        std::uint64_t steps) {
  Rows x = test::all_zero(workers, data.features / 2), snapshot = x;
  Rows v = gradients(data, x, {}), y = v;
  std::vector<RandomStream> coins;
  for (std::uint32_t i = 0; i < workers; ++i) coins.emplace_back(11U, Purpose::scheme, i + 1);
  for (std::uint64_t k = 1; k <= steps; ++k) {
    x = test::mixed_rows(w, test::combined({{1.0, x}, {-step_size, y}}));
    for (std::size_t i = 0; i < workers; ++i) {
      if (coins[i].uniform() < probability) snapshot[i] = x[i];
    }
    const std::size_t row = k % share_rows;  // the first was for the whole gradient
    const Rows before = v;
    v = test::combined({{1.0, gradients(data, x, row)},
                        {-1.0, gradients(data, snapshot, row)},
                        {1.0, gradients(data, snapshot, {})}});
    y = test::mixed_rows(w, test::combined({{1.0, y}, {1.0, v}, {-1.0, before}}));
  }
  return x;
}

/// Xin, Khan & Kar, Algorithm 1, from y = v = 0; a whole gradient in each q-th step.
Rows gt_sarah_of_the_paper(const Dataset& data, const Rows& w, std::uint64_t q,
                           std::uint64_t steps) {
  Rows x = test::all_zero(workers, data.features / 2), x_before = x, v = x, y = x;
  std::size_t drawn = 0;
  for (std::uint64_t t = 0; t < steps; ++t) {
    const Rows v_before = v;
    if (t % q == 0) {
      v = gradients(data, x, {});
    } else {
      const std::size_t row = drawn++ % share_rows;
      v = test::combined(
          {{1.0, gradients(data, x, row)}, {-1.0, gradients(data, x_before, row)}, {1.0, v}});
    }
    y = test::combined({{1.0, test::mixed_rows(w, y)}, {1.0, v}, {-1.0, v_before}});
    x_before = x;
    x = test::combined({{1.0, test::mixed_rows(w, x)}, {-step_size, y}});
  }
  return x;
}

}  // namespace

TEST_CASE("gt-vr follows its paper, row by row and snapshot by snapshot", "[scheme][rule:gt-vr]") {
  const Dataset data = many_rows();
  for (const char* topology : {"ring", "static-exp"}) {
    for (const double probability : {0.0, 0.3, 1.0}) {
      for (const std::uint64_t steps : {1U, 2U, 3U, 30U}) {
        CAPTURE(topology, probability, steps);
        Configuration c = configuration("gt-vr", steps);
        c.ingredients["topology"] = topology;
        c.hyperparameters = {{"snapshot-probability", probability}};
        test::check_rows(
            test::run_on_quadratic(c, data, {}, shares_of_many_rows()).workers,
            gt_vr_of_the_paper(data, test::matrix_of(topology, workers), probability, steps));
      }
    }
  }
}

TEST_CASE("gt-sarah follows its paper, row by row", "[scheme][rule:gt-sarah]") {
  const Dataset data = many_rows();
  for (const char* topology : {"ring", "static-exp"}) {
    for (const std::uint64_t q : {1U, 3U, 7U}) {
      for (const std::uint64_t steps : {1U, 2U, 3U, 30U}) {
        CAPTURE(topology, q, steps);
        Configuration c = configuration("gt-sarah", steps);
        c.ingredients["topology"] = topology;
        c.hyperparameters = {{"snapshot-period", static_cast<double>(q)}};
        test::check_rows(test::run_on_quadratic(c, data, {}, shares_of_many_rows()).workers,
                         gt_sarah_of_the_paper(data, test::matrix_of(topology, workers), q, steps));
      }
    }
  }
}

TEST_CASE("where a minibatch is the share, variance reduction is gradient tracking", "[scheme]") {
  const Dataset data = test::unlike_data(workers);
  for (const auto& [scheme, same] :
       {std::pair{"gt-vr", "gradient-tracking"}, std::pair{"gt-sarah", "diging"}}) {
    for (const std::uint64_t steps : {1U, 5U, 40U}) {
      CAPTURE(scheme, steps);
      Configuration c = configuration(scheme, steps);
      c.hyperparameters = {{"snapshot-probability", 0.2}, {"snapshot-period", 4.0}};
      test::check_rows(test::run_on_quadratic(c, data).workers,
                       test::run_on_quadratic(configuration(same, steps), data).workers);
    }
  }
}

TEST_CASE("variance reduction comes to rest at the optimum over rows, gradient tracking near it",
          "[scheme]") {
  const Dataset data = many_rows();
  const std::vector<double> best = test::optimum(data);
  const auto distance = [&](const char* scheme) {
    Configuration c = configuration(scheme, 4000);
    c.replacement = true;
    c.optimizer.lr = 0.05;
    c.hyperparameters = {{"snapshot-probability", 1.0 / 3.0}, {"snapshot-period", 3.0}};
    return test::farthest(test::run_on_quadratic(c, data, {}, shares_of_many_rows()).workers, best);
  };
  CHECK(distance("gt-vr") < 1e-10);
  CHECK(distance("gt-sarah") < 1e-10);
  CHECK(distance("gradient-tracking") > 1e-3);
}
