// The trimmed mean: of each coordinate the mean of its n − 2f values in the middle, without the f
// least and the f greatest (Yin, Chen, Ramchandran & Bartlett, ICML 2018, definition 2, with
// β = f/n). f = 0: the mean. n = 2f + 1: the median.
//
// It needs n ≥ 2f + 1, so that a value is left. Then, with S any n − f of the vectors and μ their
// mean, the j-th least of all values lies between the (j − f)-th and the j-th of S, so that the
// result lies between the means of the n − 2f least and of the n − 2f greatest of S. A part m of N
// numbers of variance σ² has a mean no farther than σ √((N − m)/m) from theirs: with N = n − f and
// m = n − 2f, summed over the coordinates,
//   ‖result − μ‖² ≤ f/(n − 2f) · (1/|S|) Σ_S ‖v_i − μ‖²,
// as little as any rule can have: of n − f zeros and f ones the result must be 0, since S may be
// the zeros; and where S has all the ones, μ is f/(n − f) and the variance f(n − 2f)/(n − f)².

#include <algorithm>
#include <array>

#include "aggregation/argument.hpp"
#include "aggregation/blocks.hpp"
#include "aggregation/rows.hpp"
#include "aggregation/sorted_rows.hpp"

namespace trainyard {

namespace {

class TrimmedMeanRule final : public AggregationStep {
 public:
  explicit TrimmedMeanRule(int f) : f_(f) {}
  int least() const override { return 2 * f_ + 1; }
  bool by_coordinate() const override { return true; }
  double operations(int n) const override {
    return 2.0 * n + 2.0 * static_cast<double>(network_size(static_cast<std::size_t>(n)));
  }
  void apply(ConstVectors in, int found, Vectors out, AggregatorScratch& scratch) const override {
    const std::size_t n = in.size();
    const auto f = static_cast<std::size_t>(std::max(0, f_ - found));
    const double kept = static_cast<double>(n - 2 * f);
    const Rows rows(scratch.more_numbers, n);
    std::array<double, block_length> sums{};
    for_blocks(out.front().size(), [&](std::size_t first, std::size_t length) {
      rows.load(in, first, length);
      sort_rows(rows, 0, n, length);
      // From the least one that is kept, so that equal values give themselves, and nothing that is
      // not kept has a say in the rounding.
      const double* const base = rows.row(f);
      sums.fill(0.0);
      for (std::size_t i = f + 1; i < n - f; ++i) {
        const double* const v = rows.row(i);
        for (std::size_t k = 0; k < length; ++k) sums[k] += v[k] - base[k];
      }
      for (std::size_t k = 0; k < length; ++k) sums[k] = base[k] + sums[k] / kept;
      store_block({sums.data(), length}, out.front(), first);
    });
  }

 private:
  int f_;
};

}  // namespace

AggregationInfo trimmed_mean_rule() {
  return {.name = "trimmed-mean",
          .argument = "F",
          .summary = "of each coordinate the mean without the F least and F greatest",
          .bound = "n ≥ 2F + 1",
          .source = "Yin et al. 2018, definition 2",
          .make = [](std::string_view argument) -> std::shared_ptr<const AggregationStep> {
            return std::make_shared<TrimmedMeanRule>(count_argument(argument, "F", 0));
          }};
}

}  // namespace trainyard
