// Clipping: y_i = v_i min(1, C/‖v_i‖) (Pascanu, Mikolov & Bengio, ICML 2013; as a step before a
// robust rule, ByzFL). No liar's vector is longer than C, nor is an honest one, so a C below the
// honest norms shortens the step. Any n.

#include <array>
#include <cstring>

#include "aggregation/argument.hpp"
#include "aggregation/blocks.hpp"
#include "aggregation/clipped_copy.hpp"
#include "aggregation/distances.hpp"
#include "aggregation/rows.hpp"

namespace trainyard {

void write_clipped(ConstVector v, double norm, double most, Vector out) {
  if (norm <= most) {
    if (!v.empty()) std::memcpy(out.data(), v.data(), v.bytes().size());
    return;
  }
  // Of the greatest doubles the norm is beyond them, and nobody is known to send such.
  const double factor = most / norm;
  std::array<double, block_length> values{};
  for_blocks(v.size(), [&](std::size_t first, std::size_t length) {
    load_block(v, first, {values.data(), length});
    for (std::size_t k = 0; k < length; ++k) values[k] *= factor;
    store_block({values.data(), length}, out, first);
  });
}

namespace {

class ClipStep final : public AggregationStep {
 public:
  explicit ClipStep(double most) : most_(most) {}
  bool is_rule() const override { return false; }
  int results(int n) const override { return n; }
  int least() const override { return 1; }
  double operations(int n) const override { return 3.0 * n; }
  void apply(ConstVectors in, int /*found*/, Vectors out,
             AggregatorScratch& /*scratch*/) const override {
    for (std::size_t i = 0; i < in.size(); ++i) {
      write_clipped(in[i], norm_of(in[i]), most_, out[i]);
    }
  }

 private:
  double most_;
};

}  // namespace

AggregationInfo clip_step() {
  return {.name = "clip",
          .argument = "C",
          .summary = "vectors longer than C are shortened to it",
          .bound = "n ≥ 1",
          .source = "Pascanu et al. 2013",
          .make = [](std::string_view argument) -> std::shared_ptr<const AggregationStep> {
            return std::make_shared<ClipStep>(length_argument(argument, "C"));
          }};
}

}  // namespace trainyard
