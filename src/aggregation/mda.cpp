// Minimum-diameter averaging: the mean of the n − f vectors T of the least diameter
// max_{i,j ∈ T} ‖v_i − v_j‖ (El Mhamdi, Guerraoui, Guirguis, Hoang & Rouault, Genuinely distributed
// Byzantine machine learning, PODC 2020; after Rousseeuw's minimum-volume estimators, 1985). f = 0:
// the mean. Of sets as narrow, the first in lexicographic order.
//
// It needs n ≥ 2f + 1. Then, with S any n − f of the vectors, μ their mean and σ² their mean
// squared distance from it, T shares a vector with S, is no wider than S, and differs from it in at
// most f, so that
//   ‖result − μ‖ ≤ (f/(n − f)) 2 diam(S),  diam(S)² ≤ 2(n − f)σ²,  so
//   ‖result − μ‖² ≤ 8f²/(n − f) · σ².
//
// All sets are looked at: more than a million are refused.

#include <algorithm>
#include <limits>

#include "aggregation/argument.hpp"
#include "aggregation/blocks.hpp"
#include "aggregation/distances.hpp"
#include "aggregation/rows.hpp"

namespace trainyard {

namespace {

constexpr double most_subsets = 1e6;

/// The greatest n for which C(n, f) is at most that many.
int most_with_subsets(int f) {
  if (f == 0) return most_vectors;
  if (f == 1) return static_cast<int>(most_subsets);
  int n = f;
  for (double subsets = 1.0; subsets <= most_subsets;) {
    ++n;
    subsets *= static_cast<double>(n) / static_cast<double>(n - f);
  }
  return n - 1;
}

/// Looks at the sets of `size` in lexicographic order, and leaves those that are too wide already.
class NarrowestSet {
 public:
  NarrowestSet(const SquaredDistances& distances, std::size_t size, std::vector<std::uint32_t>& set,
               std::vector<std::uint32_t>& best)
      : distances_(distances), size_(size), set_(set), best_(best) {
    set_.reserve(size);
    set_.clear();
    count_up(best_, size);
    extend(0, 0.0);
  }

 private:
  // NOLINTNEXTLINE(misc-no-recursion): as deep as there are vectors in a set
  void extend(std::size_t from, double width) {
    if (set_.size() == size_) {
      best_.assign(set_.begin(), set_.end());
      least_ = width;
      return;
    }
    for (std::size_t i = from; i + (size_ - set_.size()) <= distances_.size(); ++i) {
      double wider = width;
      for (const std::uint32_t j : set_) wider = std::max(wider, distances_.of(i, j));
      if (wider >= least_) continue;
      set_.push_back(static_cast<std::uint32_t>(i));
      extend(i + 1, wider);
      set_.pop_back();
    }
  }

  const SquaredDistances& distances_;
  std::size_t size_;
  std::vector<std::uint32_t>& set_;
  std::vector<std::uint32_t>& best_;
  double least_ = std::numeric_limits<double>::infinity();
};

class MdaRule final : public AggregationStep {
 public:
  explicit MdaRule(int f) : f_(f) {}
  int least() const override { return 2 * f_ + 1; }
  int most() const override { return most_with_subsets(f_); }
  double operations(int n) const override { return 1.5 * n * (n - 1) / 2.0 + 2.0 * n - f_; }
  void apply(ConstVectors in, int found, Vectors out, AggregatorScratch& scratch) const override {
    const auto f = static_cast<std::size_t>(std::max(0, f_ - found));
    const SquaredDistances distances(in, scratch.numbers, scratch.more_numbers);
    const NarrowestSet search(distances, in.size() - f, scratch.order, scratch.picked);
    write_mean(in, scratch.picked, out.front());
  }

 private:
  int f_;
};

}  // namespace

AggregationInfo mda_rule() {
  return {.name = "mda",
          .argument = "F",
          .summary = "the mean of the n − F vectors of the least diameter",
          .bound = "n ≥ 2F + 1, and at most a million sets of n − F",
          .source = "El Mhamdi et al. 2020; Rousseeuw 1985",
          .make = [](std::string_view argument) -> std::shared_ptr<const AggregationStep> {
            return std::make_shared<MdaRule>(count_argument(argument, "F", 0));
          }};
}

}  // namespace trainyard
