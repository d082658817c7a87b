// Gradients during whose computation the worker takes the messages that arrive. Each is taken at
// the replica as it is when it begins, so that messages may change the replica meanwhile.
//
//   ListeningGradient gradients(worker);
//   while (worker.next_step()) {
//     worker.apply(gradients.compute([&](const Message& message) { average.serve(message); }));
//   }
//
// A newer model may also end the computation, whose result nobody waits for any more:
//
//   const auto gradient = gradients.compute_unless([&](const Message& model) { take(model); });
//   if (!gradient) continue;
//
// Threads: belongs to its worker's rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "trainyard/base/function_ref.hpp"
#include "trainyard/base/vector.hpp"
#include "trainyard/data/batch.hpp"
#include "trainyard/runtime/message.hpp"
#include "trainyard/runtime/rank.hpp"

namespace trainyard {

class Worker;

/// All functions throw UsageError where the worker's replica is not the whole model. What they
/// return is valid, and the caller's to change, until the worker's next gradient.
class ListeningGradient {
 public:
  /// `worker` outlives it.
  explicit ListeningGradient(Worker& worker) : worker_(worker) {}

  /// Worker::compute_gradient(), while `serve` takes the messages that arrive, and may keep them.
  Vector compute(FunctionRef<void(Message&)> serve);

  // Until a message arrives, which `take` is given. Then they return nothing, and what has been
  // computed is lost.

  /// Over the next minibatch.
  std::optional<Vector> compute_unless(FunctionRef<void(const Message&)> take);
  /// Over minibatch `number`, from 0, of one of the worker's shares alone, which Minibatches has
  /// under that index. A share's numbers go up; those left out are skipped.
  std::optional<Vector> compute_share_unless(std::size_t share, std::uint64_t number,
                                             FunctionRef<void(const Message&)> take);
  /// Over portion `number` of all training rows (Server::portions()), which any worker may take: it
  /// is read where it lies. Takes as long as a minibatch, unweighed.
  std::optional<Vector> compute_portion_unless(std::size_t number,
                                               FunctionRef<void(const Message&)> take);

 private:
  bool compute_serving(Batch batch, const ComputeCost& cost, double weight,
                       FunctionRef<bool(Message&)> serve);
  std::optional<Vector> compute_unless(Batch batch, const ComputeCost& cost, double weight,
                                       FunctionRef<void(const Message&)> take);
  void check_portion(std::size_t number);

  Worker& worker_;
  VectorBuffer read_at_;                // the replica as it was when the gradient began
  RowRange portion_;                    // the last one
  std::vector<bool> checked_portions_;  // of data with an unchecked_file
};

}  // namespace trainyard
