// The switch of an emulated network as threads share it.
//
// Whoever posts puts the message on a list, which takes one compare-and-swap, and waits for nobody.
// One thread at a time works the switch, for all: it takes over the list, lets happen what happens
// up to the present, and tells each receiver when its message arrives (flat combining: Hendler,
// Incze, Shavit & Tzafrir, SPAA 2010). The others find it worked and go on. A mutex around the
// switch is taken for each message and for each look of a waiting rank, and when a thread is
// preempted with the mutex in its hand all others stop.
//
// The list is a stack that is only pushed to and taken as a whole, so that it does not matter when
// an envelope comes back to it; Boost.Lockfree's stack, which can do more, has a second list of
// free nodes, and twice the locked instructions.
#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <vector>

#include "trainyard/network/switch.hpp"

#include "runtime/envelope.hpp"

namespace trainyard {

/// Threads: any number, each function at any time, except where said.
class SharedSwitch {
 public:
  /// `started` is called once for each message, when it is known when it arrives; by one thread at
  /// a time, whichever works the switch.
  SharedSwitch(const Network& network, int workers, int servers,
               std::function<void(const Transfer&)> started, std::span<const int> hosts = {})
      : switch_(network, workers, servers, hosts), started_(std::move(started)) {}

  /// Puts the message on the list, from which it is posted at `now`; or when the switch was worked
  /// last, if that is later. REQUIRES: it has been received since it was posted before.
  void post(Envelope& envelope, Time now);

  /// The present of a run that is hurried to its end: all has arrived.
  static constexpr Time hurried = Time::max() / 2;

  /// Lets happen what happens up to `present`, unless another thread is at it. `clock` is the
  /// present too, but where that is `hurried`: what is posted later counts from the clock. When to
  /// look again: not before something may happen; `clock`, thus soon, where another thread is at
  /// work.
  Time work(Time clock, Time present);

  /// work_for() for a rank that waits for a message that had not started before: not before it may
  /// have arrived.
  Time work_for(const Envelope& awaited, Time clock, Time present);

  const Links& links() const { return switch_.links(); }
  /// With all that was put on the list. REQUIRES: all threads have ended.
  Switch& at_end() {
    post_listed();
    return switch_;
  }

 private:
  class Turn;
  template <typename Next>
  Time work_until_none_is_listed(Time clock, Time present, const Next& next);
  void work_alone(Time clock, Time present);
  void post_listed();

  alignas(64) std::atomic<Envelope*> listed_{nullptr};  // the last one on top
  alignas(64) std::atomic<bool> taken_{false};
  // Only of the thread that has taken the switch.
  Switch switch_;
  std::function<void(const Transfer&)> started_;
  Time worked_at_{0};
  std::vector<Envelope*> batch_;
};

}  // namespace trainyard
