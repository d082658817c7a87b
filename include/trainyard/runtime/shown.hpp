// What workers show one another where they share memory: each reads the others' vectors where they
// lie, and nobody sends. A message between two threads is a line that both write and a wait for
// each; with n workers that read from all others these are 2n(n−1), and a vector that is shown has
// one line for all, which its owner writes and the others wait for.
//
//   Shown shown(comm);
//   shown.show(vector, Shown::in_place, [&](int) { return vector.size(); });
//   for (other workers w) kernels::add(shown.by(w), sum);
//
// Workers show in step: by(w) is what worker w has shown in its call with the number of this one's
// last. Between two calls of show() a worker reads what each of the others has shown, and all show
// in place, or all a copy. What is shown counts as messages: to each other worker one of so many
// numbers as it says it reads.
//
// What is shown in place must not change until all have read it, and may again when this has been
// destroyed, which waits for that. Of a part that only worker w reads that is as soon as w has
// shown once more. A copy may change at once, and nobody is waited for.
//
// Threads: each worker has its own, on its own thread. Calls that wait end as those of the
// communicator do.
#pragma once

#include <cstddef>
#include <exception>

#include "trainyard/runtime/communicator.hpp"

namespace trainyard {

class Shown {
 public:
  enum class Way : bool { in_place, copy };
  using enum Way;

  /// Bytes that a copy has at most: beyond, the wait of those who show in place is the shorter one.
  static constexpr std::size_t most_copied = 8192;

  /// REQUIRES: comm.shows(). `comm` outlives it.
  explicit Shown(Communicator& comm) : comm_(comm), exceptions_(std::uncaught_exceptions()) {}
  Shown(const Shown&) = delete;
  Shown& operator=(const Shown&) = delete;
  ~Shown() { comm_.hide(std::uncaught_exceptions() > exceptions_); }

  void show(ConstVector vector, Way way, NumbersFor numbers_for) {
    comm_.show(vector, way == Way::copy, numbers_for);
  }
  /// These numbers of what worker `worker` shows; waits until it does.
  ConstVector by(int worker, std::size_t first, std::size_t count) {
    return comm_.shown_by(worker, first, count);
  }

 private:
  Communicator& comm_;
  int exceptions_;  // under way when it was made
};

}  // namespace trainyard
