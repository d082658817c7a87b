// Push and pull by keys (Li et al., OSDI 2014, §3): a minibatch of sparse rows touches few of a
// linear model's features, so a worker's gradient has numbers there alone, and these are all that
// its next minibatch reads of the model: its working set. A key is a feature, and has a parameter
// for each output of the model.
//
//   void work(Worker& worker) {                    void serve(Server& server) {
//     WorkingSet keys(worker);                       WorkingSets keys(server, ModelRead::common);
//     while (worker.next_step()) {                   while (server.comm().await_message()) {
//       keys.push(worker.compute_gradient());          const auto gradient = server.zeroed_sum();
//       keys.pull();                                   keys.sum_pushes(gradient);
//     }                                                …
//   }                                                  keys.answer_all();
//
// It is a wire format and nothing else: what the server reads of a push has the bits of the vector
// that was pushed, and what a worker computes with has the bits of the server's shard. A worker
// looks at its next minibatches before their turn, and says with each push which keys it pulls.
// What a gradient has at other coordinates is the regulariser's, λ times what that worker read
// there, which the server knows and adds itself, as in Li et al.'s Algorithm 1. It holds all of its
// shard, and steps all of it: what momentum, Adagrad or Adam do to coordinates that nobody touched,
// they do. (The lazy forms that are published for these, (1 − γλ)^k when a coordinate is next
// touched, and μ^k for a velocity, save a server arithmetic; they send no other bytes.)
//
// On the wire, to each server: a header of 32 bits; the keys of the values, 32 bits each, unless
// they are those that were pulled last, which the server remembers (key caching, §5.1); the values;
// and the keys that are to be pulled. Back come their values. So a worker whose minibatch touches q
// of a shard's d' parameters, one for a key, sends 4 + 4 (q + q') bytes and receives 4 q', q' being
// those of the next one; the first push lists its own q as well. Where that is not shorter than
// 4 d' bytes, the vector goes whole: 2 q' < d' decides for a pull and what is pushed of it. Where
// both ways go whole, and in runs without keys (RunContext::key_width), messages are those of
// push() and pull().
//
// Threads: each belongs to its rank. As of parameter_server.hpp otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trainyard/base/aligned_buffer.hpp"
#include "trainyard/base/function_ref.hpp"
#include "trainyard/base/vector.hpp"
#include "trainyard/collective/upcoming_keys.hpp"
#include "trainyard/data/touched.hpp"
#include "trainyard/runtime/message.hpp"
#include "trainyard/runtime/server.hpp"
#include "trainyard/runtime/worker.hpp"

namespace trainyard {

/// A server's part of the parameters, and how many of them a key has.
struct KeyedShard {
  std::size_t first = 0, count = 0, width = 1;

  /// The part of the keys, which are in increasing order, that have parameters in this shard.
  std::span<const std::uint32_t> own(std::span<const std::uint32_t> keys) const;
  /// How many they have. REQUIRES: they are its own.
  std::size_t numbers(std::span<const std::uint32_t> own) const;
};

/// A worker's end.
class WorkingSet {
 public:
  /// Each pull is for this many minibatches. With more than 256 the model goes whole.
  explicit WorkingSet(Worker& worker, std::uint64_t minibatches = 1);

  /// Sends each server its part of `vector`, as push() does, at the keys of the minibatches since
  /// the last push, and asks for the keys of the next ones. REQUIRES: a pull() follows; elsewhere
  /// `vector` is what WorkingSets::gradient(), or model(), takes it to be.
  void push(ConstVector vector, std::span<const std::uint64_t> tags = {});
  /// push() to one server after the other, in their order, when `await_turn` of its shard returns.
  void push_in_turn(ConstVector vector, std::span<const std::uint64_t> tags,
                    FunctionRef<void(int)> await_turn);
  /// push() where no pull() follows.
  void push_alone(ConstVector vector, std::span<const std::uint64_t> tags = {});
  /// Only asks; what was computed since the last push goes with the next one. REQUIRES: a pull()
  /// follows.
  void push_nothing(std::span<const std::uint64_t> tags = {});
  /// Drops what was computed since the last push.
  void drop();
  /// Waits for what was asked for of the replica. As pull().
  void pull(std::span<std::uint64_t> versions = {});

 private:
  struct OfServer {
    KeyedShard shard;
    Features asked;     // the keys that were asked for last,
    bool whole = true;  // or all of the shard
  };

  void send(ConstVector vector, std::span<const std::uint64_t> tags, bool pull_follows,
            const FunctionRef<void(int)>* await_turn = nullptr);
  void send_to(std::size_t k, ConstVector part, std::uint64_t tag, const Features& taken,
               const Features* next);

  Worker& worker_;
  std::size_t width_ = 0;    // 0: all goes whole
  std::size_t horizon_ = 1;  // minibatches
  std::optional<UpcomingKeys> keys_;
  std::vector<OfServer> servers_;
  std::vector<std::byte> wire_;
};

/// At what model a worker computed that pushes now.
enum class ModelRead {
  common,  // at the shard as it is: it has not changed since all who push have read it
  each,    // each at what it pulled last, of which the server keeps a copy if there is a λ
};

/// A server's end.
class WorkingSets {
 public:
  WorkingSets(Server& server, ModelRead read);

  /// Takes note of what comes and is asked for. Once for each push, when it comes.
  void hear(const Message& push);
  /// The gradient that was pushed, valid until the next call. REQUIRES: it was the last that was
  /// heard of that worker.
  ConstVector gradient(const Message& push);
  /// The model that was pushed by a worker that took steps [first, first + count) of its own, plain
  /// SGD's, from the shard as it is.
  ConstVector model(const Message& push, std::uint64_t first, std::uint64_t count);
  /// Both in one.
  ConstVector heard_gradient(const Message& push) {
    hear(push);
    return gradient(push);
  }
  /// sum ← sum + gradient(push).
  void add_gradient(const Message& push, Vector sum);
  /// sum_pushes() of collective/parameter_server.hpp.
  void sum_pushes(Vector sum);

  /// Sends the worker what it asked for of the shard.
  void answer(int worker, std::uint64_t tag = 0);
  /// answer_all() of collective/parameter_server.hpp.
  void answer_all();
  /// With ModelRead::each: the worker has moved what it pulled by its own gradient.
  void worker_stepped(int worker, ConstVector gradient, std::uint64_t step);

 private:
  /// The server's knowledge of a worker.
  struct Client {
    Features asked;  // the keys that it asked for last,
    bool whole = true;
    Features pushed;            // the keys of its last push,
    bool whole_values = true;   // or all of the shard,
    std::size_t values_at = 0;  // and where in the message its values are
  };

  Client& client(int worker) { return clients_[static_cast<std::size_t>(worker)]; }
  bool keeps_copies() const { return !copies_.empty(); }
  ConstVector read_by(int worker);
  ConstVector over(Vector base, const Message& push);

  Server& server_;
  KeyedShard shard_;  // of width 0: all goes whole
  std::vector<Client> clients_;
  std::vector<Vector> copies_;  // of the shard, as each worker has it
  VectorBuffer decoded_, decay_;
  std::vector<std::byte> wire_;
};

}  // namespace trainyard
