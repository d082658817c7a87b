// The all-to-all mean of encoded parts (coded_all_reduce.hpp) for workers that compute meanwhile:
// coded_all_to_all_mean() taken apart into what happens when a message arrives. Fragments of outer
// gradients travel so in 4 bits (Streaming DiLoCo, Douillard et al. 2025, §3.3).
//
//   ConcurrentCodedMean mean(worker.comm(), coder);
//   ListeningGradient gradients(worker);
//   mean.start(vector, error, own_error);
//   gradients.compute([&](Message& message) { mean.take(message); });
//   mean.settle();
//   mean.finish();
//
// A worker encodes all parts as it starts. As the owner of one it adds up what comes, in the order
// of the rounds and not of arrival, encodes the mean when the last part is there, and sends it to
// all. So the bits are those of coded_all_to_all_mean(), whatever arrives first; and the times,
// where finish() follows start() at once.
//
// What is coded while a gradient is computed is done at once, so that a mean leaves when its last
// part has come; its time is taken in settle(), when the gradient is there: a worker does one thing
// at a time, and its time is the sum.
//
// Threads: belongs to its rank.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trainyard/base/vector.hpp"
#include "trainyard/runtime/coder.hpp"
#include "trainyard/runtime/communicator.hpp"

namespace trainyard {

class ConcurrentCodedMean {
 public:
  /// `comm` and `coder` outlive it. REQUIRES: nothing else is received from workers while one is
  /// under way.
  ConcurrentCodedMean(Communicator& comm, Coder& coder);

  /// Begins `vector` ← C(u), as coded_all_to_all_mean() has it, with its `error` and `own_error`:
  /// all three are not to be touched until it is done. Every worker starts equally many, one after
  /// another, with equal lengths. Throws NotFinite.
  void start(Vector vector, Vector error, Vector own_error);

  /// A message that has arrived while this worker computes, of the one under way or of the next.
  /// Throws NotFinite.
  void take(Message& message);
  /// Takes the time of what was coded in take().
  void settle() { coder_.settle(); }

  bool is_under_way() const { return is_summing_ || answers_missing_ > 0; }
  /// Waits until it is done, where one is under way. Throws NotFinite.
  void finish();

 private:
  enum Tag : std::uint64_t { of_part, of_mean };

  void accept(Message& message);
  void add_up();
  void send_mean();
  void take_mean(const Message& message);

  Communicator& comm_;
  Coder& coder_;

  // Of the one under way.
  Vector vector_, own_, own_error_;
  bool is_summing_ = false;
  int next_ = 0;  // the round whose part is added next
  int answers_missing_ = 0;
  std::vector<bool> has_answered_;  // by worker

  std::vector<std::optional<Message>> parts_;  // of each worker, until it is added
};

}  // namespace trainyard
