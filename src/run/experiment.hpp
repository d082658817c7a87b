// One run under way: everything that its ranks share, and what has been seen of it. run.cpp has how
// the ranks of a leg are run and what comes of the run, legs.cpp how one leg follows another.
//
// Threads: the calling one; looks are taken by whoever runs the ranks, while they stand still.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "trainyard/run/checkpoint.hpp"
#include "trainyard/run/evaluation.hpp"
#include "trainyard/run/optimum.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/run.hpp"
#include "trainyard/run/target.hpp"
#include "trainyard/runtime/pacer.hpp"
#include "trainyard/runtime/processes.hpp"
#include "trainyard/runtime/run_context.hpp"
#include "trainyard/runtime/run_state.hpp"
#include "trainyard/runtime/shared_lines.hpp"

#include "run/best_model.hpp"
#include "run/failures.hpp"
#include "run/membership.hpp"
#include "run/observation.hpp"
#include "run/setting_out.hpp"

namespace trainyard {

/// By crashes that throw all ranks back, or one step of all.
struct Lost {
  Duration time{0};
  std::uint64_t crashes = 0, steps = 0, messages = 0;  // steps: of workers; messages: under way
};

/// Of each rank: what it has coded, and how long it has waited for lines.
using Spent = std::vector<std::pair<CodingAccount, Duration>>;

class Experiment {
 public:
  Experiment(const Plan& plan, const RunHooks& hooks);
  RunResult run();

 private:
  void begin_model();
  void begin(RunState& state, RuntimeSetup& setup, StepRule& rule);
  RuntimeReport run_legs(RuntimeSetup& setup, std::optional<RunState>& state, StepRule whole);
  RuntimeReport run_leg(const RuntimeSetup& setup, RunState& state, const StepRule& rule);
  void end_leg(RunState& state, RuntimeSetup& setup);
  bool goes_on_after(const RuntimeReport& report, const StepRule& rule,
                     const StepRule& whole) const;
  Time agreed_end(const RuntimeReport& report) const;
  void save(RunState& state, Begun& begun);
  void write(Archive& archive);
  void keep_for_restart(RunState& state, Begun& begun);
  bool is_thrown_back(Time ends) const;
  std::string why_it_ends(const Failure& failure, Duration limit);
  bool go_back(const RuntimeReport& report, RuntimeSetup& setup, std::optional<RunState>& state,
               Duration limit);
  void restore(std::optional<RunState>& state);
  static Spent spent_in(const RunState& state);
  static void put_back(const Spent& spent, RunState& state);
  void count_lost_messages(const RuntimeReport& report);
  void count_tries(RuntimeReport& report);
  void count_stretch(const std::vector<RankAccount>& before, RuntimeReport& report);
  bool members_change(Time ends);
  bool reform(RuntimeReport& report, RuntimeSetup& setup, std::optional<RunState>& state,
              StepRule& whole);
  bool lose_member(const MemberChange& change, const RuntimeReport& report, RuntimeSetup& setup,
                   std::optional<RunState>& state, StepRule& whole);
  RuntimeReport replay(RuntimeSetup& setup, std::optional<RunState>& state, const StepRule& whole,
                       std::uint64_t steps, Time ends);
  std::string form(const std::vector<int>& ranks, const MemberChange& change);
  bool form_anew(const MemberChange& change, RuntimeSetup& setup, std::optional<RunState>& state,
                 StepRule& whole);
  Duration take_in(int joining, int donor, std::size_t bytes, RuntimeSetup& setup) const;
  Time next_interruption(Time begins);
  Duration checkpoint_time() const;
  static Begun later(const RuntimeReport& report, Time moment);
  void exchange(Archive& archive, RunState& state, Begun& begun);
  void identify(Archive& archive);
  void begin_state(std::optional<RunState>& state) const;
  void hear();
  void remark_dropped();
  void remark_crashes();
  void remark_members() const;
  void remark_lost_ranks(const RuntimeReport& report, const RunState& state);
  RuntimeSetup runtime_setup() const;
  RunContext context(RunState& state);
  Pacing& pacing();
  /// The run of the present members.
  const Plan& present() const { return formation_ ? formation_->plan : plan_; }
  void run_rank(Rank& rank, const RunContext& context, Observation::Watch& watch);
  RuntimeReport run_ranks(const RuntimeSetup& setup, const RunContext& context,
                          ProcessRun* process);
  RuntimeReport run_until_not_finite(const RuntimeSetup& setup, const RunContext& context,
                                     ProcessRun* process);
  bool leads() const { return hooks_.processes == nullptr || hooks_.processes->leads(); }
  bool look(const Snapshot& snapshot);
  bool is_as_seen(const Snapshot& end) const;
  RunResult result_so_far(const std::string& why, const RuntimeReport& report,
                          const RunState& state);
  RunResult result_at_last_look(const std::string& why, const RuntimeReport& report,
                                const RunState& state);
  RunResult result(const Snapshot& end, const RuntimeReport& report, const RunState& state,
                   std::uint64_t worker_steps);

  const Plan& plan_;
  const Configuration& config_;
  const LoadedData& data_;
  RunHooks hooks_;  // whose remark keeps notes
  const bool is_heard_;
  const std::atomic<bool> never_{false};
  const std::atomic<bool>& interrupted_;
  const GracePeriod grace_;
  const Scheme& scheme_;
  const Cast& cast_;
  const Model& model_;
  const std::optional<Target> target_;
  const std::shared_ptr<const Optimum> optimum_;  // of who leads; null where nobody asked for it
  Observation observation_;
  VectorBuffer initial_;
  std::vector<Metrics> metrics_;
  std::string network_note_;       // of an emulated one among processes
  std::optional<BestModel> best_;  // with --patience
  Snapshot last_look_;
  VectorBuffer last_model_;  // of that look
  bool ends_at_look_ = false;
  bool accounts_are_lost_ = false;  // of the ranks
  bool diverged_ = false;
  std::vector<Note> notes_;
  const Shares shares_;  // of all workers
  std::unique_ptr<SharedLines> lines_;
  std::unique_ptr<DealBySpeed> by_speed_;  // of the present leg, if it is asked for

  const std::optional<CheckpointFolder> folder_;
  std::optional<std::uint64_t> rows_print_;  // of the training rows, once it is asked for
  std::uint64_t leg_ = 0;                    // the present one
  std::uint64_t dropped_ = 0;                // messages that were under way when legs ended
  std::optional<std::uint64_t> tries_lost_;  // in all legs
  Duration computing_{0};                    // of all legs, in wall
  double computing_alone_ = 0.0;             // and its seconds on cores of its own
  std::uint64_t begun_with_ = 0;             // steps of workers, the present leg
  std::size_t heard_ = 0;                    // evaluations

  // What crashes throw back, not those that only others wait for.
  std::optional<Failures> failures_;
  std::optional<Archive> kept_;  // what the run goes back to
  Lost lost_;
  std::size_t in_a_row_ = 0;  // crashes within one leg; of members, without a step
  // Of a run whose members change, which goes on as a smaller one.
  std::optional<Membership> membership_;
  std::unique_ptr<Formation> formation_;  // null: all are members
  std::uint64_t formations_ = 0, returns_ = 0;
  std::uint64_t steps_formed_with_ = 0;        // of workers, when one was lost the last time
  std::size_t fewest_ = 0;                     // workers
  std::set<std::string> alike_;                // RunState::held_alike(), when there were several
  std::optional<std::uint64_t> tries_before_;  // the present leg
  std::string ended_by_;                       // a crash; empty: it did not end the run
  std::optional<Pacer> pacer_;
  std::unique_ptr<ProcessRun> process_;
  std::unique_ptr<Pacing> wrapped_pacing_;
};

}  // namespace trainyard
