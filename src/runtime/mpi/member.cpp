#include "runtime/mpi/member.hpp"

#include <bit>
#include <chrono>
#include <utility>

#include "runtime/leg_counts.hpp"
#include "runtime/mpi/coordinator.hpp"

namespace trainyard::mpi {

namespace {

/// To ask whether something was told takes as long as to look for a message, 0.1 µs, and whoever
/// looks less often notices its message later: a step of a ring of 64 KiB took 13 µs with one
/// question a look, and 11 with one in eight.
constexpr std::uint64_t looks_between_listening = 8;

}  // namespace

Standing put_down_by(RunState& state, int rank) {
  Standing counts;
  counts.begun = counts.done = state.count(rank, steps_name);
  counts.sat_out = state.count(rank, sat_out_name);
  counts.closed = state.count(rank, closed_name);
  counts.minibatches = state.count(rank, learnt_name);
  return counts;
}

void put_down(const Standing& counts, RunState& state, int rank) {
  state.count(rank, steps_name) = counts.done;
  state.count(rank, sat_out_name) = counts.sat_out;
  state.count(rank, closed_name) = counts.closed;
  state.count(rank, learnt_name) = counts.minibatches;
}

Member::Member(Connection& connection, const StepRule& rule, RunState& state, Look look,
               const Interrupts& interrupts)
    : connection_(connection),
      state_(state),
      interrupts_(interrupts),
      counts_(connection.is_switch() ? Standing{} : put_down_by(state, connection.rank())),
      agreed_{.last_step = rule.limits.steps} {
  if (connection.rank() == 0) {
    coordinator_ = std::make_unique<Coordinator>(connection, *this, rule, state, std::move(look));
  }
}

Member::~Member() = default;

Time Member::now() const {
  return std::chrono::nanoseconds(steady_ns() - began_ns_ - stood_ns_);
}

void Member::start_clock(std::int64_t began_ns, const ClockOffset& offset) {
  offset_ = offset;
  began_ns_ = began_ns - offset.ahead_ns;
  stood_ns_ = 0;
}

bool Member::is_interrupted() const {
  // relaxed: a flag that a signal sets.
  return interrupts_.flag.load(std::memory_order_relaxed);
}

void Member::listen() {
  if (coordinator_) return coordinator_->attend();
  if (is_interrupted() && !knows_of_interrupt_) {
    knows_of_interrupt_ = true;
    tell(Word::interrupted);
  }
  while (const auto told = connection_.hear(0)) on(told->control);
}

void Member::listen_if_interrupted() {
  if (is_interrupted()) listen();
}

void Member::listen_now_and_then(std::uint64_t look) {
  if (look % looks_between_listening == looks_between_listening - 1) listen();
}

void Member::attend() {
  listen();
  if (given_up_) throw RunAborted{};
}

void Member::wait_until(FunctionRef<bool()> ready) {
  for (std::uint64_t round = 0; !ready(); ++round) {
    listen_now_and_then(round);
    if (given_up_) throw RunAborted{};
    connection_.relax(round);
  }
}

void Member::await(FunctionRef<bool()> ready) {
  if (ready()) return;
  const Time since = now();
  wait_until(ready);
  charge_blocked(account_, since, now(), Time::max(), Time::max());
}

void Member::await_word(FunctionRef<bool()> told) {
  await([&] {
    attend();
    return told();
  });
}

void Member::tell(Word word, std::uint64_t first, std::uint64_t second) {
  const Control control{word, {first, second}};
  if (coordinator_) return coordinator_->on(control);
  connection_.tell(0, control);
}

void Member::tell_failure(Failure failure, const std::string& text) {
  if (coordinator_) return coordinator_->failed(0, failure, text);
  connection_.tell(0, {Word::ended, {static_cast<std::uint64_t>(failure)}});
  connection_.send_bytes(0, std::as_bytes(std::span(text)));
}

void Member::on(const Control& control) {
  switch (control.word) {
    case Word::stand_still:
      return stand(control.values[0] != 0);
    case Word::go_on:
      agreed_ = std::bit_cast<GoOn>(control.values);
      stood_ns_ += static_cast<std::int64_t>(agreed_.stood_ns);
      given_up_ = given_up_ || agreed_.over != 0;
      return;
    case Word::lot:
      lot_ = Lot{control.values[0], control.values[1]};
      return;
    case Word::over:
      over_ = true;
      return;
    case Word::interrupted:
      knows_of_interrupt_ = true;
      if (!is_interrupted() && interrupts_.interrupt) interrupts_.interrupt();
      return;
    case Word::give_up:
      given_up_ = true;
      return;
    case Word::report:
      to_report_ = true;
      return;
    default:
      throw InternalError("a process was told what only the coordinator is told");
  }
}

Standing Member::standing() const {
  Standing standing = counts_;
  standing.messages_sent = account_.messages_sent;
  standing.bytes_sent = account_.bytes_sent;
  standing.model_size = model().size();
  return standing;
}

ConstVector Member::model() const {
  const ModelLayout& layout = state_.layout();
  const int rank = connection_.rank();
  if (connection_.is_switch()) return {};
  const bool is_worker = rank < layout.workers;
  if (layout.home == ModelHome::replicas && is_worker) return state_.replica(rank);
  if (layout.home == ModelHome::servers && !is_worker) return state_.shard(rank - layout.workers);
  return {};
}

/// Answers, and waits until all go on. The clock runs until all stand: to wait for the last of them
/// is a part of the run.
void Member::stand(bool with_model) {
  Standing standing = this->standing();
  if (!with_model) standing.model_size = 0;
  connection_.tell(0, {Word::stands, std::bit_cast<decltype(Control::values)>(standing)});
  if (standing.model_size > 0) connection_.send_bytes(0, model().bytes());
  for (std::uint64_t round = 0;; ++round) {
    const auto told = connection_.hear(0);
    if (told) {
      on(told->control);
      if (told->control.word == Word::go_on || given_up_) return;
    }
    connection_.relax(round);
  }
}

std::optional<Lot> Member::take_lot() {
  return std::exchange(lot_, std::nullopt);
}

}  // namespace trainyard::mpi
