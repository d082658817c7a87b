#include "trainyard/scheme/pipeline.hpp"

#include <algorithm>
#include <utility>

#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/model/layered_model.hpp"

namespace trainyard {

namespace {

/// Rows [first, first + count) of a batch.
void slice(Batch batch, std::size_t first, std::size_t count, std::vector<RowRange>& rows) {
  rows.clear();
  for (RowRange range : batch) {
    const std::size_t skipped = std::min(first, range.count);
    first -= skipped;
    range.first += skipped;
    range.count = std::min(range.count - skipped, count);
    count -= range.count;
    if (range.count > 0) rows.push_back(range);
  }
}

}  // namespace

PipelinePlace::PipelinePlace(Worker& worker)
    : parts(static_cast<int>(worker.hyperparameter("tensor-size"))),
      stages(std::max(1, static_cast<int>(worker.hyperparameter("stages")))),
      stage(worker.comm().rank() / parts % stages),
      pipelines(worker.comm().workers() / (stages * parts)) {}

std::size_t rows_of_part(std::size_t rows, std::size_t index, std::size_t parts) {
  return rows / parts + (index < rows % parts ? 1 : 0);
}

PipelineStage::PipelineStage(Worker& worker, std::size_t most_in_flight)
    : worker_(worker), place_(worker) {
  const int of_pipeline = place_.stages * place_.parts, rank = worker.comm().rank();
  if (place_.pipelines > 1) {
    twins_.emplace(worker.comm(), ranks_from(rank % of_pipeline, of_pipeline, place_.pipelines));
  }
  if (place_.parts == 1) {
    whole_.emplace(worker, most_in_flight);
    return;
  }
  const std::vector<Stage> cut = worker.layers().cut(place_.stages, 2);
  part_.emplace(worker, cut[static_cast<std::size_t>(place_.stage)], place_.parts,
                find_all_reduce("ring"), most_in_flight);
}

void PipelineStage::forward(Batch batch, ConstVector weights) {
  Communicator& comm = worker_.comm();
  const auto pass = [&](ConstVector below) {
    return part_ ? part_->forward(batch, below, weights) : whole_->forward(batch, below, weights);
  };
  const bool first = place_.stage == 0, last = place_.stage + 1 == place_.stages;
  const ConstVector up = first ? pass({}) : pass(comm.receive(comm.rank() - place_.parts).vector());
  if (!last) comm.send(comm.rank() + place_.parts, up);
}

void PipelineStage::backward() {
  Communicator& comm = worker_.comm();
  const auto pass = [&](ConstVector above) {
    return part_ ? part_->backward(above) : whole_->backward(above);
  };
  const bool first = place_.stage == 0, last = place_.stage + 1 == place_.stages;
  const ConstVector down =
      last ? pass({}) : pass(comm.receive(comm.rank() + place_.parts).vector());
  if (!first) comm.send(comm.rank() - place_.parts, down);
}

void PipelineStage::apply(Vector gradient) {
  if (twins_) ring_sum(*twins_, gradient);
  worker_.apply(gradient, 1.0 / place_.pipelines);
}

MicrobatchedStep::MicrobatchedStep(Worker& worker, std::size_t most_in_flight)
    : worker_(worker),
      stage_(worker, most_in_flight),
      asked_(static_cast<std::size_t>(worker.hyperparameter("microbatches"))) {
  if (asked_ > 1) sum_ = VectorBuffer(worker.replica().scalar(), worker.replica().size());
}

void MicrobatchedStep::begin() {
  minibatch_ = worker_.minibatches().next();
  rows_ = row_count(minibatch_);
  count_ = std::min(asked_, rows_);
  forward_ = backward_ = first_row_ = 0;
}

void MicrobatchedStep::forward() {
  const std::size_t rows = rows_of_part(rows_, forward_++, count_);
  slice(minibatch_, first_row_, rows, microbatch_);
  first_row_ += rows;
  stage_.forward(microbatch_);
}

void MicrobatchedStep::backward() {
  stage_.backward();
  const bool is_first = backward_ == 0;
  const double share =
      static_cast<double>(rows_of_part(rows_, backward_++, count_)) / static_cast<double>(rows_);
  if (count_ == 1) return;
  if (is_first) {
    kernels::scaled_copy(share, stage_.gradient(), sum_.view());
  } else {
    kernels::axpy(share, stage_.gradient(), sum_.view());
  }
}

void MicrobatchedStep::end() {
  stage_.apply(count_ == 1 ? stage_.gradient() : sum_.view());
}

namespace {

int tensor_size(const StepSetting& setting) {
  return static_cast<int>(hyperparameter(setting.hyperparameters, "tensor-size"));
}

}  // namespace

PipelineTimes::PipelineTimes(const StepSetting& setting, std::vector<Stage> stages)
    : setting_(setting),
      parts_(tensor_size(setting)),
      stages_(std::move(stages)),
      rows_(setting.batch * stages_.size() * static_cast<std::size_t>(parts_)),
      microbatches_(std::min(rows_, static_cast<std::size_t>(hyperparameter(setting.hyperparameters,
                                                                            "microbatches")))) {}

std::optional<PipelineTimes> PipelineTimes::of(const StepSetting& setting) {
  if (tensor_size(setting) == 1) {
    if (setting.stages.empty()) return std::nullopt;
    return PipelineTimes(setting, {setting.stages.begin(), setting.stages.end()});
  }
  const LayeredModel* model = setting.model == nullptr ? nullptr : setting.model->layered();
  if (model == nullptr) return std::nullopt;
  const double asked = hyperparameter(setting.hyperparameters, "stages");
  PipelineTimes times(setting, model->cut(static_cast<int>(std::max(1.0, asked)), 2));
  const std::vector<Stage> layers = model->cut(model->depth());
  for (const Stage& stage : times.stages_) {
    times.split_.emplace_back(setting, std::span(layers).subspan(stage.first_layer, stage.layers),
                              times.parts_, find_all_reduce("ring"));
  }
  if (!std::ranges::all_of(times.split_, &StagePartTimes::can_be)) return std::nullopt;
  return times;
}

std::size_t PipelineTimes::rows(std::size_t microbatch) const {
  return rows_of_part(rows_, microbatch, microbatches_);
}

double PipelineTimes::minibatches(std::size_t microbatch) const {
  return static_cast<double>(rows(microbatch)) / static_cast<double>(setting_.batch);
}

Duration PipelineTimes::forward(std::size_t stage, std::size_t microbatch) const {
  const double share = minibatches(microbatch);
  if (split_.empty()) return scaled(setting_.compute, share * stages_[stage].forward);
  return split_[stage].computing_forward(share);
}

Duration PipelineTimes::backward(std::size_t stage, std::size_t microbatch) const {
  const double share = minibatches(microbatch);
  if (split_.empty()) return scaled(setting_.compute, share * stages_[stage].backward);
  return split_[stage].computing_backward(share);
}

Duration PipelineTimes::adding_forward(std::size_t stage, std::size_t microbatch) const {
  return split_.empty() ? Duration{0} : split_[stage].adding_forward(rows(microbatch));
}

Duration PipelineTimes::adding_backward(std::size_t stage, std::size_t microbatch) const {
  return split_.empty() ? Duration{0} : split_[stage].adding_backward(rows(microbatch));
}

Duration PipelineTimes::message(std::size_t stage, std::size_t microbatch) const {
  return setting_.message(rows(microbatch) * stages_[stage].outputs);
}

Duration PipelineTimes::sum_over_pipelines(std::size_t stage) const {
  const int pipelines = setting_.workers / (static_cast<int>(stages_.size()) * parts_);
  const std::size_t parameters =
      split_.empty() ? stages_[stage].parameters.count : split_[stage].parameters();
  return find_all_reduce("ring").duration(pipelines, 1, parameters, setting_.message);
}

namespace {

/// A message on its way into a stage.
struct Passage {
  Duration from{0}, until{0};
};

/// When something ends that is received from `start` on for so long, and gives way to messages.
Duration end_of(Duration start, Duration length, const std::vector<Passage>& messages) {
  Duration end = start + length;
  for (const Passage& message : messages) {
    if (message.until <= start || message.from >= end) continue;
    end += message.until - std::max(message.from, start);
  }
  return end;
}

/// One pass of all microbatches through one stage and over its border.
struct StageRun {
  Duration free{0};  // the stage has done what it had to do
  Duration link{0};  // its port has

  /// `arriving`: what comes into this stage, and then what it sends to the next one.
  template <typename Work, typename Adding, typename Message>
  void pass(std::vector<Passage>& arriving, const Work& work, const Adding& adding,
            const Message& message) {
    std::vector<Passage> leaving(arriving.size());
    for (std::size_t j = 0; j < arriving.size(); ++j) {
      free = std::max(free, arriving[j].until) + work(j);
      if (const Duration sums = adding(j); sums > Duration{0}) {
        free = link = end_of(std::max(free, link), sums, arriving);
      }
      leaving[j].from = std::max(free, link);
      leaving[j].until = link = leaving[j].from + message(j);
    }
    arriving = std::move(leaving);
  }
};

}  // namespace

/// On their way up messages meet none on their way down: a stage sends the first one down when all
/// have come up to it.
Duration flush_time(const PipelineTimes& times) {
  const std::size_t stages = times.stages();
  std::vector<Passage> arriving(times.microbatches());
  std::vector<StageRun> runs(stages);
  for (std::size_t stage = 0; stage < stages; ++stage) {
    runs[stage].pass(
        arriving, [&](std::size_t j) { return times.forward(stage, j); },
        [&](std::size_t j) { return times.adding_forward(stage, j); },
        [&](std::size_t j) { return stage + 1 < stages ? times.message(stage, j) : Duration{0}; });
  }
  std::ranges::fill(arriving, Passage{});
  Duration step{0};
  for (std::size_t stage = stages; stage-- > 0;) {
    StageRun run{.free = runs[stage].free};
    run.pass(
        arriving, [&](std::size_t j) { return times.backward(stage, j); },
        [&](std::size_t j) { return times.adding_backward(stage, j); },
        [&](std::size_t j) { return stage > 0 ? times.message(stage - 1, j) : Duration{0}; });
    // Messages to the same stages of other pipelines go behind the last slopes.
    step = std::max(step, run.link + times.sum_over_pipelines(stage));
  }
  return step;
}

}  // namespace trainyard
