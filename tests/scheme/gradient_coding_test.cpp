// Any n − s workers tell the sum of all n gradients.
#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "scheme/gradient_code.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::quick;
using test::train;

namespace {

/// max_j |Σ_i a_i B_ij − 1| over the gradients j.
double residual(const GradientCode& code, const std::vector<int>& heard,
                std::span<const double> weights) {
  std::vector<double> sums(static_cast<std::size_t>(code.workers), -1.0);
  for (std::size_t i = 0; i < heard.size(); ++i) {
    const std::vector<int> shares = code.shares_of(heard[i]);
    const auto row = code.coefficients_of(heard[i]);
    REQUIRE(row.size() == shares.size());
    for (std::size_t k = 0; k < shares.size(); ++k) {
      sums[static_cast<std::size_t>(shares[k])] += weights[i] * row[k];
    }
  }
  double most = 0.0;
  for (const double sum : sums) most = std::max(most, std::abs(sum));
  return most;
}

}  // namespace

TEST_CASE("every set of n - s workers decodes the sum, for all n up to 8", "[scheme]") {
  double worst = 0.0;
  for (int n = 1; n <= 8; ++n) {
    for (int s = 0; s < n; ++s) {
      const GradientCode code = make_gradient_code(n, s);
      GradientDecoder decoder(code);
      for (unsigned set = 0; set < 1U << static_cast<unsigned>(n); ++set) {
        if (std::popcount(set) != n - s) continue;
        std::vector<int> heard;
        for (int w = n - 1; w >= 0; --w) {
          if ((set >> static_cast<unsigned>(w)) % 2 == 1) heard.push_back(w);
        }
        CAPTURE(n, s, set);
        const double off = residual(code, heard, decoder.decode(heard));
        CHECK(off <= 1e-12);
        worst = std::max(worst, off);
      }
    }
  }
  INFO("largest residual " << worst);
  CHECK(worst > 0.0);  // not all of them are copies
}

TEST_CASE("a worker takes s + 1 shares, its own among them, and each is taken s + 1 times",
          "[scheme]") {
  for (int n = 1; n <= 12; ++n) {
    for (int s = 0; s < n; ++s) {
      CAPTURE(n, s);
      const GradientCode code = make_gradient_code(n, s);
      std::vector<int> taken(static_cast<std::size_t>(n), 0);
      for (int w = 0; w < n; ++w) {
        const std::vector<int> shares = code.shares_of(w);
        CHECK(std::ranges::count(shares, w) == 1);
        for (const int share : shares) ++taken[static_cast<std::size_t>(share)];
        for (const double coefficient : code.coefficients_of(w)) CHECK(coefficient != 0.0);
      }
      CHECK(std::ranges::count(taken, s + 1) == n);
    }
  }
}

TEST_CASE("gradient coding follows ps-sync, whoever is slow", "[scheme][rule:gradient-coding]") {
  const auto golden = test::golden_trajectories();
  const Dataset data = test::golden_data(golden);
  for (const int stragglers : {0, 1, 2, 4}) {
    for (const int slow : {-1, 0, 3}) {
      Configuration c = test::golden_configuration(golden, "gradient-coding");
      c.hyperparameters["stragglers"] = stragglers;
      if (slow >= 0 && stragglers > 0) c.stragglers = {{slow, 3.7}};
      if (stragglers > 1) c.stragglers.push_back({4, 1.3});
      for (const auto& [t, state] : golden["psgd_mean"]["states"].items()) {
        CAPTURE(stragglers, slow, t);
        c.steps = std::stoull(t);
        const std::vector<double> found = test::run_on_quadratic(c, data).model;
        for (std::size_t j = 0; j < found.size(); ++j) {
          CHECK(found[j] == Approx(state[j].get<double>()).epsilon(1e-9).margin(1e-9));
        }
      }
    }
  }
}

TEST_CASE("workers that skip steps skip those minibatches too", "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const bool replacement : {false, true}) {
    for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
      CAPTURE(replacement, time_mode_text(time));
      Configuration c = quick("ps-sync", 5, 60);
      c.replacement = replacement;
      const double sync = train(c, data).summary.train_loss;
      c.scheme = "gradient-coding";
      c.time = time;
      c.hyperparameters["stragglers"] = 2;
      c.stragglers = {{1, 3.0}, {2, 2.5}};
      c.compute_noise.exponential = 0.5;
      const Summary s = train(c, data).summary;
      CHECK(s.train_loss == Approx(sync).epsilon(1e-5));
      CHECK(s.samples == 60U * 5U * 4U);
      CHECK(s.samples_computed > 2 * s.samples);
    }
  }
}

TEST_CASE("a step computes s + 1 minibatches and takes (s + 1)c + (2n - s)(α + t)", "[scheme]") {
  const LoadedData data = test::dense_problem(50, 840);
  for (const int n : {1, 4, 5}) {
    for (const int s : {0, 1, 3}) {
      if (s >= n) continue;
      CAPTURE(n, s);
      Configuration c = quick("gradient-coding", n, 1);
      c.hyperparameters["stragglers"] = s;
      c.servers = 3;  // has one all the same
      c.compute_time = seconds(3.0);
      c.network = {.latency = seconds(1.5), .bytes_per_second = 840 * 4 / 5.0};
      const Summary found = train(c, data).summary;
      CHECK(found.servers == 1);
      CHECK(found.seconds == Approx((s + 1) * 3.0 + (2 * n - s) * 6.5).epsilon(1e-12));
    }
  }
}
