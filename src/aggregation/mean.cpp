// The mean: (1/n) Σ v_i. What the others stand in for, and no robust rule: a single liar puts it
// wherever it likes (Blanchard, El Mhamdi, Guerraoui & Stainer, NIPS 2017).
//
// Written as v₁ + (1/n) Σ (v_i − v₁), which of equal vectors is that vector to the bit.

#include "aggregation/blocks.hpp"
#include "aggregation/rows.hpp"

namespace trainyard {

namespace {

class MeanRule final : public AggregationStep {
 public:
  int least() const override { return 1; }
  bool by_coordinate() const override { return true; }
  bool is_mean() const override { return true; }
  double operations(int n) const override { return n; }
  void apply(ConstVectors in, int /*found*/, Vectors out,
             AggregatorScratch& /*scratch*/) const override {
    write_mean(in, out.front());
  }
};

}  // namespace

AggregationInfo mean_rule() {
  return {.name = "mean",
          .summary = "the mean, which one liar moves anywhere",
          .bound = "n ≥ 1",
          .source = "catalogue 4.5",
          .make = [](std::string_view) -> std::shared_ptr<const AggregationStep> {
            return std::make_shared<MeanRule>();
          }};
}

}  // namespace trainyard
