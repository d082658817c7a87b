#include "runtime/mpi/emulated_rank.hpp"

#include <algorithm>
#include <utility>

#include "trainyard/base/error.hpp"
#include "trainyard/network/barrier.hpp"

#include "runtime/accounting.hpp"

namespace trainyard::mpi {

EmulatedRank::EmulatedRank(Connection& connection, Member& member, Mail& mail,
                           const RuntimeSetup& setup)
    : MpiRank(connection, member, mail, setup), sources_(static_cast<std::size_t>(size())) {}

/// A message within a machine takes no time, and the switch does not hear of it.
void EmulatedRank::post(int to, std::span<const std::byte> bytes, Payload payload,
                        std::uint64_t tag) {
  count_sent_to(to, bytes.size());
  if (!links_.within_machine(rank(), to)) {
    tell_posted(connection_, {.from = rank(), .to = to, .bytes = bytes.size(), .at = now()});
  }
  mail_.send(to, bytes, payload, tag);
}

/// Takes in whatever is there, so that long messages move while others are waited for.
void EmulatedRank::hear() {
  while (const auto matched = mail_.match(MPI_ANY_SOURCE)) {
    source(matched->from).here.push_back({mail_.begin_to_take(*matched)});
    ++here_;
  }
  while (const auto started = hear_started(connection_)) {
    Source& of = source(started->from);
    if (of.unannounced > 0) {
      --of.unannounced;
    } else {
      of.started.push_back(*started);
    }
  }
}

/// The next message from that rank, if all of it is here and it has arrived.
std::optional<EmulatedRank::Arrival> EmulatedRank::arrived_from(int from) {
  Source& of = source(from);
  if (of.here.empty()) return std::nullopt;
  Here& first = of.here.front();
  if (!first.since && Mail::is_here(first.coming)) first.since = now();
  if (!first.since) return std::nullopt;
  if (links_.within_machine(from, rank()) || (of.started.empty() && member_.is_interrupted())) {
    return Arrival{from, *first.since, *first.since};
  }
  if (of.started.empty()) return std::nullopt;
  const Started& started = of.started.front();
  if (started.end > now() && !member_.is_interrupted()) return std::nullopt;
  return Arrival{from, started.start, started.end};
}

std::optional<EmulatedRank::Arrival> EmulatedRank::first_arrived() {
  std::optional<Arrival> first;
  for (int from = 0; from < size() && here_ > 0; ++from) {
    const auto arrived = arrived_from(from);
    if (arrived && (!first || arrived->end < first->end)) first = arrived;
  }
  return first;
}

Message EmulatedRank::take(const Arrival& arrival) {
  Source& of = source(arrival.from);
  Message message = mail_.take(of.here.front().coming);
  of.here.pop_front();
  --here_;
  if (!of.started.empty()) {
    if (of.started.front().lost) message.lose();
    of.started.pop_front();
  } else if (!links_.within_machine(arrival.from, rank())) {
    ++of.unannounced;
  }
  return counted(std::move(message));
}

/// This rank has waited since then, if it had to. What was waited for before it arrived says how
/// late the machine was; of what comes while a rank computes nobody could.
void EmulatedRank::charge_wait(Time since, const Arrival& arrived) {
  const Time until = now();
  charge_blocked(member_.account(), since, until, arrived.start, arrived.end);
  if (arrived.end < since || arrived.end > until || arrived.end == arrived.start) return;
  EmulationReport& report = member_.emulation();
  ++report.waited_for;
  report.late += until - arrived.end;
  report.longest_late = std::max(report.longest_late, until - arrived.end);
}

Message EmulatedRank::receive(int from) {
  require(from >= 0 && from < size() && from != rank(), "a message comes from another rank");
  const Time since = now();
  std::optional<Arrival> arrived;
  member_.wait_until([&] {
    hear();
    arrived = arrived_from(from);
    return arrived.has_value() || (mail_.has_ended(from) && source(from).here.empty());
  });
  if (!arrived) throw_hang(from);
  charge_wait(since, *arrived);
  return take(*arrived);
}

std::uint64_t EmulatedRank::receive_into(int from, Vector into) {
  const Message message = receive(from);
  message.copy_to(into);
  return message.tag();
}

/// Empty: nothing comes any more.
std::optional<EmulatedRank::Arrival> EmulatedRank::await_any() {
  member_.attend();
  const Time since = now();
  std::optional<Arrival> first;
  member_.wait_until([&] {
    hear();
    first = first_arrived();
    return first.has_value() || (here_ == 0 && nobody_sends());
  });
  charge_wait(since, first ? *first : Arrival{.start = Time::max(), .end = Time::max()});
  return first;
}

bool EmulatedRank::await_message() {
  return await_any().has_value();
}

std::optional<Message> EmulatedRank::receive_any() {
  const auto first = await_any();
  return first ? std::optional(take(*first)) : std::nullopt;
}

std::optional<Message> EmulatedRank::poll(int from) {
  member_.attend();
  hear();
  const auto arrived = arrived_from(from);
  return arrived ? std::optional(take(*arrived)) : std::nullopt;
}

std::optional<Message> EmulatedRank::poll_any() {
  member_.attend();
  hear();
  const auto first = first_arrived();
  return first ? std::optional(take(*first)) : std::nullopt;
}

/// If control traffic is charged, each rank works out when it leaves, from when all have come.
void EmulatedRank::barrier() {
  if (!network().charge_control) return MpiRank::barrier();
  came_ = now();
  arrivals_.resize(static_cast<std::size_t>(workers()));
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgather(&came_, sizeof came_, MPI_BYTE, arrivals_.data(), sizeof came_, MPI_BYTE,
                 connection_.workers(), &request);
  finish(request);
  // NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker): finish() tests it
  const Time all_have_come = now();
  sleep_until(dissemination_barrier(links_, arrivals_)[static_cast<std::size_t>(rank())]);
  charge_blocked(member_.account(), all_have_come, now(), Time::max(), Time::max());
}

/// All clocks are set to the switch's: they go on from the leg before, now that all have come.
void EmulatedRank::begin() {
  const auto wait = [this](FunctionRef<bool()> ready) { member_.wait_until(ready); };
  const ClockOffset offset = measure_clock(connection_, wait);
  enter_start();
  std::int64_t began_ns = 0;
  wait([&] {
    return connection_
        .take(connection_.switch_rank(), Record::clock,
              std::as_writable_bytes(std::span(&began_ns, 1)))
        .has_value();
  });
  member_.account() = account_before();
  member_.start_clock(began_ns, offset);
}

}  // namespace trainyard::mpi
