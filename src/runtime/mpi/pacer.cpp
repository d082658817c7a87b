#include "runtime/mpi/pacer.hpp"

#include <algorithm>

#include "trainyard/base/error.hpp"

#include "runtime/mpi/coordinator.hpp"

namespace trainyard::mpi {

namespace {

/// nullptr where not all workers share it.
const SharedWindow* window_of_workers(const Connection& connection, int workers) {
  for (int worker = 0; worker < workers; ++worker) {
    if (!connection.hosts().share_memory(worker, connection.rank())) return nullptr;
  }
  return connection.window();
}

}  // namespace

ProcessPacer::ProcessPacer(const Connection& connection, Member& member, const StepRule& rule)
    : shared_(window_of_workers(connection, rule.workers)),
      member_(member),
      rule_(rule),
      done_before_(member.counts().done) {}

bool ProcessPacer::next_step(Rank& rank, std::uint64_t done) {
  member_.attend();
  count_done(done);
  if (rule_.pace == Pace::free && done > done_before_) {
    // A step of a team is a minibatch of each; of the run's last one there may be fewer left.
    left_ -= std::min(left_, static_cast<std::uint64_t>(rule_.team));
    if (left_ == 0) member_.tell(Word::lot_done, lot_.count);
  }
  StepCounts counts{.done = done};
  // What the leg began with was looked at when another ended.
  counts.looked = rule_.pace == Pace::lockstep && done > 0 && done == done_before_;
  while (true) {
    switch (ask(rank, counts)) {
      case Verdict::go_on:
        member_.counts().begun = done + 1;
        return true;
      case Verdict::stop:
        return false;
      case Verdict::claim:
        if (!claim_lot()) return false;
        member_.counts().begun = done + 1;
        return true;
      case Verdict::look:
        member_.tell(Word::came_to_look, done);
        member_.await_word([&] { return member_.agreed().looked_at >= done; });
        counts.looked = true;
        break;
      case Verdict::wind_up:
        member_.tell(Word::winds_up);
        member_.await_word([&] { return member_.agreed().ending != 0; });
        break;
      case Verdict::meet:
        member_.tell(Word::meets);
        member_.await_word(
            [&] { return member_.agreed().meeting != 0 || member_.agreed().ending != 0; });
        break;
      case Verdict::refuse:
        refuse_standing_clock(rule_.limits.steps_of_instant, rank.now());
    }
  }
}

void ProcessPacer::follow(int, std::uint64_t done, bool goes_on) {
  member_.attend();
  count_done(done);
  if (goes_on) member_.counts().begun = done + 1;
}

void ProcessPacer::count_done(std::uint64_t done) {
  member_.counts().done = done;
  if (shared_ != nullptr) shared_->count_steps(done);
}

Verdict ProcessPacer::ask(Rank& rank, StepCounts& counts) {
  counts.interrupted = member_.is_interrupted();
  counts.ending = member_.agreed().ending != 0;
  counts.meeting = member_.agreed().meeting != 0;
  counts.any_begun = rule_.pace != Pace::free || left_ > 0 || counts.done > done_before_;
  counts.lot_left = left_;
  counts.last_step = last_step();
  counts.closed = member_.is_over() ? last_step() : 0;
  if (!rule_.watches_clock()) return rule_.next(counts, Time{0});
  const Time now = rank.now();
  if (now != instant_) {
    instant_ = now;
    first_of_instant_ = counts.done;
  }
  counts.of_instant = counts.done - first_of_instant_;
  return rule_.next(counts, now);
}

/// The next lot is asked for when this one begins: the coordinator, which may be computing, answers
/// in its next verb. False when there are none left.
bool ProcessPacer::claim_lot() {
  if (!lot_is_asked_for_) member_.tell(Word::wants_lot);
  member_.await_word([&] { return member_.has_lot(); });
  lot_ = *member_.take_lot();
  left_ = lot_.count;
  lot_is_asked_for_ = left_ > 0;
  if (lot_is_asked_for_) member_.tell(Word::wants_lot);
  return left_ > 0;
}

void ProcessPacer::close_step(Rank&, std::uint64_t minibatches) {
  Standing& own = member_.counts();
  own.minibatches += minibatches;
  const std::uint64_t steps = ++own.closed;
  member_.tell(Word::closed, steps, own.minibatches);
  if (rule_.last_look(steps) != steps) return;
  member_.await_word([&] { return member_.agreed().looked_at >= steps; });
}

/// While the run goes on, processes know of others only what lies in memory that they share.
std::uint64_t ProcessPacer::worker_steps_done() const {
  if (shared_ != nullptr) return shared_->steps_of_all();
  const Coordinator* coordinator = member_.coordinator();
  return coordinator != nullptr ? coordinator->worker_steps_done() : member_.counts().done;
}

Snapshot ProcessPacer::final_snapshot(const RuntimeReport& report) {
  require(member_.coordinator() != nullptr, "the leading process has what comes of a run");
  return member_.coordinator()->final_snapshot(report.elapsed);
}

}  // namespace trainyard::mpi
