// The senders of a rank's messages, in the order of arrival, so that a rank that takes messages
// from anyone, a server of many workers, need not look at a channel of each.
//
// On an emulated network that order is known as soon as messages start: receptions at one port
// never change places (network/switch.hpp). Only what a server and a worker on one machine send
// each other arrives before what has started earlier elsewhere; it is put in its place. A rank that
// receives from a certain other one leaves its entry behind, which is dropped when it comes to the
// front.
//
// Whoever works the switch hands the news over in a queue of Boost.Lockfree, which is not bounded
// and makes nobody wait: a mutex in its place, held by a rank that has just lost its core, would
// stop the switch, and with it all others. Looking at an empty one, as a rank that waits does all
// the time, takes 2.5 ns instead of the mutex's 34; putting something in and taking it out again
// 37 ns more, of a message of microseconds (174 and 137; least of 15 turns). Its nodes are kept for
// the next ones: in the steady state nothing is allocated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <boost/lockfree/queue.hpp>

#include "trainyard/base/units.hpp"

namespace trainyard {

class Arrivals {
 public:
  struct Arrival {
    int from;
    Time end;
  };

  explicit Arrivals(int ranks) : left_behind_(static_cast<std::size_t>(ranks)) {}

  /// A message from there arrives at `end`. Called by whichever thread works the switch, one at a
  /// time.
  void announce(int from, Time end) { announced_.push({from, end}); }

  // Called by the rank alone.

  /// The arrivals that have not been taken, the first one first; behind one that still lies there,
  /// some that were taken may stand, too. Valid until the next call.
  std::span<const Arrival> all() {
    drop_taken();
    if (next_ == known_.size()) {
      known_.clear();
      next_ = 0;
      fetch();
      drop_taken();
    }
    return std::span(known_).subspan(next_);
  }

  /// all(), with everything that has been announced up to now.
  std::span<const Arrival> all_announced() {
    fetch();
    return all();
  }

  /// The oldest message from there has been taken. Costs O(1) where it was the first of all.
  void take(int from) {
    if (next_ < known_.size() && known_[next_].from == from && left_behind_of(from) == 0) {
      ++next_;
      return;
    }
    ++left_behind_of(from);
    // Else a rank that never asks would gather them for ever.
    if (++left_behind_since_ < 256) return;
    left_behind_since_ = 0;
    known_.erase(known_.begin(), known_.begin() + static_cast<std::ptrdiff_t>(next_));
    next_ = 0;
    fetch();
    // Not only from the front, where one may stand that this rank never reads.
    std::erase_if(known_, [this](const Arrival& arrival) {
      std::uint32_t& left_behind = left_behind_of(arrival.from);
      if (left_behind == 0) return false;
      --left_behind;
      return true;
    });
  }

  /// Entries, those that stand for messages taken included, and those announced since.
  std::size_t kept() {
    fetch();
    return known_.size() - next_;
  }

 private:
  std::uint32_t& left_behind_of(int from) { return left_behind_[static_cast<std::size_t>(from)]; }

  void fetch() {
    announced_.consume_all([this](const Arrival& arrival) {
      known_.push_back(arrival);
      for (std::size_t i = known_.size() - 1; i > next_ && known_[i - 1].end > arrival.end; --i) {
        std::swap(known_[i - 1], known_[i]);
      }
    });
  }

  void drop_taken() {
    while (next_ < known_.size() && left_behind_of(known_[next_].from) > 0) {
      --left_behind_of(known_[next_++].from);
    }
  }

  std::vector<Arrival> known_;  // from next_ on
  std::size_t next_ = 0;
  std::vector<std::uint32_t> left_behind_;  // [from]: entries that stand for messages taken
  int left_behind_since_ = 0;

  alignas(64) boost::lockfree::queue<Arrival> announced_{0};
};

}  // namespace trainyard
