// The process of rank 0 beside its own rank: it counts what all have done, has the run looked at
// when its rule (runtime/steps.hpp) says so, and agrees with all on its end. It works in whatever
// verb its rank is in.
//
// Threads: the main one of that process.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/runtime/model_gatherer.hpp"

#include "runtime/mpi/member.hpp"

namespace trainyard::mpi {

class Coordinator {
 public:
  /// `self`: of the same process.
  Coordinator(Connection& connection, Member& self, const StepRule& rule, RunState& state,
              Look look);

  /// Hears what there is to hear, and sees to it.
  void attend();
  /// A word of this process's own rank.
  void on(const Control& control);
  /// The program of that rank has ended, as all do.
  void failed(int rank, Failure failure, const std::string& text);

  /// After the run: the counts of all, their accounts and when they ended, and the state of each in
  /// this process's RunState.
  struct Reports {
    std::vector<RankAccount> accounts;
    std::vector<Time> ended;
    ClockOffset widest_clock{};
    EmulationReport emulation{};  // where there is a switch
  };
  Reports collect(Time own_end);
  bool all_have_ended() const { return std::ranges::find(ended_, false) == ended_.end(); }
  /// Its own rank has ended, and others have not. Throws RankLost where one never will.
  void wait_for_ends() { wait_for(ended_); }
  /// The same of those who have not come to something.
  void wait_for(const std::vector<bool>& came);
  Snapshot final_snapshot(Duration elapsed);
  /// After collect(), as of a Pacer.
  bool has_more_legs() const;
  void put_down();
  /// After collect(): what each rank sends in pieces, in their order, of its own rank nothing.
  std::vector<std::vector<std::byte>> gather();
  std::uint64_t worker_steps_done() const;
  /// The error of the first rank that failed; empty: none has.
  struct FirstFailure {
    int rank = 0;
    Failure kind = Failure::none;
    std::string text;
  };
  const std::optional<FirstFailure>& failure() const { return failure_; }

 private:
  struct Heard {
    int from = 0;
    Control control{};
    std::string text{};  // of a failure
  };
  std::optional<Heard> hear();
  void obey(const Heard& heard);
  void obey_all();
  void came_to_look(std::uint64_t steps);
  void lot_done(std::uint64_t minibatches);
  void hand_out_lot(int to);
  void closed(int from, std::uint64_t steps, std::uint64_t minibatches);
  void wind_up();
  void meet();
  void give_up();
  void look(std::optional<std::uint64_t> steps, std::optional<std::uint64_t> minibatches);
  void have_all_stand(bool with_models);
  void hear_standing(int from, const Control& control);
  void keep_model(int from, ConstVector model);
  void have_all_go_on(std::int64_t stood_ns);
  void agree_on_the_end();
  void tell_all(const Control& control);
  void count(Snapshot& snapshot) const;
  std::uint64_t least_closed() const;
  bool is_out_of_patience();
  [[noreturn]] void throw_lost(int rank);
  std::vector<std::byte> receive_bytes(int from);

  Connection& connection_;
  Member& self_;
  const StepRule rule_;
  RunState& state_;
  const Look look_;
  ModelGatherer gatherer_;

  std::vector<Standing> standings_;  // of each rank, when it stood last or, of servers, closed
  std::vector<bool> stands_;
  std::vector<Vector> models_;  // of other processes, as they were when they stood last
  std::deque<Heard> heard_;     // while all stood, and not obeyed yet
  GoOn agreed_;
  std::uint64_t done_before_ = 0;              // lockstep: steps in other legs
  int came_ = 0;                               // lockstep: workers that wait for a look
  std::uint64_t claimed_ = 0, completed_ = 0;  // free: minibatches
  std::vector<bool> ended_;
  std::optional<std::int64_t> patience_until_ns_;  // of an interrupted run
  bool wound_up_ = false;
  std::optional<FirstFailure> failure_;
  std::optional<int> lost_;  // the rank that does not answer
};

}  // namespace trainyard::mpi
