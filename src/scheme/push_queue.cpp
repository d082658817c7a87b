#include "scheme/push_queue.hpp"

#include <algorithm>

namespace trainyard {

HyperparameterInfo queue_info() {
  return {.name = "queue",
          .argument = "arrival|staleness",
          .help =
              "whose gradient a server takes next: whose came first, or, of those who are ready, "
              "the stalest",
          .choices = {"arrival", "staleness"}};
}

void await_turn(Communicator& comm, int shard, std::uint64_t version) {
  const int server = comm.server(shard);
  comm.send_control(server, version);
  (void)comm.receive(server);
}

std::optional<Message> PushQueue::next() {
  if (order_ == QueueOrder::arrival) return comm_.receive_any();
  if (!asked_) {
    const auto first = comm_.receive_any();
    if (!first) return std::nullopt;
    note(*first);
    ask();
  }
  Message push = comm_.receive(*asked_);
  asked_.reset();
  ask();
  return push;
}

/// Nobody pushes who is not asked to: what else comes says who is ready.
void PushQueue::note(const Message& message) {
  ready_.push_back({message.from(), message.tag()});
}

void PushQueue::ask() {
  while (const auto more = comm_.poll_any()) note(*more);
  const auto stalest = std::ranges::min_element(ready_, {}, &Ready::version);
  if (stalest == ready_.end()) return;
  asked_ = stalest->worker;
  ready_.erase(stalest);
  comm_.send_control(*asked_, 0);
}

}  // namespace trainyard
