#include "runtime/wall/shared_switch.hpp"

#include <algorithm>

namespace trainyard {

/// Has the switch for itself, if it was free.
class SharedSwitch::Turn {
 public:
  // seq_cst, here, in end() and in post(): who finds the switch taken has listed its message
  // before, and who gives the switch back looks at the list after.
  explicit Turn(SharedSwitch& of)
      : of_(of), has_(!of.taken_.exchange(true, std::memory_order_seq_cst)) {}
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    if (has_) of_.taken_.store(false, std::memory_order_seq_cst);
  }
  explicit operator bool() const { return has_; }

 private:
  SharedSwitch& of_;
  const bool has_;
};

void SharedSwitch::post(Envelope& envelope, Time now) {
  envelope.posted = now;
  // relaxed: the exchange below fails, and reads it again, where it has changed.
  envelope.listed_before = listed_.load(std::memory_order_relaxed);
  // seq_cst: see Turn.
  while (!listed_.compare_exchange_weak(envelope.listed_before, &envelope,
                                        std::memory_order_seq_cst, std::memory_order_relaxed)) {
  }
}

/// The result of `next()` in the last turn; `clock` where another thread is at work.
template <typename Next>
Time SharedSwitch::work_until_none_is_listed(Time clock, Time present, const Next& next) {
  Time again = clock;
  do {
    const Turn turn(*this);
    if (!turn) return clock;
    work_alone(clock, present);
    again = next();
  } while (listed_.load(std::memory_order_seq_cst) != nullptr);  // seq_cst: see Turn
  return again;
}

Time SharedSwitch::work(Time clock, Time present) {
  return work_until_none_is_listed(clock, present, [this] { return switch_.next_event(); });
}

Time SharedSwitch::work_for(const Envelope& awaited, Time clock, Time present) {
  return work_until_none_is_listed(clock, present, [&] {
    // relaxed: who works the switch writes it.
    const Time arrives = awaited.arrives.load(std::memory_order_relaxed);
    if (arrives != Envelope::not_started) return arrives;
    // If its ports are free and it has not started, another goes before it at the next event.
    return std::max(switch_.earliest_end(awaited.ticket), switch_.next_event());
  });
}

void SharedSwitch::work_alone(Time clock, Time present) {
  post_listed();
  switch_.advance(std::max(present, worked_at_), started_);
  // No message is posted before events that have happened, whichever of the two was read first.
  worked_at_ = std::max({worked_at_, clock, present == hurried ? clock : present});
}

/// In the order of their clocks' times, which is nearly that of the list.
void SharedSwitch::post_listed() {
  batch_.clear();
  // acquire: with what its sender has written into each.
  Envelope* last = listed_.exchange(nullptr, std::memory_order_acquire);
  for (; last != nullptr; last = last->listed_before) batch_.push_back(last);
  std::ranges::reverse(batch_);
  for (std::size_t i = 1; i < batch_.size(); ++i) {  // keeps the order of equals, allocates nothing
    for (std::size_t j = i; j > 0 && batch_[j]->posted < batch_[j - 1]->posted; --j) {
      std::swap(batch_[j], batch_[j - 1]);
    }
  }
  for (Envelope* envelope : batch_) {
    worked_at_ = std::max(worked_at_, envelope->posted);
    switch_.advance(worked_at_, started_);
    envelope->ticket =
        switch_.post(envelope->from, envelope->to, envelope->bytes_to_send, worked_at_, envelope);
  }
}

}  // namespace trainyard
