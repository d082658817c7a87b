// Bulyan of Krum (El Mhamdi, Guerraoui & Rouault, The hidden vulnerability of distributed learning
// in Byzantium, ICML 2018).
//
// θ = n − 2f vectors are picked, one after another: Krum's choice among those that are left, which
// is then taken out. Of each coordinate, the result is the mean of the β = θ − 2f values of these
// θ that are nearest to their median. Krum alone may be moved far in one coordinate of many, by
// √d; here each coordinate has a majority of honest values around it.
//
// It needs n ≥ 4f + 3, so that β ≥ 3. Near the end of the picking fewer are left than Krum asks
// for: what its n − f − 2 nearest are then, the paper leaves open; at least one is counted here. f
// = 0: the mean.
//
// Flower's code takes Krum's θ best ones at once.

#include <algorithm>
#include <array>

#include "aggregation/argument.hpp"
#include "aggregation/blocks.hpp"
#include "aggregation/krum_scores.hpp"
#include "aggregation/rows.hpp"
#include "aggregation/sorted_rows.hpp"

namespace trainyard {

namespace {

class BulyanRule final : public AggregationStep {
 public:
  explicit BulyanRule(int f) : f_(f) {}
  int least() const override { return 4 * f_ + 3; }
  double operations(int n) const override {
    const auto theta = static_cast<std::size_t>(std::max(1, n - 2 * f_));
    return 1.5 * n * (n - 1) / 2.0 + n + 12.0 * static_cast<double>(theta) +
           4.0 * static_cast<double>(network_size(theta));
  }
  void apply(ConstVectors in, int found, Vectors out, AggregatorScratch& scratch) const override {
    const auto f = static_cast<std::size_t>(std::max(0, f_ - found));
    const std::size_t theta = in.size() - 2 * f, kept = theta - 2 * f;
    pick(in, static_cast<int>(f), theta, scratch);
    const Rows rows(scratch.more_numbers, 2 * theta + 1);
    std::array<double, block_length> result{};
    for_blocks(out.front().size(), [&](std::size_t first, std::size_t length) {
      for (std::size_t j = 0; j < theta; ++j) {
        load_block(in[scratch.picked[j]], first, {rows.row(j), length});
      }
      mean_near_median(rows, theta, kept, length, result.data());
      store_block({result.data(), length}, out.front(), first);
    });
  }

 private:
  /// scratch.picked ← the θ that are picked, by their numbers.
  static void pick(ConstVectors in, int f, std::size_t theta, AggregatorScratch& scratch) {
    const SquaredDistances distances(in, scratch.numbers, scratch.more_numbers);
    std::vector<std::uint32_t>& left = scratch.order;
    count_up(left, in.size());
    scratch.picked.clear();
    scratch.picked.reserve(in.size());
    while (scratch.picked.size() < theta) {
      std::size_t best = 0;
      double least = 0.0;
      for (std::size_t j = 0; j < left.size(); ++j) {
        const double score = krum_score(distances, left, left[j], f, scratch.row);
        if (j > 0 && score >= least) continue;
        best = j;
        least = score;
      }
      scratch.picked.push_back(left[best]);
      left.erase(left.begin() + static_cast<long>(best));
    }
    std::ranges::sort(scratch.picked);
  }

  int f_;
};

}  // namespace

AggregationInfo bulyan_rule() {
  return {.name = "bulyan",
          .argument = "F",
          .summary = "of n − 2F picked by Krum, in each coordinate the mean near their median",
          .bound = "n ≥ 4F + 3",
          .source = "El Mhamdi et al. 2018",
          .make = [](std::string_view argument) -> std::shared_ptr<const AggregationStep> {
            return std::make_shared<BulyanRule>(count_argument(argument, "F", 0));
          }};
}

}  // namespace trainyard
