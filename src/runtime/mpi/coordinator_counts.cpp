// What the coordinator has counted of all, and what it collects of them when a leg has ended.
#include <algorithm>
#include <cstring>
#include <limits>

#include "trainyard/base/error.hpp"

#include "runtime/mpi/coordinator.hpp"
#include "runtime/mpi/final_report.hpp"

namespace trainyard::mpi {

std::uint64_t Coordinator::least_closed() const {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (auto server = standings_.begin() + rule_.workers; server != standings_.end(); ++server) {
    least = std::min(least, server->closed);
  }
  return least;
}

std::uint64_t Coordinator::worker_steps_done() const {
  std::uint64_t sum = 0;
  for (int w = 0; w < rule_.workers; ++w) {
    const Standing& worker = standings_[static_cast<std::size_t>(w)];
    sum += worker.done - worker.sat_out;
  }
  return sum;
}

/// Counts what all ranks had done and sent when they stood.
void Coordinator::count(Snapshot& snapshot) const {
  for (const Standing& one : standings_) {
    snapshot.messages += one.messages_sent;
    snapshot.bytes += one.bytes_sent;
  }
  if (rule_.pace == Pace::server) {
    snapshot.steps = static_cast<double>(least_closed());
    snapshot.minibatches = std::numeric_limits<std::uint64_t>::max();
    for (auto server = standings_.begin() + rule_.workers; server != standings_.end(); ++server) {
      snapshot.minibatches = std::min(snapshot.minibatches, server->minibatches);
    }
    return;
  }
  snapshot.minibatches = worker_steps_done();
  std::uint64_t steps = snapshot.minibatches;  // and those that were sat out
  for (const Standing& one : standings_) steps += one.sat_out;
  snapshot.steps = static_cast<double>(steps) / rule_.workers;
}

Coordinator::Reports Coordinator::collect(Time own_end) {
  const auto ranks = static_cast<std::size_t>(connection_.ranks());
  tell_all({.word = Word::report});
  Reports reports{std::vector<RankAccount>(ranks), std::vector<Time>(ranks)};
  reports.widest_clock = self_.clock_offset();
  reports.emulation = self_.emulation();
  reports.accounts.front() = self_.account();
  reports.ended.front() = own_end;
  standings_.front() = self_.standing();
  for (int r = 1; r < connection_.ranks(); ++r) {
    const FinalReport report(receive_bytes(r));
    const auto rank = static_cast<std::size_t>(r);
    reports.accounts[rank] = report.account();
    reports.ended[rank] = report.ended();
    reports.widest_clock = wider(reports.widest_clock, report.clock_offset());
    reports.emulation.add(report.emulation());
    standings_[rank] = report.standing();
    report.put_into(state_, r);
    if (standings_[rank].model_size == 0) continue;
    const VectorBuffer model = report.model(state_.layout().scalar);
    keep_model(r, model.view());
  }
  if (connection_.has_switch()) {
    const auto bytes = receive_bytes(connection_.switch_rank());
    EmulationReport of_switch;
    require(bytes.size() == sizeof of_switch, "the switch's last report is whole");
    std::memcpy(&of_switch, bytes.data(), bytes.size());
    reports.emulation.add(of_switch);
  }
  patience_until_ns_.reset();  // all have answered
  return reports;
}

Snapshot Coordinator::final_snapshot(Duration elapsed) {
  Snapshot snapshot{.time = elapsed};
  count(snapshot);
  const GatheredModel model = gatherer_.gather();
  snapshot.model = model.values;
  snapshot.consensus_distance = model.consensus_distance;
  return snapshot;
}

bool Coordinator::has_more_legs() const {
  if (agreed_.meeting == 0) return false;
  switch (rule_.pace) {
    case Pace::lockstep:
      return standings_.front().done < rule_.limits.steps;
    case Pace::free:
      return worker_steps_done() < rule_.minibatches();
    case Pace::server:
      return least_closed() < rule_.limits.steps;
  }
  return false;
}

void Coordinator::put_down() {
  for (int r = 0; r < connection_.ranks(); ++r) {
    mpi::put_down(standings_[static_cast<std::size_t>(r)], state_, r);
  }
}

std::vector<std::vector<std::byte>> Coordinator::gather() {
  std::vector<std::vector<std::byte>> all(1);
  for (int r = 1; r < connection_.ranks(); ++r) {
    const auto give_up_if_lost = [&] {
      if (is_out_of_patience()) throw_lost(r);
    };
    // Who sends is there: of an interrupted run, too, all of a long state may come.
    const auto piece_came = [&] { patience_until_ns_.reset(); };
    all.push_back(connection_.receive_in_pieces(r, give_up_if_lost, piece_came));
  }
  return all;
}

}  // namespace trainyard::mpi
