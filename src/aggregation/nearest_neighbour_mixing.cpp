// Nearest-neighbour mixing (Allouah, Farhadkhani, Guerraoui, Gupta, Pinot & Stephan, Fixing by
// mixing: a recipe for optimal Byzantine ML under heterogeneity, AISTATS 2023):
//   y_i = (1/(n − f)) Σ v_j over the n − f vectors nearest to v_i, itself among them.
// What is left of the honest vectors' differences is of the order of f/n of them, and whatever rule
// follows errs by as much less. f = 0: all become the mean.
//
// It needs n ≥ 2f + 1: each y_i is then made of more honest vectors than lies.

#include <algorithm>

#include "aggregation/argument.hpp"
#include "aggregation/blocks.hpp"
#include "aggregation/distances.hpp"
#include "aggregation/rows.hpp"

namespace trainyard {

namespace {

class NearestNeighbourMixing final : public AggregationStep {
 public:
  explicit NearestNeighbourMixing(int f) : f_(f) {}
  bool is_rule() const override { return false; }
  int results(int n) const override { return n; }
  int least() const override { return 2 * f_ + 1; }
  double operations(int n) const override {
    return 1.5 * n * (n - 1) / 2.0 + n + 1.0 * n * (n - f_);
  }
  void apply(ConstVectors in, int found, Vectors out, AggregatorScratch& scratch) const override {
    const std::size_t mixed = in.size() - static_cast<std::size_t>(std::max(0, f_ - found));
    const SquaredDistances distances(in, scratch.numbers, scratch.more_numbers);
    for (std::size_t i = 0; i < in.size(); ++i) {
      nearest_first(distances, i, scratch.order);
      // By their numbers, so that the same vectors have the same mean to the bit.
      const std::span nearest = std::span(scratch.order).first(mixed);
      std::ranges::sort(nearest);
      write_mean(in, nearest, out[i]);
    }
  }

 private:
  int f_;
};

}  // namespace

AggregationInfo nearest_neighbour_mixing_step() {
  return {.name = "nnm",
          .argument = "F",
          .summary = "each becomes the mean of the n − F nearest to it, itself among them",
          .bound = "n ≥ 2F + 1",
          .source = "Allouah et al. 2023",
          .make = [](std::string_view argument) -> std::shared_ptr<const AggregationStep> {
            return std::make_shared<NearestNeighbourMixing>(count_argument(argument, "F", 0));
          }};
}

}  // namespace trainyard
