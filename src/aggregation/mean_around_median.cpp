// The mean around the median: of each coordinate the mean of its n − f values nearest to its median
// (Xie, Koyejo & Gupta, Generalized Byzantine-tolerant SGD, 2018; "meamed" in ByzFL).
// f = 0: the mean.
//
// It needs n ≥ 2f + 1: then the median lies among the honest values, and of the n − f values of
// them the farthest is no nearer to it than the (n − f)-th nearest of all. What is as near as the
// last one to be taken comes in by the number of its vector.

#include <algorithm>
#include <array>

#include "aggregation/argument.hpp"
#include "aggregation/blocks.hpp"
#include "aggregation/rows.hpp"
#include "aggregation/sorted_rows.hpp"

namespace trainyard {

namespace {

class MeanAroundMedianRule final : public AggregationStep {
 public:
  explicit MeanAroundMedianRule(int f) : f_(f) {}
  int least() const override { return 2 * f_ + 1; }
  bool by_coordinate() const override { return true; }
  double operations(int n) const override {
    return 12.0 * n + 4.0 * static_cast<double>(network_size(static_cast<std::size_t>(n)));
  }
  void apply(ConstVectors in, int found, Vectors out, AggregatorScratch& scratch) const override {
    const std::size_t n = in.size();
    const std::size_t kept = n - static_cast<std::size_t>(std::max(0, f_ - found));
    const Rows rows(scratch.more_numbers, 2 * n + 1);
    std::array<double, block_length> result{};
    for_blocks(out.front().size(), [&](std::size_t first, std::size_t length) {
      rows.load(in, first, length);
      mean_near_median(rows, n, kept, length, result.data());
      store_block({result.data(), length}, out.front(), first);
    });
  }

 private:
  int f_;
};

}  // namespace

AggregationInfo mean_around_median_rule() {
  return {.name = "mean-around-median",
          .argument = "F",
          .summary = "of each coordinate the mean of the n − F values nearest to the median",
          .bound = "n ≥ 2F + 1",
          .source = "Xie et al. 2018",
          .make = [](std::string_view argument) -> std::shared_ptr<const AggregationStep> {
            return std::make_shared<MeanAroundMedianRule>(count_argument(argument, "F", 0));
          }};
}

}  // namespace trainyard
