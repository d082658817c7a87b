// In which order an asynchronous server takes gradients that are ready at the same time (--queue).
//
// arrival    workers push as soon as they have computed, and the network decides: whose message was
//            posted first has the server's port first
// staleness  reactive: workers say that they are ready, in a message without bytes, and push when
//            they are asked. When a push is in, before it answers, the server asks whoever's
//            gradient is stalest, the one of the oldest version; of those alike who was ready first
//            (Thoai Nam's "staleness priority"; catalogue §2.3). Where nobody is ready then, who
//            comes first is asked, behind the answer if that is still on its way
//
// A slow worker then waits less behind fast ones that read the model after it, and the largest
// staleness falls, while the mean stays n − 1 whatever the order. Where the server's port is always
// busy it takes as many gradients as before; where it is not, a worker may wait for an answer that
// goes out. All workers alike are served in one order, whatever the queue's.
//
// With k servers a worker is at one of them after the other, in their order: or two workers might
// wait for each other at two servers.
//
// Threads: each belongs to its rank.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

enum class QueueOrder { arrival, staleness };  // in the order of the words

HyperparameterInfo queue_info();

/// Worker: says to the server of that shard that a gradient of that version is ready, and waits
/// until it is wanted. With --queue staleness.
void await_turn(Communicator& comm, int shard, std::uint64_t version);

/// Server: the gradients that come, in their order.
class PushQueue {
 public:
  explicit PushQueue(Server& server)
      : comm_(server.comm()),
        order_(static_cast<QueueOrder>(static_cast<int>(server.hyperparameter("queue")))) {}

  /// The next message, as Communicator::receive_any() returns it.
  std::optional<Message> next();

 private:
  struct Ready {
    int worker = 0;
    std::uint64_t version = 0;  // that its gradient was taken at
  };
  void note(const Message& message);
  void ask();

  Communicator& comm_;
  const QueueOrder order_;
  std::vector<Ready> ready_;  // first come, first
  std::optional<int> asked_;  // who pushes now
};

}  // namespace trainyard
