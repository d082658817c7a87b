// How long before a moment a sleep has to end for that moment not to be missed.
//
// A sleep overshoots, by what the system and the machine make of it: 50 to 80 µs on virtual
// machines, a few on others. The rest of a wait is yielded away, which takes processor time where
// nobody wants the core; so the margin follows what this rank's own sleeps have shown. It grows at
// once to a quarter more than the overshoot just seen, and shrinks by a thirty-second a sleep.
#pragma once

#include <algorithm>
#include <chrono>

#include "trainyard/base/units.hpp"

namespace trainyard {

class NapMargin {
 public:
  static constexpr Duration most = std::chrono::microseconds(250);
  static constexpr Duration least = std::chrono::microseconds(20);

  Duration margin() const { return margin_; }
  /// A sleep ended so much later than it was asked to.
  void learn(Duration overshoot) {
    margin_ = std::clamp(std::max(overshoot + overshoot / 4, margin_ - margin_ / 32), least, most);
  }

 private:
  Duration margin_ = most;
};

}  // namespace trainyard
