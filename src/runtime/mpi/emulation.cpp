#include "runtime/mpi/emulation.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace trainyard::mpi {

namespace {

template <typename T>
std::span<const std::byte> bytes_of(const T& record) {
  return std::as_bytes(std::span(&record, 1));
}

template <typename T>
std::optional<T> hear(Connection& connection, int from, Record kind) {
  T record;
  const auto heard = connection.take(from, kind, std::as_writable_bytes(std::span(&record, 1)));
  return heard ? std::optional(record) : std::nullopt;
}

}  // namespace

void tell_posted(Connection& connection, const Posted& posted) {
  connection.pass(connection.switch_rank(), Record::posted, bytes_of(posted));
}

std::optional<Posted> hear_posted(Connection& connection) {
  return hear<Posted>(connection, MPI_ANY_SOURCE, Record::posted);
}

void tell_started(Connection& connection, int to, const Started& started) {
  connection.pass(to, Record::started, bytes_of(started));
}

std::optional<Started> hear_started(Connection& connection) {
  return hear<Started>(connection, connection.switch_rank(), Record::started);
}

void EmulationReport::add(const EmulationReport& other) {
  messages += other.messages;
  longest_moved = std::max(longest_moved, other.longest_moved);
  waited_for += other.waited_for;
  late += other.late;
  longest_late = std::max(longest_late, other.longest_late);
}

std::string emulation_text(const EmulationReport& of_all, const ClockOffset& widest,
                           const std::string& host_of_switch) {
  const auto human = [](Duration duration) { return human_duration(to_seconds(duration)); };
  const auto human_ns = [&](std::int64_t ns) { return human(std::chrono::nanoseconds(ns)); };
  std::string text = fmt::format("network: {} messages, emulated by a process on {}",
                                 of_all.messages, host_of_switch);
  if (of_all.waited_for > 0) {
    text += fmt::format("; the {} that were waited for came {} late on average, {} at most",
                        of_all.waited_for,
                        human(of_all.late / static_cast<std::int64_t>(of_all.waited_for)),
                        human(of_all.longest_late));
  }
  if (of_all.longest_moved > Duration::zero()) {
    text += fmt::format("; some were posted by up to {} too late", human(of_all.longest_moved));
  }
  if (widest.ahead_ns == 0) {
    return text + fmt::format("; one clock, to within {}", human_ns(widest.within_ns));
  }
  return text + fmt::format("; clocks differ from the switch's by up to {}, measured to within {}",
                            human_ns(widest.ahead_ns), human_ns(widest.within_ns));
}

}  // namespace trainyard::mpi
