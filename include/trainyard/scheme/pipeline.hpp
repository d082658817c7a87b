// Shared by schemes whose workers are the stages of pipelines (cast::pipelines): a minibatch on its
// way through a stage and over its borders, and a step in microbatches.
//
// A step's gradient is Σ_j (rows of microbatch j / rows of the minibatch) · g_j, added up in the
// order of j by every stage and in either schedule, g_j being the mean over microbatch j with its
// regulariser. So gpipe and 1f1b give the same bits, those of one rank that adds up the gradients
// of the same microbatches in that order, wherever the layers are cut; with one microbatch they are
// the bits of the whole minibatch's gradient.
//
// Data × pipeline × tensor (Narayanan et al. 2021): each stage may be split among T neighbouring
// workers (split_stage.hpp), and then it has pairs of layers. The parts of a stage talk among
// themselves several times a microbatch, each part of a stage with the same part of the stages
// below and above once, and with the same part of the other pipelines once a step. Sums over parts
// are rounded otherwise than in one piece.
//
// Threads: as of a Worker, whose program has one of these.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "trainyard/base/vector.hpp"
#include "trainyard/runtime/group.hpp"
#include "trainyard/runtime/stage_pass.hpp"
#include "trainyard/scheme/scheme.hpp"
#include "trainyard/scheme/split_stage.hpp"

namespace trainyard {

/// Which stage of which pipeline a worker is, or which part of it. Ranks count parts, then stages,
/// then pipelines.
struct PipelinePlace {
  int parts = 1;      // T of a stage
  int stages = 1;     // p of its pipeline
  int stage = 0;      // from 0
  int pipelines = 1;  // n / (p·T)

  explicit PipelinePlace(Worker& worker);
  /// Minibatches that have gone forward and not yet backward where a stage begins as soon as it can
  /// to take one backward for each that it takes forward: those that the stages above need.
  int ahead() const { return stages - 1 - stage; }
};

/// Rows of part `index` when so many rows are cut into `parts`, longer parts first.
std::size_t rows_of_part(std::size_t rows, std::size_t index, std::size_t parts);

/// A worker as a stage of its pipeline.
class PipelineStage {
 public:
  PipelineStage(Worker& worker, std::size_t most_in_flight);

  /// Takes in what the stage below made of `batch`, and gives its own to the stage above.
  void forward(Batch batch, ConstVector weights = {});
  /// The same downwards, for the batch that is the longest on its way.
  void backward();
  /// The gradient of that batch.
  Vector gradient() { return part_ ? part_->gradient() : whole_->gradient(); }
  /// One step by the mean over all pipelines.
  void apply(Vector gradient);

 private:
  Worker& worker_;
  const PipelinePlace place_;
  std::optional<StagePass> whole_;          // where the stage is in one piece
  std::optional<StagePart> part_;           // where it is not
  std::optional<GroupCommunicator> twins_;  // the same stage of all pipelines
};

/// A step of a stage in microbatches: begin(), as often forward() and backward() as there are
/// count(), end().
class MicrobatchedStep {
 public:
  MicrobatchedStep(Worker& worker, std::size_t most_in_flight);

  void begin();
  /// The number that the scheme is asked for, or that of the minibatch's rows if these are fewer.
  int count() const { return static_cast<int>(count_); }
  void forward();
  void backward();
  void end();

 private:
  Worker& worker_;
  PipelineStage stage_;
  const std::size_t asked_;
  VectorBuffer sum_;
  Batch minibatch_;
  std::size_t rows_ = 0, count_ = 0;
  std::size_t forward_ = 0, backward_ = 0;  // microbatches that have gone that way
  std::size_t first_row_ = 0;               // of the next one to go forward
  std::vector<RowRange> microbatch_;
};

/// How long each microbatch takes in each stage and from stage to stage, in lock-step.
class PipelineTimes {
 public:
  /// Empty where nobody knows: a split model without its layers at hand, or of fewer units than
  /// parts. `setting` outlives it.
  static std::optional<PipelineTimes> of(const StepSetting& setting);

  std::size_t stages() const { return stages_.size(); }
  std::size_t microbatches() const { return microbatches_; }
  /// T: workers that hold a stage.
  int parts() const { return parts_; }
  /// The parts of each stage are of one size. Others take as long as if all were as the largest,
  /// which is an estimate.
  bool even() const { return std::ranges::all_of(split_, &StagePartTimes::even); }
  Duration forward(std::size_t stage, std::size_t microbatch) const;
  Duration backward(std::size_t stage, std::size_t microbatch) const;
  /// All-reduces of a stage's parts meanwhile; nothing of a stage in one piece.
  Duration adding_forward(std::size_t stage, std::size_t microbatch) const;
  Duration adding_backward(std::size_t stage, std::size_t microbatch) const;
  /// The time of a message over the border between `stage` and the next, either way.
  Duration message(std::size_t stage, std::size_t microbatch) const;
  /// The sum of a stage's gradients over all pipelines.
  Duration sum_over_pipelines(std::size_t stage) const;

 private:
  PipelineTimes(const StepSetting& setting, std::vector<Stage> stages);
  double minibatches(std::size_t microbatch) const;
  std::size_t rows(std::size_t microbatch) const;

  const StepSetting& setting_;
  int parts_;
  std::vector<Stage> stages_;
  std::vector<StagePartTimes> split_;  // of each stage, where they are split
  std::size_t rows_, microbatches_;
};

/// A step of all microbatches forward, then all backward. Exact of stages in one piece, and where
/// messages take no time; else an estimate: the sums of a stage's parts give way in a port to what
/// comes from another stage, as if they came all together behind the stage's arithmetic.
Duration flush_time(const PipelineTimes& times);

}  // namespace trainyard
