// What limits workers that train a model together, what would change that, and by how much.
//
//   const Advice advice = advise({.setting = setting, .measured_rate = 41.0});
//   advice.best().prediction.step_s;  // of which advice.limits.front() takes
//
// Every figure is a prediction (prediction.hpp): of the setting, or of one that differs from it in
// one thing. A rate is rows a second of all workers together. How many passes over the rows a
// scheme needs is not known here. A step of those that are `as_one` is, to the last bits of its
// sums, that of one worker with a minibatch as large as all of theirs together, so that their rates
// can be compared; of the others it is said how many times as many passes they can afford.
//
// Threads: the calling one, and those that predictions start, which have ended when it returns.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/analysis/checkpointing.hpp"
#include "trainyard/analysis/prediction.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/runtime/optimizer.hpp"

namespace trainyard {

struct AdviceQuestion {
  PredictionSetting setting;
  /// Of all workers, rows a second, as somebody has measured it; of this contestant, or else of the
  /// best one.
  std::optional<double> measured_rate{};
  std::optional<Contestant> measured{};
  /// B in rows: a step of m rows brings as much as one of infinitely many times m/(m + B)
  /// (McCandlish et al. 2018, §2.2). A run with --gradient-noise prints it.
  std::optional<double> noise_scale{};
  /// What a checkpoint takes, and how often something fails: it changes nobody's rate.
  std::optional<CheckpointTask> checkpoints{};
  /// Of each worker's machine, for the model and what steps it. Schemes that need more are left
  /// out.
  std::optional<std::uint64_t> memory_bytes{};
  OptimizerOptions optimizer{};  // whose state is in that memory
};

/// What a worker has at least: the model, its gradient, what the optimizer keeps (on servers where
/// they step), and what the scheme's rule keeps or receives besides. Not: rows, activations, and
/// encoded messages.
struct MemoryNeed {
  double vectors = 2.0;  // each as long as the model, in single precision
  double bytes = 0.0;
};

struct AdvisedScheme {
  Prediction prediction;
  bool as_one = true;
  std::string learns{};  // if it is not as one: by what its steps differ
  double rate = 0.0;
  double share = 0.0;  // of what the workers do that wait for nothing
  MemoryNeed memory{};
};

/// By how much a step of the best scheme would be shorter without it, in seconds. Of computing:
/// what it takes.
struct Limit {
  std::string name{};  // bandwidth, latency, stragglers, computing
  double seconds = 0.0;
};

/// Something that could be otherwise.
struct Lever {
  std::string what{};                 // "twice the bandwidth"
  std::string scheme{};               // the fastest then
  std::vector<OptionText> changes{};  // of the setting
  double step_s = 0.0, rate = 0.0;
  double factor = 1.0;  // of the rate of the best scheme as it is
  std::string cost{};   // what it costs in learning; empty: nothing
};

/// The bandwidth, of all ports both ways, or between racks where that differs, at which the best
/// scheme reaches a share of the rate of workers that wait for nothing; empty where no bandwidth
/// does.
struct BandwidthNeed {
  double share = 0.9;
  bool between_racks = false;  // whose links it is about
  std::optional<double> bytes_per_second{};
  double most_share = 0.0;  // with an infinite bandwidth
};

/// With a noise scale B, n workers of b rows take (1 + B/(n b)) times as many steps as infinitely
/// many rows would.
struct WorkerCount {
  int workers = 1;
  double step_s = 0.0;
  double time = 1.0;  // to the target, relative to the workers that there are
};

/// One thing that alone would explain the measured rate.
struct Explanation {
  std::string what{};
  std::vector<OptionText> changes{};  // with which the prediction is the measured rate
};

struct Advice {
  double alone_rate = 0.0;               // of the fastest worker
  double ideal_rate = 0.0;               // of all, if none ever waited
  std::vector<AdvisedScheme> schemes{};  // as one first, of each kind the fastest first
  std::vector<std::string> left_out{};   // that cannot run so, and why
  std::vector<Limit> limits{};           // the largest first
  /// That gain more than 2 %, the largest gain first; of other ways to talk the three fastest.
  std::vector<Lever> levers{};
  BandwidthNeed need{};
  std::vector<WorkerCount> workers{};  // with a noise scale
  /// Steps of the best scheme from one checkpoint to the next, where checkpoints are asked about.
  std::optional<CheckpointedSteps> checkpoints{};
  double expected_rate = 0.0;  // of what was measured
  std::vector<Explanation> explanations{};

  const AdvisedScheme& best() const { return schemes.front(); }
};

/// Throws UsageError where the setting contradicts itself: a measured rate beyond what the workers
/// can do that wait for nothing, a model that the memory does not hold, failures that come before
/// any checkpoint is written; or where there are more than 128 workers.
Advice advise(const AdviceQuestion& question);

/// Large models are played by a smaller one, so that a hundred predictions take about a second.
void play_smaller(PredictionSetting& setting);

/// The schemes that it looks at, as contestants are typed.
std::vector<std::string> advised_schemes();
/// The options of its setting: those of a prediction that say what the machines and links are like.
std::span<const std::string_view> advised_options();

}  // namespace trainyard
