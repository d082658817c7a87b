// The messages that have arrived at a rank and wait to be taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/envelope.hpp"

namespace trainyard {

/// Messages in the order of arrival, to be taken oldest first, of all or of one sender. A server
/// takes its workers' messages in the order of their ranks, and they come in another one: looked
/// for in a list, each of 10,000 passes thousands of others. So where many wait, a sender's are
/// found by its number; where few do, as in most schemes, a list is looked through.
class Mailbox {
 public:
  /// nullptr where none waits.
  const Envelope* oldest() const { return first_; }

  /// From one of so many ranks.
  void add(Envelope* envelope, std::size_t ranks) {
    envelope->next = nullptr;
    envelope->listed_before = last_;
    (last_ == nullptr ? first_ : last_->next) = envelope;
    last_ = envelope;
    ++waiting_;
    if (indexed_) {
      note(envelope);
    } else if (waiting_ > most_looked_through) {
      senders_.resize(ranks);
      indexed_ = true;
      for (Envelope* each = first_; each != nullptr; each = each->next) note(each);
    }
  }

  /// nullptr where none waits.
  Envelope* take_oldest() { return first_ == nullptr ? nullptr : unlink(first_); }
  Envelope* take_oldest_from(int sender) {
    Envelope* found = indexed_ ? of(sender).oldest : first_;
    while (found != nullptr && found->from != sender) found = found->next;
    return found == nullptr ? nullptr : unlink(found);
  }

 private:
  static constexpr std::uint32_t most_looked_through = 64;

  struct OfSender {
    Envelope* oldest = nullptr;
    Envelope* latest = nullptr;
  };
  OfSender& of(int sender) { return senders_[static_cast<std::size_t>(sender)]; }

  void note(Envelope* envelope) {
    OfSender& sender = of(envelope->from);
    envelope->next_of_sender = nullptr;
    (sender.oldest == nullptr ? sender.oldest : sender.latest->next_of_sender) = envelope;
    sender.latest = envelope;
  }

  /// It is the oldest of its sender.
  Envelope* unlink(Envelope* envelope) {
    Envelope* const before = envelope->listed_before;
    (before == nullptr ? first_ : before->next) = envelope->next;
    (envelope->next == nullptr ? last_ : envelope->next->listed_before) = before;
    if (indexed_) of(envelope->from).oldest = envelope->next_of_sender;
    if (--waiting_ == 0) indexed_ = false;
    return envelope;
  }

  Envelope* first_ = nullptr;
  Envelope* last_ = nullptr;
  std::uint32_t waiting_ = 0;  // beside the next: a rank's place in the cache is tight
  bool indexed_ = false;
  std::vector<OfSender> senders_;  // kept from one time to the next
};

}  // namespace trainyard
