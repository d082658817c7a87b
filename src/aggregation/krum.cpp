// Krum and Multi-Krum (Blanchard, El Mhamdi, Guerraoui & Stainer, NIPS 2017).
//
// With i → j where v_j is one of the n − f − 2 vectors nearest to v_i, others than v_i itself, each
// has the score
//   s(i) = Σ_{i→j} ‖v_i − v_j‖².
// Krum is the vector of the least score. Multi-Krum is the mean of the M vectors of the least
// scores; M = 1: Krum, M = n: the mean. n − F for M is what Allouah et al. (AISTATS 2023) and
// others since take: as many as are honest.
//
// It needs n ≥ 2f + 3 (2f + 2 < n there). Then, with S any n − f of the vectors, μ
// their mean and σ² their mean squared distance from it, the least score is at most the mean score
// of S, at most 2(n − f)σ², and at least h = n − 2f − 2 ≥ 1 of the vectors that are counted for it
// are of S, so that for Krum
//   ‖v − μ‖² ≤ (2/h) (2(n − f)σ² + (n − f)σ²) = 6(n − f)/(n − 2f − 2) σ².
//
// ByzFL sums over n − f − 1 others, and EPFL's code of fourth powers of distances: both are other
// rules.

#include <algorithm>

#include "aggregation/argument.hpp"
#include "aggregation/blocks.hpp"
#include "aggregation/krum_scores.hpp"
#include "aggregation/rows.hpp"

namespace trainyard {

double krum_score(const SquaredDistances& distances, std::span<const std::uint32_t> candidates,
                  std::size_t i, int f, std::vector<double>& row) {
  row.clear();
  for (const std::uint32_t j : candidates) {
    if (j != i) row.push_back(distances.of(i, j));
  }
  const auto others = static_cast<int>(row.size());
  const int nearest = std::min(others, std::max(1, others + 1 - f - 2));
  std::ranges::sort(row);
  double score = 0.0;
  for (int k = 0; k < nearest; ++k) score += row[static_cast<std::size_t>(k)];
  return score;
}

namespace {

class KrumRule final : public AggregationStep {
 public:
  /// `picked` 0: n − f.
  KrumRule(int f, int picked) : f_(f), picked_(picked) {}
  int least() const override { return std::max(2 * f_ + 3, picked_); }
  double operations(int n) const override {
    const double mean = picked_ == 0 ? n - f_ : picked_;
    return 1.5 * n * (n - 1) / 2.0 + n + mean;
  }
  void apply(ConstVectors in, int found, Vectors out, AggregatorScratch& scratch) const override {
    const std::size_t n = in.size();
    const int f = std::max(0, f_ - found);
    const SquaredDistances distances(in, scratch.numbers, scratch.more_numbers);
    count_up(scratch.picked, n);
    // The scores stand behind the rows of blocks, whose numbers nobody needs any more.
    std::vector<double>& scores = scratch.more_numbers;
    scores.resize(std::max(scores.size(), n));
    std::vector<double>& row = scratch.row;
    for (std::size_t i = 0; i < n; ++i) {
      scores[i] = krum_score(distances, scratch.picked, i, f, row);
    }
    count_up(scratch.order, n);
    std::ranges::sort(scratch.order, [&](std::uint32_t a, std::uint32_t b) {
      return scores[a] < scores[b] || (scores[a] == scores[b] && a < b);
    });
    const int wanted = picked_ == 0 ? static_cast<int>(n) - f : picked_;
    const std::size_t m = std::min(n, static_cast<std::size_t>(wanted));
    // By their numbers, so that all of them give the mean to the bit.
    std::ranges::sort(scratch.order.begin(), scratch.order.begin() + static_cast<long>(m));
    write_mean(in, std::span(scratch.order).first(m), out.front());
  }

 private:
  int f_, picked_;
};

}  // namespace

AggregationInfo krum_rule() {
  return {.name = "krum",
          .argument = "F",
          .summary = "the vector with the least sum of squared distances to its n − F − 2 nearest",
          .bound = "n ≥ 2F + 3",
          .source = "Blanchard et al. 2017",
          .make = [](std::string_view argument) -> std::shared_ptr<const AggregationStep> {
            return std::make_shared<KrumRule>(count_argument(argument, "F", 0), 1);
          }};
}

AggregationInfo multi_krum_rule() {
  return {.name = "multi-krum",
          .argument = "F[:M]",
          .summary = "the mean of the M vectors that Krum thinks best, n − F where none is said",
          .bound = "n ≥ 2F + 3 and n ≥ M",
          .source = "Blanchard et al. 2017",
          .make = [](std::string_view argument) -> std::shared_ptr<const AggregationStep> {
            const ArgumentParts parts = argument_parts(argument);
            const int f = count_argument(parts.first, "F", 0);
            return std::make_shared<KrumRule>(
                f, parts.has_second ? count_argument(parts.second, "M", 1) : 0);
          }};
}

}  // namespace trainyard
