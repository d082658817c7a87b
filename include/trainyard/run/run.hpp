// From a configuration to a finished run.
//
//   const LoadedData data = load_dataset(dataset_request(configuration));
//   const RunResult result = run_experiment(prepare_run(configuration, data, {}), {});
//   fmt::print("{}\n", result.summary.train_loss);
//
// Threads: the calling one, and those that the run starts, which have ended when it returns. An
// exception of any rank ends the others and is rethrown.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trainyard/base/vector.hpp"
#include "trainyard/configuration/configuration.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/data/catalog.hpp"
#include "trainyard/hardware/counters.hpp"
#include "trainyard/run/gradient_noise.hpp"
#include "trainyard/run/notes.hpp"
#include "trainyard/runtime/rank.hpp"
#include "trainyard/runtime/staleness.hpp"

namespace trainyard {

class Archive;    // data/archive.hpp
class Pacing;     // runtime/pacing.hpp
class Processes;  // runtime/processes.hpp
class RunState;
class TraceRecorder;
struct Plan;
struct Trace;

/// One evaluation.
struct Metrics {
  double step = 0.0;  // minibatches a worker so far
  double epoch = 0.0;
  double seconds = 0.0;  // of the run's clock
  std::uint64_t samples = 0, bytes_sent = 0;
  double train_loss = 0.0;                     // the objective: mean loss + (λ/2)‖w‖²
  std::optional<double> test_loss{};           // mean loss
  std::optional<double> test_accuracy{};       // fraction right
  std::optional<double> consensus_distance{};  // (1/n) Σ‖x_i − x̄‖²; empty without replicas
  /// ‖∇F(x̄)‖² over all training rows, where somebody asked for it (catalogue §1.4's criterion).
  std::optional<double> squared_gradient_norm{};
  GradientNoise gradient_noise{};  // where somebody asked for it
  /// F(x̄) − F* and ‖x̄ − x*‖, where somebody asked for the optimum (optimum.hpp).
  std::optional<double> suboptimality{}, optimum_distance{};
  /// 1 − Σ(x·w − y)² / Σ(y − ȳ)², for real labels.
  std::optional<double> train_r_squared{}, test_r_squared{};
  std::optional<double> validation_loss{}, validation_accuracy{};  // as those of test rows
  /// --metric, where it is not the loss.
  std::optional<double> test_metric{}, validation_metric{};
};

struct StalenessSummary {
  double mean = 0.0;
  std::uint64_t p50 = 0, p99 = 0, max = 0;
};

/// The question that the run answers.
struct AskedFor {
  std::string label;                   // of the contestant; otherwise the scheme's name
  std::vector<OptionText> settings{};  // of the contestant's own
  std::vector<OptionText> varied{};    // the point of a comparison's grid
  std::vector<OptionText> tuned{};     // step sizes that were found for it (study/tuning.hpp)
  std::string scheme;
  int workers = 0, servers = 0;
  std::string time;  // "wall" or "virtual"
  std::uint64_t seed = 0;

  std::string dataset;
  std::size_t rows = 0, features = 0, test_rows = 0, validation_rows = 0;
  int classes = 0;
  std::string model;
  std::optional<std::string> metric{};  // --metric, where it is not the loss
  std::size_t parameters = 0;
  double lr = 0.0;                                      // γ₀
  std::size_t batch = 0;                                // a worker
  double latency_s = 0.0, bandwidth_bytes_per_s = 0.0;  // between workers of one rack
  std::string ports, partition, stragglers;             // as the options are written

  /// Of workers that share a model in memory, where the network that was asked for lies between
  /// machines: where they are all the same, as the scheme's row says it. Such a run is no
  /// contestant over that network, and stands apart.
  std::optional<std::string> within;
};

/// How far it came.
struct WorkDone {
  double steps = 0.0;  // a worker, on average
  double epochs = 0.0;
  std::uint64_t samples = 0;           // that the model has learnt from
  std::uint64_t samples_computed = 0;  // more, where gradients were dropped or computed twice
  std::uint64_t gradients = 0;         // of minibatches, all that were computed
};

/// The model at the end of the run, or the best one with --patience.
struct ModelFigures {
  double train_loss = 0.0;
  std::optional<double> test_loss, test_accuracy;
  std::optional<double> validation_loss, validation_accuracy;
  std::optional<double> test_metric, validation_metric;
  std::optional<double> kept_epoch;  // with --patience: of the evaluation that it is the model of
  std::optional<double> consensus_distance, squared_gradient_norm;
  GradientNoise gradient_noise;
  std::optional<double> suboptimality, optimum_distance;
  /// Of schemes whose rate has one (GraphUse), over graphs for which it is worked out: of the order
  /// of how many steps, with workers' data alike, times L(f(x⁰) − f*)/σ² (topology/transient.hpp).
  std::optional<double> transient_iterations;
  std::optional<double> train_r_squared, test_r_squared;
  std::string model_hash;
};

/// The optimum, where somebody asked for it (optimum.hpp): F*, and the factor by which F − F* falls
/// in a pass over the data, with its standard error.
struct OptimumFigures {
  std::optional<double> optimum_loss, linear_rate, linear_rate_error;
};

/// The way to a target, where there is one.
struct TargetFigures {
  std::optional<double> target_loss, target_accuracy, target_gradient;  // one of them at most
  std::optional<double> seconds_to_target, epochs_to_target, target_interval_s;  // target.hpp
  /// Over `sequential` of the same comparison, seed and point, to the target: T₁/T, which is what a
  /// pass over the data takes less time, times what there are fewer passes.
  std::optional<double> speed_up, speed_up_pass_time, speed_up_passes;
};

/// How the time was spent.
struct TimeFigures {
  double seconds = 0.0;
  double compute_s = 0.0, transfer_s = 0.0,
         wait_s = 0.0;                    // mean over workers; they add up to `seconds`
  std::optional<double> compute_stretch;  // in wall: RuntimeReport::compute_stretch
  /// The part of `compute_s` that coding took, for schemes that encode.
  std::optional<double> coding_s;
  /// With --on-failure restart or stop: how often a worker or server crashed, and the time for
  /// which that threw the run back: what had been done since the last checkpoint, and until all
  /// were back. It is in the three parts above, as it was spent, and as waiting.
  std::optional<std::uint64_t> crashes;
  std::optional<double> lost_s;
  /// Of workers that share models, in `virtual`, unless lines are free: the part of `compute_s` in
  /// which they wait for cache lines.
  std::optional<double> lines_s;
  double samples_per_second = 0.0;
};

/// The messages that were sent, and how stale the models were.
struct MessageFigures {
  std::uint64_t messages = 0, bytes_sent = 0;
  /// Of the messages those that nobody took in any more: under way when the run, or their receiver,
  /// had ended. Empty where ranks could not be asked at the end.
  std::optional<std::uint64_t> messages_dropped;
  /// Tries to send one that were lost on purpose, and made again. Empty where nobody counted them.
  std::optional<std::uint64_t> tries_lost;
  std::optional<StalenessSummary> staleness;
  /// Of schemes that encode: how many times shorter vectors became, and Σ‖C(x) − x‖² / Σ‖x‖² of a
  /// sample of them.
  std::optional<double> compression, coding_error;
};

/// The machine, as observed in `wall`.
struct MachineFigures {
  std::optional<std::string> machine;  // hardware/machine.hpp's description
  std::optional<std::string> ran_on;   // where the ranks were at the end, in one line
  std::optional<std::uint64_t> moves;  // of all ranks from one hardware thread to another
  /// With --counters: of all ranks together, without the setup before the run's clock starts. What
  /// is not available for every one of them is empty.
  std::optional<ThreadCounts> counts;
  /// Energy of the processor's packages (hardware/energy.hpp), without the evaluations.
  std::optional<double> energy_j;
};

/// A finished run: whoever needs one part of it takes that.
struct Summary : AskedFor,
                 WorkDone,
                 ModelFigures,
                 OptimumFigures,
                 TargetFigures,
                 TimeFigures,
                 MessageFigures,
                 MachineFigures {
  bool diverged = false, interrupted = false;
  bool crashed = false;       // a crash (--fault) ended it before its time
  std::vector<Note> notes{};  // those of its plan, and what was said while it ran
};

struct RunResult {
  Configuration resolved;  // what was run
  Summary summary;
  std::vector<Metrics> metrics;
  std::vector<RankAccount> accounts;
  std::vector<ThreadPlace> places;     // in wall: of each rank
  std::vector<ThreadCounts> counts;    // in wall, with --counters: of each rank
  Staleness staleness;                 // of which the summary has the mean and quantiles
  std::shared_ptr<const Trace> trace;  // null without a recorder
  VectorBuffer model;
  Preparation preparation{};  // that made its rows; of no features: not known
};

/// Callbacks of a run that is under way.
struct RunHooks {
  std::function<void(const Metrics&)> evaluated;
  /// An evaluation from before the checkpoint that the run goes on from: told of once more.
  std::function<void(const Metrics&)> recalled{};
  Remark remark;  // what was decided and why; notes
  const std::atomic<bool>* interrupted = nullptr;
  /// Sets `interrupted`, where ranks are processes and another one was interrupted.
  std::function<void()> interrupt{};
  /// Asked after each evaluation, with all so far, whether the run ends there; instead of whether
  /// the target is reached.
  std::function<bool(std::span<const Metrics>)> ends{};
  TraceRecorder* recorder = nullptr;                // for RunResult::trace
  std::function<void(const RunState&)> finished{};  // what the ranks hold at the end
  /// A checkpoint that the run goes on from (checkpoint.hpp).
  Archive* resumed = nullptr;
  std::function<void(const RunState&)> leg_ended{};  // another one follows; for tests
  /// Changes how the ranks are run, before they start; for tests.
  std::function<void(RuntimeSetup&)> set_up{};
  /// Called by each rank before its program, which then talks through what it returns
  /// (rank_wrapper.hpp).
  std::function<std::unique_ptr<Rank>(Rank&)> wrap{};
  /// Called before the ranks begin, in each leg, which then ask what it returns for their steps.
  std::function<std::unique_ptr<Pacing>(Pacing&)> wrap_pacing{};
  /// Ranks are processes, of which this is one: all of them call run_experiment(), with the same
  /// plan, in `wall`. The leading one returns the result, the others nothing.
  Processes* processes = nullptr;
};

DatasetRequest dataset_request(const Configuration& configuration);

/// A run that diverges or is interrupted is a result, and says so.
RunResult run_experiment(const Plan& plan, const RunHooks& hooks);

}  // namespace trainyard
