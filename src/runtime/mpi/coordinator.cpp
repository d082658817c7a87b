#include "runtime/mpi/coordinator.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/runtime/processes.hpp"

#include "runtime/mpi/clocks.hpp"

namespace trainyard::mpi {

namespace {

/// How long an interrupted run waits for the answer of a rank. mpirun interrupts the others when it
/// has lost one, and kills them a second later.
constexpr std::int64_t patience_ns = 500'000'000;
/// One that has stood answers soon, and looking has taken up to half of that second.
constexpr std::int64_t patience_after_look_ns = 200'000'000;

}  // namespace

Coordinator::Coordinator(Connection& connection, Member& self, const StepRule& rule,
                         RunState& state, Look look)
    : connection_(connection),
      self_(self),
      rule_(rule),
      state_(state),
      look_(std::move(look)),
      gatherer_(state),
      standings_(static_cast<std::size_t>(connection.ranks())),
      models_(static_cast<std::size_t>(connection.ranks())),
      agreed_{.last_step = rule.limits.steps},
      ended_(static_cast<std::size_t>(connection.ranks())) {
  for (int r = 0; r < connection.ranks(); ++r) {
    standings_[static_cast<std::size_t>(r)] = put_down_by(state, r);
  }
  done_before_ = standings_.front().done;
  if (rule.pace == Pace::free) claimed_ = completed_ = worker_steps_done();
  if (rule.pace == Pace::server) agreed_.looked_at = rule.last_look(least_closed());
}

void Coordinator::attend() {
  if (lost_) throw_lost(*lost_);
  if (self_.is_interrupted() && !self_.is_given_up()) {
    if (!self_.knows_of_interrupt()) tell_all({.word = Word::interrupted});
    if (!wound_up_) wind_up();  // its own rank may wait for one that is lost
  }
  obey_all();
  while (const auto heard = hear()) {
    obey(*heard);
    obey_all();
  }
}

void Coordinator::on(const Control& control) {
  obey({.from = 0, .control = control});
  obey_all();
}

/// With what follows the words: a model that is sent next must not be taken for it.
std::optional<Coordinator::Heard> Coordinator::hear() {
  const auto told = connection_.hear(MPI_ANY_SOURCE);
  if (!told) return std::nullopt;
  Heard heard{told->from, told->control, {}};
  if (told->control.word == Word::ended && told->control.values[0] != 0) {
    const auto bytes = receive_bytes(told->from);
    heard.text.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  }
  return heard;
}

/// Obeys the words that came while all ranks stood.
void Coordinator::obey_all() {
  while (!heard_.empty() && !lost_) {  // without all nothing more is agreed on
    const Heard next = std::move(heard_.front());
    heard_.pop_front();
    obey(next);
  }
}

void Coordinator::obey(const Heard& heard) {
  const auto& values = heard.control.values;
  switch (heard.control.word) {
    case Word::came_to_look:
      return came_to_look(values[0]);
    case Word::lot_done:
      return lot_done(values[0]);
    case Word::wants_lot:
      return hand_out_lot(heard.from);
    case Word::closed:
      return closed(heard.from, values[0], values[1]);
    case Word::winds_up:
      if (agreed_.ending == 0) wind_up();
      return;
    case Word::meets:
      if (agreed_.ending == 0 && agreed_.meeting == 0) meet();
      return;
    case Word::interrupted:
      if (!self_.knows_of_interrupt()) tell_all(heard.control);
      return;
    case Word::fails:
      return give_up();
    case Word::ended:
      if (values[0] != 0) return failed(heard.from, static_cast<Failure>(values[0]), heard.text);
      ended_[static_cast<std::size_t>(heard.from)] = true;
      return;
    case Word::stands:  // for a look that failed
      if (std::bit_cast<Standing>(values).model_size > 0) receive_bytes(heard.from);
      return;
    default:
      throw InternalError("the coordinator was told what only a process is told");
  }
}

void Coordinator::came_to_look(std::uint64_t steps) {
  if (++came_ < rule_.workers) return;
  came_ = 0;
  look(steps, std::nullopt);
}

void Coordinator::lot_done(std::uint64_t minibatches) {
  const std::uint64_t before = completed_;
  completed_ += minibatches;
  const std::uint64_t every =
      rule_.limits.evaluate_every * static_cast<std::uint64_t>(rule_.workers);
  if (before / every != completed_ / every) look(std::nullopt, completed_);
}

void Coordinator::hand_out_lot(int to) {
  const bool ends = agreed_.ending != 0 || agreed_.meeting != 0;
  const std::uint64_t count = ends ? 0 : rule_.lot_from(claimed_);
  const Control lot{Word::lot, {claimed_, count}};
  claimed_ += count;
  if (to == 0) return self_.on(lot);
  connection_.tell(to, lot);
}

void Coordinator::closed(int from, std::uint64_t steps, std::uint64_t minibatches) {
  Standing& server = standings_[static_cast<std::size_t>(from)];
  server.closed = steps;
  server.minibatches = minibatches;
  const std::uint64_t by_all = least_closed();
  const std::uint64_t due = rule_.last_look(by_all);
  if (due > agreed_.looked_at) look(due, std::nullopt);
  if (by_all >= agreed_.last_step) tell_all({.word = Word::over});
}

void Coordinator::failed(int rank, Failure failure, const std::string& text) {
  if (rank < connection_.ranks()) ended_[static_cast<std::size_t>(rank)] = true;
  if (!failure_) failure_ = {rank, failure, text};
  give_up();
}

void Coordinator::give_up() {
  if (self_.is_given_up()) return;
  tell_all({.word = Word::give_up});
}

void Coordinator::tell_all(const Control& control) {
  for (int r = 1; r < connection_.size(); ++r) connection_.tell(r, control);
  self_.on(control);
}

/// Also where the end is agreed on already, by a look: whoever is gone is found by it.
void Coordinator::wind_up() {
  wound_up_ = true;
  have_all_stand(false);
  if (agreed_.ending == 0) agree_on_the_end();
  have_all_go_on(0);
}

/// Agrees on the end of the leg. On the machine's clock it may be time before anybody has begun a
/// step, and each leg is to have one.
void Coordinator::meet() {
  have_all_stand(false);
  std::uint64_t begun = done_before_ + 1, closed = 0;
  for (const Standing& one : standings_) {
    begun = std::max(begun, one.begun);
    closed = std::max(closed, one.closed);
  }
  if (rule_.pace != Pace::free) {
    agreed_.last_step = rule_.meeting(begun, closed, agreed_.last_step);
  }
  agreed_.meeting = 1;
  have_all_go_on(0);
}

/// Agrees on StepRule::end(). REQUIRES: all ranks stand.
void Coordinator::agree_on_the_end() {
  std::uint64_t begun = 0, closed = 0;
  for (const Standing& one : standings_) {
    begun = std::max(begun, one.begun);
    closed = std::max(closed, one.closed);
  }
  agreed_.last_step = rule_.end(begun, closed, agreed_.last_step);
  agreed_.ending = 1;
}

/// After so many steps; of pace free, after so many minibatches.
void Coordinator::look(std::optional<std::uint64_t> steps,
                       std::optional<std::uint64_t> minibatches) {
  have_all_stand(true);
  const std::int64_t since = steady_ns();
  Snapshot snapshot{.time = self_.now()};
  count(snapshot);
  if (steps) snapshot.steps = static_cast<double>(*steps);
  if (minibatches) {
    snapshot.minibatches = *minibatches;
    snapshot.steps = static_cast<double>(*minibatches) / rule_.workers;
  }
  const GatheredModel model = gatherer_.gather();
  snapshot.model = model.values;
  snapshot.consensus_distance = model.consensus_distance;
  if (look_(snapshot)) {
    agree_on_the_end();
    agreed_.over = 1;
  }
  if (self_.is_interrupted() && !patience_until_ns_) {
    patience_until_ns_ = steady_ns() + patience_after_look_ns;
  }
  if (steps) agreed_.looked_at = *steps;
  have_all_go_on(steady_ns() - since);
}

void Coordinator::have_all_stand(bool with_models) {
  for (int r = 1; r < connection_.size(); ++r) {
    connection_.tell(r, {Word::stand_still, {with_models ? 1U : 0U}});
  }
  standings_.front() = self_.standing();
  stands_.assign(static_cast<std::size_t>(connection_.size()), false);
  stands_.front() = true;
  for (std::uint64_t round = 0;; ++round) {
    const auto missing = std::ranges::find(stands_, false);
    if (missing == stands_.end()) return;
    auto heard = hear();
    if (!heard) {
      if (is_out_of_patience()) throw_lost(static_cast<int>(missing - stands_.begin()));
      connection_.relax(round);
    } else if (heard->control.word == Word::stands) {
      hear_standing(heard->from, heard->control);
    } else {
      heard_.push_back(std::move(*heard));
    }
  }
}

/// Takes a process's counts, and its part of the model.
void Coordinator::hear_standing(int from, const Control& control) {
  const auto rank = static_cast<std::size_t>(from);
  stands_[rank] = true;
  if (from == connection_.switch_rank()) return;
  standings_[rank] = std::bit_cast<Standing>(control.values);
  const std::size_t size = standings_[rank].model_size;
  if (size == 0) return;
  const auto bytes = receive_bytes(from);
  VectorBuffer model(state_.layout().scalar, size);
  require(bytes.size() == model.view().bytes().size(), "a process sends all of its model");
  std::ranges::copy(bytes, model.view().bytes().begin());
  keep_model(from, std::as_const(model).view());
}

/// Keeps the model as another process has it now.
void Coordinator::keep_model(int from, ConstVector model) {
  Vector& kept = models_[static_cast<std::size_t>(from)];
  if (kept.empty()) kept = state_.keep_model(from, model);
  kernels::copy(model, kept);
}

void Coordinator::have_all_go_on(std::int64_t stood_ns) {
  agreed_.stood_ns = static_cast<std::uint64_t>(stood_ns);
  tell_all({Word::go_on, std::bit_cast<decltype(Control::values)>(agreed_)});
}

void Coordinator::wait_for(const std::vector<bool>& came) {
  const auto missing = std::ranges::find(came, false);
  if (missing == came.end() || !is_out_of_patience()) return;
  throw_lost(static_cast<int>(missing - came.begin()));
}

/// Receives the bytes that follow a word of that rank.
std::vector<std::byte> Coordinator::receive_bytes(int from) {
  return connection_.receive_bytes(from, [&] {
    if (is_out_of_patience()) throw_lost(from);
  });
}

/// The run was interrupted some time ago.
bool Coordinator::is_out_of_patience() {
  if (!self_.is_interrupted()) return false;
  if (!patience_until_ns_) patience_until_ns_ = steady_ns() + patience_ns;
  return steady_ns() >= *patience_until_ns_;
}

void Coordinator::throw_lost(int rank) {
  lost_ = rank;
  const bool is_switch = rank == connection_.switch_rank();
  throw RankLost(
      fmt::format("rank {} on {}{} does not answer any more; these are the results so far", rank,
                  connection_.host(rank), is_switch ? ", the emulated switch," : ""));
}

}  // namespace trainyard::mpi
