// The ranks that may go on in this moment.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace trainyard {

/// A set of ranks that gives the lowest one first. A bit a rank: where hundreds of ranks are woken
/// in one moment, that is a few instructions each instead of a heap's O(log n).
class RankSet {
 public:
  explicit RankSet(std::size_t ranks) : words_(ranks / bits + 1) {}

  bool empty() const { return count_ == 0; }

  /// Once is as good as twice.
  void add(int rank) {
    const auto word = static_cast<std::size_t>(rank) / bits;
    const std::uint64_t bit = std::uint64_t{1} << (static_cast<std::size_t>(rank) % bits);
    if ((words_[word] & bit) == 0) ++count_;
    words_[word] |= bit;
    lowest_ = std::min(lowest_, word);
  }

  /// REQUIRES: not empty().
  int lowest() {
    while (words_[lowest_] == 0) ++lowest_;
    return static_cast<int>(lowest_ * bits +
                            static_cast<std::size_t>(std::countr_zero(words_[lowest_])));
  }

  /// Numbers beyond the last rank may be asked for: they are not in the set.
  bool contains(int rank) const { return among(rank, 1) != 0; }

  /// A bit for each of the `count` ranks from `first` on that is in the set, the lowest for
  /// `first`. Numbers as for contains(). REQUIRES: `first` is a multiple of `count`, and 64 a
  /// greater one.
  std::uint64_t among(int first, int count) const {
    const std::size_t word = static_cast<std::size_t>(first) / bits;
    if (word >= words_.size()) return 0;
    return (words_[word] >> (static_cast<std::size_t>(first) % bits)) &
           ((std::uint64_t{1} << count) - 1);
  }

  /// REQUIRES: not empty().
  int take_lowest() {
    const int rank = lowest();
    words_[lowest_] &= words_[lowest_] - 1;
    --count_;
    return rank;
  }

 private:
  static constexpr std::size_t bits = 64;

  std::vector<std::uint64_t> words_;
  std::size_t lowest_ = 0;  // no word below it has a bit
  std::size_t count_ = 0;
};

}  // namespace trainyard
