#include "runtime/mpi/switch_process.hpp"

#include <algorithm>

namespace trainyard::mpi {

SwitchProcess::SwitchProcess(Connection& connection, Member& member, const RuntimeSetup& setup)
    : connection_(connection),
      member_(member),
      begun_(setup.begun),
      switch_(setup.network, setup.workers, setup.servers, setup.hosts) {}

void SwitchProcess::run() {
  try {
    start();
  } catch (const RunAborted&) {
    // A rank has failed before the start. The others end, and so does this.
  }
  for (std::uint64_t round = 0; !member_.is_to_report(); ++round) {
    member_.listen();
    if (hear()) round = 0;
    let_happen_until(member_.now());
    connection_.relax(round);
  }
}

/// The counterpart of the ranks' EmulatedRank::begin().
void SwitchProcess::start() {
  const auto wait = [this](FunctionRef<bool()> ready) { member_.wait_until(ready); };
  answer_clocks(connection_, wait);
  MPI_Request all_have_come = MPI_REQUEST_NULL;
  MPI_Ibarrier(connection_.start(), &all_have_come);
  wait([&] {
    int done = 0;
    MPI_Test(&all_have_come, &done, MPI_STATUS_IGNORE);
    return done != 0;
  });
  const std::int64_t began = began_ns(begun_);
  member_.start_clock(began);
  for (int rank = 0; rank < connection_.ranks(); ++rank) {
    connection_.pass(rank, Record::clock, std::as_bytes(std::span(&began, 1)));
  }
}

/// Whether anything was posted.
bool SwitchProcess::hear() {
  batch_.clear();
  while (const auto posted = hear_posted(connection_)) batch_.push_back(*posted);
  std::ranges::stable_sort(batch_, {}, &Posted::at);
  for (const Posted& posted : batch_) {
    let_happen_until(posted.at);
    Duration& moved = member_.emulation().longest_moved;
    moved = std::max(moved, worked_at_ - posted.at);
    worked_at_ = std::max(worked_at_, posted.at);
    switch_.post(posted.from, posted.to, posted.bytes, worked_at_);
  }
  return !batch_.empty();
}

void SwitchProcess::let_happen_until(Time present) {
  for (Time next = switch_.next_event(); next <= present; next = switch_.next_event()) {
    worked_at_ = std::max(worked_at_, next);
    switch_.advance(worked_at_, [this](const Transfer& transfer) { announce(transfer); });
  }
}

void SwitchProcess::announce(const Transfer& transfer) {
  tell_started(
      connection_, transfer.to,
      {.from = transfer.from, .lost = transfer.lost, .start = transfer.start, .end = transfer.end});
  if (transfer.end > transfer.start) ++member_.emulation().messages;
}

}  // namespace trainyard::mpi
