// Local exact diffusion against its paper's lines, against exact diffusion, and where it comes to
// rest.
#include "trainyard/scheme/scheme.hpp"

#include "scheme/gossip_rules.hpp"
#include "support/catch.hpp"

using namespace trainyard;
using test::Rows;

namespace {

constexpr double gamma_ = 0.2;

Configuration configuration(const char* scheme, int workers, std::uint64_t steps) {
  Configuration c;
  c.scheme = scheme;
  c.workers = workers;
  c.steps = steps;
  c.optimizer.lr = gamma_;
  c.ingredients["topology"] = "ring";
  return c;
}

/// Algorithm 1, with y as the paper has it.
Rows led_of_the_paper(const Dataset& data, const Rows& w, int period, double beta,
                      std::uint64_t steps) {
  Rows phi = test::all_zero(data.rows, data.features / 2), y = phi;
  for (std::uint64_t t = 1; t <= steps; ++t) {
    phi = test::combined({{1.0, phi}, {-gamma_, test::gradients_of(data, phi)}, {-beta, y}});
    if (t % static_cast<std::uint64_t>(period) != 0) continue;
    const Rows x = test::mixed_rows(w, phi);
    y = test::combined({{1.0, y}, {1.0, phi}, {-1.0, x}});
    phi = x;
  }
  return phi;
}

}  // namespace

TEST_CASE("led follows its paper: local steps, a round, what it takes back", "[scheme][rule:led]") {
  const int n = 6;
  const Dataset data = test::unlike_data(n);
  for (const char* topology : {"ring", "star", "path"}) {
    for (const auto& [period, share] : {std::pair{1, 0.5}, std::pair{3, 0.5}, std::pair{4, 0.7}}) {
      for (const double beta : {1.0 / period, 0.2}) {
        for (const std::uint64_t steps : {1U, 3U, 4U, 9U, 40U}) {
          CAPTURE(topology, period, share, beta, steps);
          Configuration c = configuration("led", n, steps);
          c.ingredients["topology"] = topology;
          c.hyperparameters = {{"period", period}, {"mixing-share", share}};
          if (beta == 0.2) c.hyperparameters["correction-rate"] = beta;  // else the fallback
          const Rows w = test::moved_by(share, test::matrix_of(topology, n));
          test::check_rows(test::run_on_quadratic(c, data).workers,
                           led_of_the_paper(data, w, period, beta, steps));
        }
      }
    }
  }
}

TEST_CASE("led with a round after every step is exact-diffusion, or d2", "[scheme]") {
  const Dataset data = test::unlike_data(5);
  for (const auto& [share, same] : {std::pair{0.5, "exact-diffusion"}, std::pair{1.0, "d2"}}) {
    for (const std::uint64_t steps : {1U, 2U, 30U}) {
      CAPTURE(same, steps);
      Configuration c = configuration("led", 5, steps);
      c.hyperparameters = {{"period", 1.0}, {"correction-rate", 1.0}, {"mixing-share", share}};
      const Rows found = test::run_on_quadratic(c, data).workers;
      const Rows expected = test::run_on_quadratic(configuration(same, 5, steps), data).workers;
      CHECK(found == expected);
    }
  }
}

TEST_CASE("led comes to rest at the optimum with many local steps, where gossip does not",
          "[scheme]") {
  const int n = 5;
  const Dataset data = test::unlike_data(n);
  const std::vector<double> best = test::optimum(data);
  for (const double period : {2.0, 5.0, 8.0}) {
    CAPTURE(period);
    Configuration c = configuration("led", n, 4000);
    c.hyperparameters = {{"period", period}};
    const test::Replicas found = test::run_on_quadratic(c, data);
    CHECK(test::farthest(found.workers, best) < 1e-11);
    // At rest the correction is each worker's own step, and all of them add up to nothing.
    const Rows gradients = test::gradients_of(data, found.workers);
    for (std::size_t j = 0; j < best.size(); ++j) {
      double sum = 0.0;
      for (std::size_t i = 0; i < found.kept.size(); ++i) {
        const double correction = found.kept[i].at("correction")[j];
        CHECK(correction == Approx(gamma_ * gradients[i][j]).margin(1e-10));
        sum += correction;
      }
      CHECK(sum == Approx(0.0).margin(1e-12));
    }
  }
  CHECK(test::farthest(test::run_on_quadratic(configuration("d-psgd", n, 4000), data).workers,
                       best) > 0.1);
}

TEST_CASE("led refuses graphs over which what it takes back grows", "[scheme]") {
  // Of (1 - s) I + s W the least eigenvalue is to be above (τβ - 2)/(τβ + 2).
  const Scheme& led = find_scheme("led");
  const auto least = [&](double period, double beta, double share) {
    return led.graphs.least_eigenvalue(
        {{"period", period}, {"correction-rate", beta}, {"mixing-share", share}});
  };
  CHECK(least(1.0, 1.0, 1.0) == Approx(-1.0 / 3.0));   // as d2's
  CHECK(least(4.0, 0.25, 0.5) == Approx(-5.0 / 3.0));  // none is refused
  CHECK(least(4.0, 1.0, 1.0) == Approx(1.0 / 3.0));
  // As close to that, without gradients to speak of: over a ring of 6 with s = 1, w = -1/3.
  const Dataset flat = test::quadratic_data(Rows(6, {0.0}), Rows(6, {0.0}));
  const auto size_after = [&](double beta) {
    Configuration c = configuration("led", 6, 400);
    c.hyperparameters = {{"period", 1.0}, {"correction-rate", beta}, {"mixing-share", 1.0}};
    const test::Special special{.starts = {{1.0}, {-1.0}, {1.0}, {-1.0}, {1.0}, {-1.0}}};
    return test::farthest(test::run_on_quadratic(c, flat, {}, special).workers, {0.0});
  };
  CHECK(size_after(0.95) < 1e-3);
  CHECK(size_after(1.05) > 1e3);
}
