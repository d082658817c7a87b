// The geometric median, arg min_z Σ ‖z − v_i‖, by T steps of the smoothed Weiszfeld algorithm
// (Pillutla, Kakade & Harchaoui, Robust aggregation for federated learning, 2019):
//   w_i = 1/max(ν, ‖z − v_i‖),  z ← Σ w_i v_i / Σ w_i,  z = 0 at first.
// The paper begins at the mean and takes 3 steps; ByzFL begins at 0, with ν = 0.1 and T = 3; EPFL's
// code at 0, with ν = 0.1 and T = 8, which stands for the name alone here. Each step makes the sum
// (smoothed below ν) less. The median itself stays within a multiple of the honest vectors' spread
// of their mean for f < n/2; after few steps and from far away, z need not be near it yet.
//
// z is kept as its n weights, and so in double. It is written as v_b + Σ w_i (v_i − v_b)/Σ w_i,
// with b of the greatest weight, the nearest to the last z: equal vectors give themselves to the
// bit, and a liar's long vector takes no digits from the others.

#include <algorithm>

#include "aggregation/argument.hpp"
#include "aggregation/blocks.hpp"
#include "aggregation/distances.hpp"
#include "aggregation/rows.hpp"

namespace trainyard {

namespace {

constexpr int most_weiszfeld_steps = 10'000;

class GeometricMedianRule final : public AggregationStep {
 public:
  GeometricMedianRule(double nu, int steps) : nu_(nu), steps_(steps) {}
  int least() const override { return 1; }
  double operations(int n) const override { return 3.5 * n * steps_; }
  void apply(ConstVectors in, int /*found*/, Vectors out,
             AggregatorScratch& scratch) const override {
    const std::size_t n = in.size();
    std::vector<double>& weights = scratch.numbers;
    weights.resize(n);
    for (std::size_t i = 0; i < n; ++i) weights[i] = norm_of(in[i]);
    std::size_t nearest = to_weights(weights);
    for (int step = 1; step < steps_; ++step) {
      // The distances take the place of the weights only when all have been measured.
      scratch.row.resize(n);
      WeightedPoint{in[nearest], weights}.distances(in, scratch.more_numbers, scratch.row);
      std::ranges::copy(scratch.row, weights.begin());
      nearest = to_weights(weights);
    }
    WeightedPoint{in[nearest], weights}.write(in, out.front());
  }

 private:
  /// Of distances makes weights with the sum 1, and returns the place of the greatest.
  std::size_t to_weights(std::span<double> values) const {
    const auto nearest =
        static_cast<std::size_t>(std::ranges::min_element(values) - values.begin());
    // In units of the greatest, which no smallness of ν makes infinite.
    const double least = std::max(nu_, values[nearest]);
    double sum = 0.0;
    for (double& value : values) {
      value = least / std::max(nu_, value);
      sum += value;
    }
    for (double& value : values) value /= sum;
    return nearest;
  }

  double nu_;
  int steps_;
};

}  // namespace

AggregationInfo geometric_median_rule() {
  return {.name = "geometric-median",
          .argument = "NU:T",
          .fallback = "0.1:8",
          .summary = "the point of the least sum of distances, by T steps smoothed below NU",
          .bound = "n ≥ 1",
          .source = "Pillutla et al. 2022",
          .make = [](std::string_view argument) -> std::shared_ptr<const AggregationStep> {
            const ArgumentParts parts = argument_parts(argument);
            return std::make_shared<GeometricMedianRule>(
                length_argument(parts.first, "NU"),
                count_argument(parts.second, "T", 1, most_weiszfeld_steps));
          }};
}

}  // namespace trainyard
