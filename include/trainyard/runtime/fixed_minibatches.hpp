// The same minibatches in every pass: for rules that remember something of each of them. Worker::
// compute_gradient() takes rows as they come, and who meets whom in a minibatch changes from pass
// to pass.
//
//   FixedMinibatches minibatches(worker);
//   const Vector table = worker.keep("table", minibatches.count() * worker.replica().size());
//   while (worker.next_step()) {
//     const std::size_t number = worker.random().below(minibatches.count());
//     const Vector gradient = minibatches.compute_gradient(number);
//   }
//
// The program says which one is next: --order and --replacement have no part in it. What divides
// the rows is the order in which a share is laid out, at random unless --order file says otherwise.
//
// Threads: belongs to its worker's rank.
#pragma once

#include <cstddef>

#include "trainyard/base/vector.hpp"
#include "trainyard/data/batch.hpp"

namespace trainyard {

class Worker;

class FixedMinibatches {
 public:
  /// `worker` outlives it. Throws OptionError where all rows are dealt anew in each pass: then none
  /// is its worker's.
  explicit FixedMinibatches(Worker& worker);

  /// How many there are: of --batch rows, but for the last one, of those that are left.
  std::size_t count() const { return count_; }
  /// The rows of that one among all of the worker's, > 0; these add up to 1.
  double part(std::size_t number) const;

  /// Worker::compute_gradient() over that minibatch in the place of the next one. Valid, and the
  /// caller's to change, until the worker's next gradient. Throws UsageError where the worker's
  /// replica is not the whole model. REQUIRES: number < count().
  Vector compute_gradient(std::size_t number);

 private:
  std::size_t rows_of(std::size_t number) const;

  Worker& worker_;
  const std::size_t rows_, count_;
  RowRange range_;  // the last one
};

}  // namespace trainyard
