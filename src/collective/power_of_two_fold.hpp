// Extends power-of-two schedules to other numbers of workers.
#pragma once

#include <bit>
#include <span>

#include "trainyard/model/kernels.hpp"
#include "trainyard/runtime/communicator.hpp"

namespace trainyard {

/// If there are n = 2^q + r workers, the last r fold: worker 2^q + i hands its vector to worker i,
/// sits out, and gets the result in the end. That takes two messages, 2(α + t) (catalogue §3).
///
/// All wait for the folding, with a barrier, which is free. Those who have nobody to wait for would
/// else run ahead, and since the switch serves what was posted first, their messages of later
/// rounds would overtake others' of earlier ones: for n = 5, 9, 10, 11 and 17 Rabenseifner's then
/// takes 7 to 14 % longer.
class PowerOfTwoFold {
 public:
  explicit PowerOfTwoFold(Communicator& comm)
      : comm_(comm),
        active_(static_cast<int>(std::bit_floor(static_cast<unsigned>(comm.workers())))),
        other_(comm.rank() < active_ ? comm.rank() + active_ : comm.rank() - active_) {}

  /// Number of workers that do the work, a power of two: ranks 0 .. active − 1.
  int active() const { return active_; }
  bool sits_out() const { return comm_.rank() >= active_; }

  /// The result that overwrites what was lent has that in it.
  void in(Vector vector, Loans& loans) {
    if (active_ == comm_.workers()) return;
    if (sits_out()) {
      loans.send(other_, vector);
    } else if (other_ < comm_.workers()) {
      comm_.receive_add(other_, vector);
    }
    comm_.barrier();
  }
  void out(Vector vector, Loans& loans) {
    if (sits_out()) {
      comm_.receive_into(other_, vector);
    } else if (other_ < comm_.workers()) {
      loans.send(other_, vector);
    }
  }

 private:
  Communicator& comm_;
  int active_;
  int other_;  // who folds into this worker, or into whom it folds
};

}  // namespace trainyard
