// A discrete-event simulation in which the actors are ordinary functions.
//
// Every rank runs its program on a fiber until it has to wait: for a message, for the end of a
// computation, for the others. Then it yields, and the scheduler moves the clock to the next event
// and resumes whoever it concerns. There is no state machine anywhere: the state of a rank is its
// stack.
//
// The real arithmetic of compute() is done meanwhile as an oneTBB task, because its simulated
// duration is known beforehand: the scheduler runs other ranks, and waits for the task only at the
// simulated moment at which its result is needed. So n gradients of the same simulated moment use
// all cores, and yet the outcome cannot depend on how many cores there are.
//
// The alternative not taken is a thread for each rank with a global lock handed around: the same
// semantics at about 5 µs a switch instead of some tens of ns, and 1024 threads for 1024 ranks.
#include "runtime/virtual/world.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/network/barrier.hpp"
#include "trainyard/runtime/trace.hpp"

#include "runtime/accounting.hpp"

namespace trainyard {

VirtualWorld::VirtualWorld(const RuntimeSetup& setup, const std::function<void(Rank&)>& program)
    : setup_(setup),
      switch_(setup.network, setup.workers, setup.servers, setup.hosts),
      stacks_(static_cast<std::size_t>(setup.workers + setup.servers)),
      ready_(static_cast<std::size_t>(setup.workers + setup.servers)),
      barrier_arrivals_(static_cast<std::size_t>(setup.workers)),
      perfect_(setup.network.perfect()),
      now_(setup.begun.at),
      ends_at_(setup.ends_at),
      live_(setup.workers + setup.servers),
      live_workers_(setup.workers) {
  if (setup.recorder != nullptr) {
    setup.recorder->begin(setup.workers, setup.servers, setup.network.ports);
  }
  for (int r = 0; r < live_; ++r) {
    ranks_.push_back(std::make_unique<VirtualRank>(*this, r, program));
    if (!setup.begun.accounts.empty()) {
      ranks_.back()->account_ = setup.begun.accounts[static_cast<std::size_t>(r)];
    }
  }
}

RuntimeReport VirtualWorld::run() {
  for (std::size_t r = 0; r < ranks_.size(); ++r) wake(now_, static_cast<int>(r));
  try {
    while (live_ > 0 && !is_over()) {
      if (ready_.empty()) {
        go_on_in_time();
      } else {
        resume(ready_.take_lowest());
      }
    }
    if (live_ > 0) abort();
  } catch (...) {
    failure_ = std::current_exception();
    abort();
  }
  if (failure_) std::rethrow_exception(failure_);

  std::vector<Time> ended;
  for (const auto& rank : ranks_) ended.push_back(rank->ended_);
  if (setup_.recorder != nullptr) finish_recording(*setup_.recorder, switch_, ended);
  RuntimeReport report = closed_report(accounts(), ended);
  report.tries_lost = switch_.links().tries_lost();
  report.stuck = stuck_;
  return report;
}

std::vector<RankAccount> VirtualWorld::accounts() const {
  std::vector<RankAccount> all;
  for (const auto& rank : ranks_) all.push_back(rank->account_);
  return all;
}

/// A message of a perfect network, which takes no time.
void VirtualWorld::record_at_once(const Envelope& envelope) {
  setup_.recorder->message({.id = sent_at_once_++,
                            .from = envelope.from,
                            .to = envelope.to,
                            .bytes = envelope.size,
                            .posted = now_,
                            .start = now_,
                            .first_bit = now_,
                            .end = now_});
}

/// No rank can do anything in this moment any more. A message of this moment, or one that arrives
/// at the moment at which a rank wakes, goes first.
void VirtualWorld::go_on_in_time() {
  const Time network = std::min(switch_.next_event(), deliveries_.next());
  const Time rank = wakes_.empty() ? Time::max() : wakes_.front().at;
  if (network == Time::max() && rank == Time::max()) {
    if (release_servers()) return;
    stuck_ = who_waits_for_whom();
    if (!setup_.may_get_stuck) throw InternalError("deadlock in the simulated run: " + stuck_);
    ends_at_ = now_;
    return;
  }
  set_clock(std::min({network, rank, ends_at_}));
  if (network == now_ && !is_over()) advance_network(network);
}

/// Ranks that wake at that moment become ready.
void VirtualWorld::set_clock(Time at) {
  now_ = at;
  while (!wakes_.empty() && wakes_.front().at == at) {
    std::pop_heap(wakes_.begin(), wakes_.end(), wakes_later);
    ready_.add(wakes_.back().rank);
    wakes_.pop_back();
  }
}

/// Lets that rank run, and all that it leaves for, until none is ready.
void VirtualWorld::resume(int index) {
  running_ = &rank_at(index);
  if (running_->has_work_to_finish()) running_->finish_work();
  home_.go_to(running_->fiber_);
  while (inspection_ != nullptr) {
    (*std::exchange(inspection_, nullptr))();
    if (is_over()) return;
    home_.go_to(running_->fiber_);
  }
  if (!running_->fiber_.finished()) return;
  running_->ended_ = now_;
  --live_;
  if (running_->rank() < setup_.workers) --live_workers_;
  if (running_->fiber_.failure()) std::rethrow_exception(running_->fiber_.failure());
}

[[gnu::flatten]] void VirtualWorld::advance_network(Time at) {
  switch_.advance(at, [this](const Transfer& transfer) {
    auto* envelope = static_cast<Envelope*>(transfer.cookie);
    envelope->start = transfer.start;
    envelope->lost = transfer.lost;
    if (setup_.recorder != nullptr) setup_.recorder->message(transfer);
    deliver_at(transfer.end, envelope);
  });
  deliveries_.take_until(at, [this](Envelope* envelope) { deliver(envelope); });
}

/// A rank that waits for a message of that sender has none of it in its mailbox, and gets it by
/// hand.
void VirtualWorld::deliver(Envelope* envelope) {
  VirtualRank& rank = rank_at(envelope->to);
  const bool by_hand = rank.waits_for_ == envelope->from;
  if (by_hand) {
    rank.handed_over_ = envelope;
  } else {
    rank.arrived_.add(envelope, ranks_.size());
  }
  if (by_hand || rank.waits_for_ == VirtualRank::anybody) {
    rank.waits_for_ = VirtualRank::nobody;
    wake(now_, envelope->to);
  }
}

/// Nothing can happen any more: those who wait for anyone are told so.
bool VirtualWorld::release_servers() {
  if (live_workers_ > 0) return false;
  bool released = false;
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    if (ranks_[r]->waits_for_ != VirtualRank::anybody) continue;
    ranks_[r]->waits_for_ = VirtualRank::nobody;
    wake(now_, static_cast<int>(r));
    released = true;
  }
  return released;
}

/// It goes on now instead of when it was to be woken.
void VirtualWorld::forget_wake(int rank) {
  std::erase_if(wakes_, [rank](const Wake& wake) { return wake.rank == rank; });
  std::ranges::make_heap(wakes_, wakes_later);
}

void VirtualWorld::give_back(Delivery* delivery) {
  auto* envelope = static_cast<Envelope*>(delivery);
  envelope->next = std::exchange(free_, envelope);
}

/// Counts ranks in; the last one wakes them all, itself too, so that they go on in rank order.
void VirtualWorld::meet(std::vector<int>& present, int expected, int rank) {
  present.push_back(rank);
  if (static_cast<int>(present.size()) < expected) return;
  for (const int each : present) wake(now_, each);
  present.clear();
}

/// meet() for the workers; if control traffic is charged, each goes on when it has been told.
void VirtualWorld::meet_at_barrier(int rank) {
  if (!setup_.network.charge_control) {
    meet(at_barrier_, setup_.workers - setup_.absent, rank);
    return;
  }
  barrier_arrivals_[static_cast<std::size_t>(rank)] = now_;
  at_barrier_.push_back(rank);
  if (static_cast<int>(at_barrier_.size()) < setup_.workers) return;
  const std::vector<Time> leaves = dissemination_barrier(switch_.links(), barrier_arrivals_);
  for (const int each : at_barrier_) wake(leaves[static_cast<std::size_t>(each)], each);
  at_barrier_.clear();
}

/// Unwinds every rank that has not ended, so that what their stacks hold is destroyed.
void VirtualWorld::abort() {
  aborted_ = true;
  for (const auto& rank : ranks_) {
    try {
      rank->task_.finish();
    } catch (...) {
      continue;  // the first failure is the one to report
    }
  }
  for (const auto& rank : ranks_) {
    if (rank->fiber_.finished()) continue;
    rank->ended_ = now_;
    while (!rank->fiber_.finished()) home_.go_to(rank->fiber_);
  }
}

std::string VirtualWorld::who_waits_for_whom() const {
  std::string text;
  for (const auto& rank : ranks_) {
    if (rank->fiber_.finished()) continue;
    const std::string sender = rank->waits_for_ == VirtualRank::nobody ? ""
                               : rank->waits_for_ == VirtualRank::anybody
                                   ? " from anyone"
                                   : fmt::format(" from rank {}", rank->waits_for_);
    text += fmt::format("{}rank {} waits for {}{}", text.empty() ? "" : "; ", rank->rank(),
                        rank->blocked_on_, sender);
  }
  return text;
}

RuntimeReport run_virtual(const RuntimeSetup& setup, const std::function<void(Rank&)>& program) {
  return VirtualWorld(setup, program).run();
}

}  // namespace trainyard
