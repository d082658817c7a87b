// What a pacer has counted of its leg.
#include <algorithm>
#include <limits>

#include "trainyard/runtime/pacer.hpp"

namespace trainyard {

/// By all servers.
std::uint64_t Pacer::steps_closed() const {
  std::uint64_t steps = std::numeric_limits<std::uint64_t>::max();
  for (const Closed& closed : closed_) {
    // relaxed: a worker that has the last step's model knows from the message.
    steps = std::min(steps, closed.steps.load(std::memory_order_relaxed));
  }
  return steps;
}

std::uint64_t Pacer::steps_closed_by_any() const {
  std::uint64_t closed = 0;
  // relaxed: nobody writes while all stand still.
  for (const Closed& server : closed_) {
    closed = std::max(closed, server.steps.load(std::memory_order_relaxed));
  }
  return closed;
}

std::uint64_t Pacer::worker_steps_done() const {
  // relaxed: counts, which others go on writing. Free workers in lots of one count each step
  // together as well, which saves 10,000 of them 10,000 lines at each step of each.
  if (rule_.pace == Pace::free && rule_.lot == 1) {
    return completed_.load(std::memory_order_relaxed);
  }
  std::uint64_t sum = 0;
  // Of a team the first one counts for all: the others may hear later that they are through.
  for (std::size_t w = 0; w < progress_.size(); w += static_cast<std::size_t>(rule_.team)) {
    sum += progress_[w].done.load(std::memory_order_relaxed) - steps_sat_out(progress_[w]);
  }
  return sum * static_cast<std::uint64_t>(rule_.team) + others_;
}

std::uint64_t Pacer::steps_of_all() const {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  // relaxed, here and below: nobody writes any more.
  for (const Progress& own : progress_) {
    least = std::min(least, own.done.load(std::memory_order_relaxed));
  }
  return least;
}

std::uint64_t Pacer::steps_of_any() const {
  std::uint64_t most = 0;
  for (const Progress& own : progress_) {
    most = std::max(most, own.begun.load(std::memory_order_relaxed));
  }
  return most;
}

bool Pacer::has_more_legs() const {
  // relaxed: nobody writes any more.
  if (!meeting_.load(std::memory_order_relaxed)) return false;
  switch (rule_.pace) {
    case Pace::lockstep:
      return steps_of_all() < rule_.limits.steps;
    case Pace::free:
      return worker_steps_done() < rule_.minibatches();
    case Pace::server:
      return steps_closed() < rule_.limits.steps;
  }
  return false;
}

/// REQUIRES: all ranks stand still, or have ended.
void Pacer::count_done(Snapshot& snapshot) const {
  // relaxed: nobody writes meanwhile.
  if (rule_.pace != Pace::server) {
    snapshot.minibatches = worker_steps_done();
    std::uint64_t steps = snapshot.minibatches - others_;  // and those that were sat out
    for (const Progress& progress : progress_) {
      steps += steps_sat_out(progress);
    }
    snapshot.steps = static_cast<double>(steps) / rule_.workers;
    return;
  }
  snapshot.steps = static_cast<double>(steps_closed());
  snapshot.minibatches = std::numeric_limits<std::uint64_t>::max();
  for (const Closed& closed : closed_) {
    snapshot.minibatches =
        std::min(snapshot.minibatches, closed.minibatches.load(std::memory_order_relaxed));
  }
}

}  // namespace trainyard
