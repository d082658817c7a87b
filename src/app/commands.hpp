// The program's subcommands. Each returns the exit status, and throws what main() turns into one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/analysis/advice.hpp"
#include "trainyard/analysis/break_even.hpp"
#include "trainyard/analysis/checkpointing.hpp"
#include "trainyard/analysis/exchange_bounds.hpp"
#include "trainyard/analysis/netcheck.hpp"
#include "trainyard/analysis/prediction.hpp"
#include "trainyard/analysis/sweep.hpp"
#include "trainyard/analysis/timeline.hpp"
#include "trainyard/analysis/training_time.hpp"
#include "trainyard/configuration/configuration.hpp"
#include "trainyard/report/compute_share_format.hpp"
#include "trainyard/study/advised_training.hpp"
#include "trainyard/study/comparison.hpp"
#include "trainyard/study/crossover_map.hpp"
#include "trainyard/study/published.hpp"
#include "trainyard/study/target_times.hpp"

#include "app/answer.hpp"

namespace trainyard {
class Processes;
}

namespace trainyard::app {

inline constexpr int exit_done = 0;
inline constexpr int exit_failed = 1;  // RunError: disk, memory, threads; or a defect of ours
inline constexpr int exit_usage = 2;
inline constexpr int exit_data = 3;
inline constexpr int exit_diverged = 4;
inline constexpr int exit_not_reproduced = 5;  // a published result is not as its page says
inline constexpr int exit_interrupted = 130;

/// `processes`: whose ranks run it; called by all of them. nullptr: ranks are this process's own.
int run_command(const Configuration& configuration, Processes* processes);
/// The figure that a comparison is drawn as besides; of no file: none.
struct Picture {
  std::filesystem::path file{};
  bool overwrite = false;
};
/// `goes_on`: with the comparison in --out.
int compare_command(const ComparisonRequest& request, bool goes_on, const Picture& picture);
int map_command(const MapRequest& request);
/// `name`: of `schemes`, `presets` or `labs`, the one that is told about; empty: a line each.
int list_command(const std::string& what, const std::string& name, bool json);
int timeline_command(const std::string& what, const std::vector<OptionText>& options,
                     const AnswerOutput& output);
struct TopologyQuestion {
  std::string name;
  std::vector<int> workers;  // a line each
  std::uint64_t seed = 1;
  std::uint64_t model_bytes = std::uint64_t{1} << 20U;
  AnswerOutput output{};
};
int topology_command(const TopologyQuestion& question);
struct ConsensusQuestion {
  std::string topology;
  int workers = 8;
  std::uint64_t seed = 1;
  std::uint64_t rounds = 20;
  std::filesystem::path from{};  // empty: x_i = i
  AnswerOutput output{};
};
int consensus_command(const ConsensusQuestion& question);
int netcheck_command(const NetcheckOptions& options, const std::vector<std::string>& collectives,
                     const AnswerOutput& output);
struct PredictQuestion {
  PredictionSetting setting{};
  std::vector<Contestant> contestants{};
  std::optional<Variation> varied{};
  std::optional<double> reduce_rate{}, update_rate{};  // bytes a second; empty: the source's
  AnswerOutput output{};
};
int predict_command(const PredictQuestion& question);
int break_even_command(const PredictionSetting& setting, const std::vector<CodedScheme>& schemes,
                       const AnswerOutput& output);
/// The time of the task, or, where it is empty, of published ones.
int training_time_command(const std::optional<TrainingTask>& task, const AnswerOutput& output);
/// How many of the fastest workers are worth using.
int optimal_time_command(const PredictionSetting& setting, double noise_ratio,
                         const AnswerOutput& output);
/// The bandwidth at which so much of the time is computing.
int compute_share_command(const ComputeShareQuestion& question, const AnswerOutput& output);
struct CheckpointQuestion {
  CheckpointTask task{};
  std::optional<WorkerFailures> workers{};  // empty: failures are known of all together
  PredictionSetting setting{};
  std::vector<Contestant> contestants{};  // whose steps are counted
  AnswerOutput output{};
};
/// How often to write a checkpoint.
int checkpoint_command(const CheckpointQuestion& question);
/// Searches splits of the configuration's model on its data set.
int split_search_command(const Configuration& configuration, const AnswerOutput& output);
/// Runs that say how many passes each way to talk needs.
struct AdvisedTraining {
  Configuration configuration{};  // of the data and the target
  int seeds = advised_seeds;
  int finalists = seeds_of_finalists;  // as many seeds for who may be first
};
struct AdviseRequest {
  AdviceQuestion question{};
  std::optional<AdvisedTraining> training{};  // where a target is named
  /// Of this machine, whose memory all workers share: the question is which way, with how many of
  /// them, and .question says nothing. 0: machines apart.
  int cores = 0;
  AnswerOutput output{};
};
/// What limits workers, and what would change that.
int advise_command(const AdviseRequest& request);
struct ReproduceQuestion {
  std::vector<const PublishedResult*> results{};  // empty: which there are
  std::filesystem::path data_dir = "data";
  AnswerOutput output{};
};
/// Ours beside what is published.
int reproduce_command(const ReproduceQuestion& question);
struct ReportQuestion {
  std::vector<std::filesystem::path> folders;
  AnswerOutput output{};
};
int report_command(const ReportQuestion& question);
struct LabPlace {
  std::string name;                // of a lab; empty: the page of all
  int port = 0;                    // 0: any that is free
  std::string network_address{};   // empty: loopback
  std::filesystem::path folder{};  // pages are written there instead
  bool without_answers = false;
  bool force = false;
  bool quiet = false;
};
/// Returns when it is interrupted, which is how it ends.
int lab_command(const LabPlace& place);
struct SplitRequest {
  Configuration configuration{};  // of which the data, workers and seed say what is written
  std::filesystem::path out{};
  bool force = false;
  AnswerOutput output{};
};
int split_command(const SplitRequest& request);
struct ScoreQuestion {
  std::filesystem::path folder{}, file{};  // of a run; of rows, "-" for standard input
  std::string format{};                    // empty: by the file's name
  std::filesystem::path labels{};          // empty: by the file's name
  bool without_labels = false;
  std::string weight_column{};   // empty: the training file's
  std::filesystem::path out{};   // empty: standard output
  std::filesystem::path html{};  // empty: no page
  bool force = false, json = false;
};
int score_command(const ScoreQuestion& question);
struct ExportQuestion {
  std::filesystem::path folder{};  // of a run
  std::filesystem::path out = "model.onnx";
  bool force = false;
};
int export_command(const ExportQuestion& question);
struct MachineQuestion {
  int ranks = 0;  // 0: one for each core
  Placement placement = Placement::compact;
  bool measure = false;  // what its cores take to talk to each other, too
  AnswerOutput output{};
};
int machine_command(const MachineQuestion& question);

}  // namespace trainyard::app
