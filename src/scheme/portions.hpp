// Which portion of the batch an idle worker takes next, and which are done (Dean et al. 2012, §4.2;
// backup tasks: Dean & Ghemawat 2004, §3.6). Portions that nobody has begun come first, in their
// order. When there are none left, those that are not done are given out once more, the one with
// the fewest workers at it first; whoever has it done first counts.
//
// Threads: belongs to the rank that hands portions out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "trainyard/base/error.hpp"

namespace trainyard {

class Portions {
 public:
  explicit Portions(std::size_t count) : taken_(count, 0), done_(count, false) {}

  /// All of them, from the first.
  void begin() {
    std::ranges::fill(taken_, 0);
    done_.assign(done_.size(), false);
    fresh_ = first_left_ = 0;
    left_ = taken_.size();
  }
  /// How many are not done.
  std::size_t left() const { return left_; }
  /// REQUIRES: left() > 0.
  std::size_t take() {
    std::size_t portion = fresh_;
    if (fresh_ < taken_.size()) {
      ++fresh_;
    } else {
      portion = least_taken();
    }
    ++taken_[portion];
    return portion;
  }
  /// Whether it is the first time.
  bool finish(std::size_t portion) {
    if (done_[portion]) return false;
    done_[portion] = true;
    --left_;
    return true;
  }

 private:
  /// The portion with the fewest workers at it among those that are not done. Those before the
  /// first of these are not looked at again.
  std::size_t least_taken() {
    require(left_ > 0, "no portion is left to take");
    while (done_[first_left_]) ++first_left_;
    std::size_t least = first_left_;
    for (std::size_t portion = first_left_; portion < taken_.size(); ++portion) {
      if (!done_[portion] && taken_[portion] < taken_[least]) least = portion;
    }
    return least;
  }

  std::vector<int> taken_;  // by so many workers
  std::vector<bool> done_;
  std::size_t fresh_ = 0, first_left_ = 0, left_ = 0;
};

}  // namespace trainyard
