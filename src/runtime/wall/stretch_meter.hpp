// By how much computing is stretched because ranks share cores, with each other or with other
// programs: time of the clock over time of the processor.
//
// Asking for a thread's processor time is a system call of some 300 ns, and a Hogwild step takes
// 100. So it is not asked for at every computation: a window opens when a computation begins and
// closes when the rank next blocks, which a Hogwild worker hardly ever does; and where windows are
// short, only some are measured. A rank that waits may well spin, so waiting must stay outside. But
// a rank that may go on and is not given a core yet is computing, stretched.
#pragma once

#include <chrono>
#include <ctime>

#include "trainyard/base/units.hpp"

namespace trainyard {

/// Threads: used by its rank alone, and read when that has ended.
class StretchMeter {
 public:
  /// It could compute since `now`, and has used no processor time since.
  void computes(Time now) {
    if (open_ || now < next_) return;
    open_ = true;
    next_ = now + at_most_every;
    began_ = now;
    processor_began_ = processor_time();
  }
  bool open() const { return open_; }
  /// The rank blocks, or has ended. REQUIRES: open().
  void blocks(Time now) {
    open_ = false;
    processor_ += processor_time() - processor_began_;
    clock_ += now - began_;
  }

  /// In the windows so far.
  Duration clock_time() const { return clock_; }
  Duration processor_time_used() const { return processor_; }

 private:
  static constexpr Duration at_most_every = std::chrono::microseconds(200);  // so it costs < 0.5 %

  static Duration processor_time() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  }

  Duration clock_{0}, processor_{0};
  Time next_{0}, began_{0};
  Duration processor_began_{0};
  bool open_ = false;
};

}  // namespace trainyard
