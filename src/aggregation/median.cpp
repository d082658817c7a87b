// The median of each coordinate (Yin, Chen, Ramchandran & Bartlett, ICML 2018, definition 1); of
// an even n the mean of the two in the middle, as NumPy has it. torch.median, which some reference
// codes call, takes the lower one of them.
//
// For fewer than n/2 liars f it lies among the honest values of a coordinate. With S any n − f of
// the vectors and μ their mean, at least n/2 of all values are at or beyond the median on its far
// side from μ, so at least n/2 − f of those of S, and so
//   ‖median − μ‖² ≤ 2(n − f)/(n − 2f) · (1/|S|) Σ_S ‖v_i − μ‖².

#include <array>

#include "aggregation/blocks.hpp"
#include "aggregation/rows.hpp"
#include "aggregation/sorted_rows.hpp"

namespace trainyard {

namespace {

class MedianRule final : public AggregationStep {
 public:
  int least() const override { return 1; }
  bool by_coordinate() const override { return true; }
  double operations(int n) const override {
    return 2.0 * n + 2.0 * static_cast<double>(network_size(static_cast<std::size_t>(n)));
  }
  void apply(ConstVectors in, int /*found*/, Vectors out,
             AggregatorScratch& scratch) const override {
    const Rows rows(scratch.more_numbers, in.size());
    std::array<double, block_length> result{};
    for_blocks(out.front().size(), [&](std::size_t first, std::size_t length) {
      rows.load(in, first, length);
      sort_rows(rows, 0, in.size(), length);
      median_of_sorted(rows, 0, in.size(), length, result.data());
      store_block({result.data(), length}, out.front(), first);
    });
  }
};

}  // namespace

AggregationInfo median_rule() {
  return {.name = "median",
          .summary = "of each coordinate the median",
          .bound = "n ≥ 1",
          .source = "Yin et al. 2018, definition 1",
          .make = [](std::string_view) -> std::shared_ptr<const AggregationStep> {
            return std::make_shared<MedianRule>();
          }};
}

}  // namespace trainyard
