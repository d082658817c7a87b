// One run of all processes. Where ranks share memory a run ends when their threads have been
// joined; here a process whose program has ended stays, and answers when the run is looked at,
// until all have ended. Then each sends what it has to the leading one, and all wait until nothing
// is on its way, so that the next run, and MPI's own end, find nothing of this one.
#include <algorithm>
#include <chrono>
#include <exception>
#include <thread>

#include <fmt/format.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/runtime/coder.hpp"
#include "trainyard/runtime/mpi.hpp"

#include "runtime/accounting.hpp"
#include "runtime/mpi/coordinator.hpp"
#include "runtime/mpi/emulated_rank.hpp"
#include "runtime/mpi/final_report.hpp"
#include "runtime/mpi/mail.hpp"
#include "runtime/mpi/member.hpp"
#include "runtime/mpi/pacer.hpp"
#include "runtime/mpi/rank.hpp"
#include "runtime/mpi/switch_process.hpp"
#include "runtime/mpi/told_failure.hpp"

namespace trainyard {

namespace mpi {

namespace {

/// How well the machine has kept up with an emulated network, in all legs of a run.
struct KeptUp {
  EmulationReport emulation;
  ClockOffset widest_clock;
};

class MpiRun final : public ProcessRun {
 public:
  /// All outlive it, and `kept_up` a run of several legs.
  MpiRun(Connection& connection, ProcessState& process_state, KeptUp& kept_up,
         const RuntimeSetup& setup, const StepRule& rule, RunState& state, Look look,
         const Interrupts& interrupts)
      : connection_(connection),
        process_state_(process_state),
        kept_up_(kept_up),
        setup_(setup),
        state_(state),
        member_(connection, rule, state, std::move(look), interrupts),
        mail_(connection, member_),
        pacer_(connection, member_, rule) {}

  Pacing& pacing() override { return pacer_; }
  RuntimeReport run(const std::function<void(Rank&)>& program) override;
  bool has_more_legs() const override {
    const Coordinator* coordinator = member_.coordinator();
    return coordinator != nullptr && coordinator->has_more_legs();
  }
  bool goes_on(bool wanted) override;
  void put_down() override;
  std::vector<std::vector<std::byte>> gather(std::span<const std::byte> own) override;
  std::string note() const override { return note_; }

 private:
  RuntimeReport run_to_the_end(const std::function<void(Rank&)>& program);
  void run_rank(const std::function<void(Rank&)>& program);
  void run_program(FunctionRef<void()> program);
  RuntimeReport run_switch();
  void tell_end();
  void stay_until_all_have_ended();
  RuntimeReport report(Time ended);
  void leave_nothing_behind();
  void wait_for_all(FunctionRef<void()> meanwhile);
  void throw_failure(const RuntimeReport& report);

  Connection& connection_;
  ProcessState& process_state_;
  KeptUp& kept_up_;
  const RuntimeSetup setup_;
  RunState& state_;
  Member member_;
  Mail mail_;
  ProcessPacer pacer_;
  // Here, and not where it runs: what a rank has given up may still be written to.
  std::optional<EmulatedRank> emulated_rank_;
  std::optional<MpiRank> rank_;
  std::exception_ptr failure_;  // of this process
  std::string note_;
};

RuntimeReport MpiRun::run(const std::function<void(Rank&)>& program) {
  try {
    RuntimeReport all = run_to_the_end(program);
    if (member_.is_given_up()) process_state_ = ProcessState::together;  // no leg follows
    throw_failure(all);
    return all;
  } catch (const RankLost&) {
    process_state_ = ProcessState::broken;  // nothing can be agreed on any more
    throw;
  }
}

RuntimeReport MpiRun::run_to_the_end(const std::function<void(Rank&)>& program) {
  if (connection_.is_switch()) return run_switch();
  run_rank(program);
  const Time ended = member_.now();
  tell_end();
  stay_until_all_have_ended();
  RuntimeReport all = report(ended);
  leave_nothing_behind();
  return all;
}

/// Runs the process of the switch, which has no part in the scheme.
RuntimeReport MpiRun::run_switch() {
  run_program([this] { SwitchProcess(connection_, member_, setup_).run(); });
  const Failed failed = told(failure_);
  if (failed.kind != Failure::none) member_.tell_failure(failed.kind, failed.text);
  stay_until_all_have_ended();
  connection_.send_bytes(0, std::as_bytes(std::span(&member_.emulation(), 1)));
  leave_nothing_behind();
  return {};
}

void MpiRun::run_rank(const std::function<void(Rank&)>& program) {
  Rank& rank = connection_.has_switch()
                   ? static_cast<Rank&>(emulated_rank_.emplace(connection_, member_, mail_, setup_))
                   : rank_.emplace(connection_, member_, mail_, setup_);
  run_program([&] { program(rank); });
}

/// Keeps its failure.
void MpiRun::run_program(FunctionRef<void()> program) {
  try {
    program();
  } catch (const RankLost&) {
    throw;
  } catch (const RunAborted&) {
    // Another rank failed, and its failure is the one to report.
  } catch (...) {
    failure_ = std::current_exception();
  }
}

void MpiRun::tell_end() {
  mail_.tell_end();
  const Failed failed = told(failure_);
  if (failed.kind != Failure::none) return member_.tell_failure(failed.kind, failed.text);
  member_.tell(Word::ended);
}

void MpiRun::stay_until_all_have_ended() {
  const auto over = [&] {
    const Coordinator* coordinator = member_.coordinator();
    return coordinator != nullptr ? coordinator->all_have_ended() : member_.is_to_report();
  };
  for (std::uint64_t round = 0; !over(); ++round) {
    member_.listen();
    mail_.drain();
    connection_.drop_records();
    if (member_.coordinator() != nullptr) member_.coordinator()->wait_for_ends();
    connection_.relax(round);
  }
}

/// All have heard of a run that is given up.
bool MpiRun::goes_on(bool wanted) {
  if (member_.is_given_up()) return false;
  std::uint64_t says = wanted ? 1 : 0;
  connection_.take_from_first(says);
  if (says == 0) process_state_ = ProcessState::together;
  return says != 0;
}

void MpiRun::put_down() {
  if (connection_.is_switch()) return;
  if (Coordinator* coordinator = member_.coordinator()) return coordinator->put_down();
  mpi::put_down(member_.counts(), state_, connection_.rank());
}

std::vector<std::vector<std::byte>> MpiRun::gather(std::span<const std::byte> own) {
  try {
    if (member_.coordinator() != nullptr) return member_.coordinator()->gather();
  } catch (const RankLost&) {
    process_state_ = ProcessState::broken;
    throw;
  }
  if (!connection_.is_switch()) connection_.send_in_pieces(0, own);
  return {};
}

RuntimeReport MpiRun::report(Time ended) {
  if (member_.coordinator() == nullptr) {
    connection_.send_bytes(0, FinalReport::of(member_, ended, state_, connection_.rank()));
    std::vector<RankAccount> accounts(static_cast<std::size_t>(connection_.ranks()));
    std::vector<Time> ends(accounts.size(), ended);
    accounts[static_cast<std::size_t>(connection_.rank())] = member_.account();
    return closed_report(std::move(accounts), ends);
  }
  auto reports = member_.coordinator()->collect(ended);
  if (connection_.has_switch()) {
    kept_up_.emulation.add(reports.emulation);
    kept_up_.widest_clock = wider(kept_up_.widest_clock, reports.widest_clock);
    note_ = emulation_text(kept_up_.emulation, kept_up_.widest_clock,
                           connection_.host(connection_.switch_rank()));
  }
  return closed_report(std::move(reports.accounts), reports.ended);
}

/// Receives what nobody has received: pushes that came too late would keep their senders for ever.
/// Then waits for all to have stopped, or one would take what another says in the leg that follows.
void MpiRun::leave_nothing_behind() {
  Coordinator* const coordinator = member_.coordinator();
  std::vector<bool> leave(static_cast<std::size_t>(connection_.size()));
  leave.front() = true;
  const auto drained = [&] {
    const bool records = connection_.drop_records();
    // A rank that was interrupted while the others ended has told nobody, too.
    while (coordinator != nullptr) {
      const auto told = connection_.hear(MPI_ANY_SOURCE);
      if (!told) break;
      if (told->control.word == Word::leaves) leave[static_cast<std::size_t>(told->from)] = true;
    }
    return mail_.drain() && records;
  };
  for (std::uint64_t round = 0; !drained(); ++round) connection_.relax(round);
  if (coordinator == nullptr) connection_.tell(0, {.word = Word::leaves});
  const auto drain_while_others_are_there = [&] {
    (void)drained();
    if (coordinator != nullptr) coordinator->wait_for(leave);
  };
  wait_for_all(drain_while_others_are_there);
  // A word may come later than the barrier that its sender has entered since.
  const auto all_have_left = [&] { return std::ranges::find(leave, false) == leave.end(); };
  for (std::uint64_t round = 0; coordinator != nullptr && !all_have_left(); ++round) {
    drain_while_others_are_there();
    connection_.relax(round);
  }
  wait_for_all([] {});
}

void MpiRun::wait_for_all(FunctionRef<void()> meanwhile) {
  MPI_Request all_have_come = MPI_REQUEST_NULL;
  MPI_Ibarrier(connection_.messages(), &all_have_come);
  int done = 0;
  for (std::uint64_t round = 0; done == 0; ++round) {
    meanwhile();
    MPI_Test(&all_have_come, &done, MPI_STATUS_IGNORE);
    connection_.relax(round);
  }
}

void MpiRun::throw_failure(const RuntimeReport& report) {
  const Coordinator* coordinator = member_.coordinator();
  if (coordinator == nullptr || !coordinator->failure()) return;
  const auto& failure = *coordinator->failure();
  if (failure.kind == Failure::not_finite) {
    throw NotFinite(failure.text, report.elapsed, total_traffic(report.accounts));
  }
  if (failure.rank == 0 && failure_) std::rethrow_exception(failure_);
  throw_as(failure.kind, fmt::format("rank {} on {}: {}", failure.rank,
                                     connection_.host(failure.rank), failure.text));
}

class MpiProcesses final : public Processes {
 public:
  int rank() const override { return connection_.rank(); }
  int size() const override { return connection_.size(); }
  std::string description() const override;
  void agree(std::exception_ptr failure) override;
  std::string first_unlike(std::uint64_t number) override;
  std::uint64_t from_leading_one(std::uint64_t number) override {
    connection_.take_from_first(number);
    return number;
  }
  std::vector<std::byte> handed_out(
      const std::function<std::vector<std::byte>(int rank)>& bytes_for) override;
  void divide(int workers, int ranks) override {
    connection_.divide(workers, ranks);
    kept_up_ = {};
  }
  std::unique_ptr<ProcessRun> join(const RuntimeSetup& setup, const StepRule& rule, RunState& state,
                                   Look look, const Interrupts& interrupts) override {
    StepRule agreed = rule;  // the leading process has looked at the start
    connection_.take_from_first(agreed.limits.steps);
    process_state_ = ProcessState::waited_for;
    return std::make_unique<MpiRun>(connection_, process_state_, kept_up_, setup, agreed, state,
                                    std::move(look), interrupts);
  }
  const Hosts& hosts() const override { return connection_.hosts(); }
  std::vector<std::span<std::byte>> share_memory(std::span<const MemoryShare> shares) override;
  int size_of_host() const override { return connection_.size_of_host(); }
  bool is_first_of_host() const override { return connection_.rank_on_host() == 0; }
  std::vector<std::byte> from_first_of_host(std::vector<std::byte> bytes) override {
    return connection_.from_first_of_host(std::move(bytes));
  }
  ProcessState state() const override { return process_state_; }

 private:
  Connection connection_;
  ProcessState process_state_ = ProcessState::together;
  KeptUp kept_up_;
};

std::string MpiProcesses::description() const {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
  int length = 0;
  MPI_Get_library_version(version.data(), &length);
  const std::string_view text(version.data());
  return fmt::format("{} on {}; {}", counted(size(), "process", "processes"),
                     connection_.hosts_text(), text.substr(0, text.find_first_of(",\n")));
}

/// The first of what all do for a run.
std::vector<std::span<std::byte>> MpiProcesses::share_memory(std::span<const MemoryShare> shares) {
  process_state_ = ProcessState::waited_for;
  return connection_.share_memory(shares);
}

std::vector<std::byte> MpiProcesses::handed_out(
    const std::function<std::vector<std::byte>(int rank)>& bytes_for) {
  if (rank() != 0)
    return connection_.receive_in_pieces(
        0, [] {}, [] {});
  for (int r = 1; r < size(); ++r) connection_.send_in_pieces(r, bytes_for(r));
  return bytes_for(0);
}

std::string MpiProcesses::first_unlike(std::uint64_t number) {
  std::uint64_t of_leading_one = number;
  connection_.take_from_first(of_leading_one);
  const int first = connection_.first_of_all(number != of_leading_one);
  return first == size() ? "" : fmt::format("rank {} on {}", first, connection_.host(first));
}

/// The first that failed tells the leading one.
void MpiProcesses::agree(std::exception_ptr failure) {
  const Failed own = told(failure);
  const int first = connection_.first_of_all(own.kind != Failure::none);
  if (first == size()) return;
  if (first == rank() && rank() != 0) {
    connection_.tell(0, {Word::ended, {static_cast<std::uint64_t>(own.kind)}});
    connection_.send_bytes(0, std::as_bytes(std::span(own.text)));
  }
  if (failure) std::rethrow_exception(failure);
  if (rank() != 0) throw RunError("another process has failed");
  std::optional<Connection::Told> heard;
  while (!heard) heard = connection_.hear(first);
  const auto bytes = connection_.receive_bytes(first, [] {});
  throw_as(
      static_cast<Failure>(heard->control.values[0]),
      fmt::format("rank {} on {}: {}", first, connection_.host(first),
                  std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size())));
}

}  // namespace

}  // namespace mpi

std::unique_ptr<Processes> mpi_processes() {
  return std::make_unique<mpi::MpiProcesses>();
}

}  // namespace trainyard
