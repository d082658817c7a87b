// Adaptive robust clipping, ARC (Allouah, Guerraoui, Gupta, Jellouli, Rizk & Stephan, The vital
// role of gradient clipping in Byzantine-resilient distributed learning, 2024, arXiv 2405.14432):
// the
//   k = ⌊2 (f/n) (n − f)⌋
// vectors of the greatest norm are shortened to the norm of the next one, the (n − k)-th least. No
// threshold has to be known. f = 0: nothing.
//
// It needs n ≥ 2f + 1. Then k ≥ f, and k + 1 vectors are as long as the threshold or longer: one of
// them is honest, so that no liar is left longer than the longest honest vector.

#include <algorithm>

#include "aggregation/argument.hpp"
#include "aggregation/blocks.hpp"
#include "aggregation/clipped_copy.hpp"
#include "aggregation/distances.hpp"
#include "aggregation/rows.hpp"

namespace trainyard {

namespace {

class AdaptiveClipStep final : public AggregationStep {
 public:
  explicit AdaptiveClipStep(int f) : f_(f) {}
  bool is_rule() const override { return false; }
  int results(int n) const override { return n; }
  int least() const override { return 2 * f_ + 1; }
  double operations(int n) const override { return 3.0 * n; }
  void apply(ConstVectors in, int found, Vectors out, AggregatorScratch& scratch) const override {
    const std::size_t n = in.size();
    const auto f = static_cast<std::size_t>(std::max(0, f_ - found));
    const std::size_t clipped = 2 * f * (n - f) / n;
    scratch.numbers.resize(n);
    for (std::size_t i = 0; i < n; ++i) scratch.numbers[i] = norm_of(in[i]);
    scratch.row.assign(scratch.numbers.begin(), scratch.numbers.end());
    std::ranges::sort(scratch.row);
    const double most = scratch.row[n - 1 - clipped];
    for (std::size_t i = 0; i < n; ++i) write_clipped(in[i], scratch.numbers[i], most, out[i]);
  }

 private:
  int f_;
};

}  // namespace

AggregationInfo adaptive_clip_step() {
  return {.name = "arc",
          .argument = "F",
          .summary = "the F to 2F longest vectors are shortened to the norm of the next",
          .bound = "n ≥ 2F + 1",
          .source = "Allouah et al. 2025",
          .make = [](std::string_view argument) -> std::shared_ptr<const AggregationStep> {
            return std::make_shared<AdaptiveClipStep>(count_argument(argument, "F", 0));
          }};
}

}  // namespace trainyard
