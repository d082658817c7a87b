// Bucketing (Karimireddy, He & Jaggi, Byzantine-robust learning on heterogeneous datasets via
// bucketing, ICLR 2022): a random permutation π of the n vectors is cut into ⌈n/S⌉
// buckets of S, the last one of what is left, and of each the mean goes on:
//   y_i = (1/S) Σ_{k = (i−1)S+1}^{min(n, iS)} v_{π(k)}  (over the number there are in the last
//   one).
// The means differ less from each other than the vectors did, so honest ones of different data
// look less like liars; but a liar spoils its whole bucket: f stays, and n becomes ⌈n/S⌉, so the
// next step needs that many. S = 1: nothing. S ≥ n: the mean.
//
// π is drawn anew each time.

#include <algorithm>

#include "aggregation/argument.hpp"
#include "aggregation/blocks.hpp"
#include "aggregation/rows.hpp"

namespace trainyard {

namespace {

class BucketingStep final : public AggregationStep {
 public:
  explicit BucketingStep(int size) : size_(size) {}
  bool is_rule() const override { return false; }
  int results(int n) const override { return (n - 1) / size_ + 1; }
  int least() const override { return 1; }
  bool by_coordinate() const override { return true; }
  double operations(int n) const override { return n; }
  void apply(ConstVectors in, int /*found*/, Vectors out,
             AggregatorScratch& scratch) const override {
    const std::size_t n = in.size(), size = static_cast<std::size_t>(size_);
    count_up(scratch.order, n);
    if (size > 1) scratch.random.shuffle(scratch.order);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::size_t first = i * size;
      const std::span bucket = std::span(scratch.order).subspan(first, std::min(size, n - first));
      // By their numbers, so that a bucket of all gives the mean to the bit.
      std::ranges::sort(bucket);
      write_mean(in, bucket, out[i]);
    }
  }

 private:
  int size_;
};

}  // namespace

AggregationInfo bucketing_step() {
  return {.name = "bucketing",
          .argument = "S",
          .summary = "the means of random buckets of S vectors",
          .bound = "n ≥ 1",
          .source = "Karimireddy, He & Jaggi 2022",
          .make = [](std::string_view argument) -> std::shared_ptr<const AggregationStep> {
            return std::make_shared<BucketingStep>(count_argument(argument, "S", 1));
          }};
}

}  // namespace trainyard
