// Centered clipping (Karimireddy, He & Jaggi, Learning from history for Byzantine robust
// optimization, ICML 2021): L times
//   v ← v + (1/n) Σ (v_i − v) min(1, τ/‖v_i − v‖),
// from the last result, 0 at first. A vector moves v by at most τ/n, liar or not; what brings v to
// the honest ones is that it begins where they were a step ago. So with τ = ∞ it is the mean, and
// the first results from 0 are short of vectors longer than τ.
//
// Any n. v is kept as its n weights, v = v⁰ + Σ c_i (v_i − v⁰), so in double: with
// λ_i = min(1, τ/‖v_i − v‖), c ← (1 − Σ λ_j/n) c + λ/n.

#include <algorithm>

#include "aggregation/argument.hpp"
#include "aggregation/blocks.hpp"
#include "aggregation/distances.hpp"
#include "aggregation/rows.hpp"

namespace trainyard {

namespace {

constexpr int most_clip_steps = 10'000;

class CenteredClipRule final : public AggregationStep {
 public:
  CenteredClipRule(double tau, int steps) : tau_(tau), steps_(steps) {}
  int least() const override { return 1; }
  bool carries() const override { return true; }
  double operations(int n) const override { return 3.5 * n * steps_; }
  void apply(ConstVectors in, int /*found*/, Vectors out,
             AggregatorScratch& scratch) const override {
    const std::size_t n = in.size();
    std::vector<double>& weights = scratch.numbers;
    weights.assign(n, 0.0);
    scratch.row.resize(n);
    const WeightedPoint point{out.front(), weights};
    bool clips = false;
    for (int step = 0; step < steps_; ++step) {
      point.distances(in, scratch.more_numbers, scratch.row);
      clips = move(scratch.row, weights);
    }
    // Nothing clipped: the mean, wherever v was.
    if (clips) {
      point.write(in, out.front());
    } else {
      write_mean(in, out.front());
    }
  }

 private:
  /// Of the distances makes the next weights; returns whether some vector was clipped.
  bool move(std::span<double> distances, std::span<double> weights) const {
    const double n = static_cast<double>(weights.size());
    bool clips = false;
    double sum = 0.0;
    for (double& value : distances) {
      clips = clips || value > tau_;
      value = (value > tau_ ? tau_ / value : 1.0) / n;
      sum += value;
    }
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights[i] = clips ? (1.0 - sum) * weights[i] + distances[i] : distances[i];
    }
    return clips;
  }

  double tau_;
  int steps_;
};

}  // namespace

AggregationInfo centered_clip_rule() {
  return {.name = "centered-clip",
          .argument = "TAU[:L]",
          .fallback = "10:1",
          .summary = "L times the last result, moved by the mean of differences clipped to TAU",
          .bound = "n ≥ 1",
          .source = "Karimireddy, He & Jaggi 2021",
          .make = [](std::string_view argument) -> std::shared_ptr<const AggregationStep> {
            const ArgumentParts parts = argument_parts(argument);
            return std::make_shared<CenteredClipRule>(
                length_argument(parts.first, "TAU"),
                parts.has_second ? count_argument(parts.second, "L", 1, most_clip_steps) : 1);
          }};
}

}  // namespace trainyard
