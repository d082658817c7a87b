#include "scheme/pipeline.hpp"

#include <algorithm>

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
    : stages(std::max(1, static_cast<int>(worker.hyperparameter("stages")))),
      stage(worker.comm().rank() % stages),
      pipelines(worker.comm().workers() / stages) {}

std::size_t rows_of_part(std::size_t rows, std::size_t index, std::size_t parts) {
  return rows / parts + (index < rows % parts ? 1 : 0);
}

PipelineStage::PipelineStage(Worker& worker, std::size_t most_in_flight)
    : worker_(worker), place_(worker), pass_(worker, most_in_flight) {
  if (place_.pipelines > 1) {
    twins_.emplace(worker.comm(), ranks_from(place_.stage, place_.stages, place_.pipelines));
  }
}

void PipelineStage::forward(Batch batch, ConstVector weights) {
  Communicator& comm = worker_.comm();
  const bool first = pass_.stage().first;
  const ConstVector up =
      first ? pass_.forward(batch, {}, weights)
            : pass_.forward(batch, comm.receive(comm.rank() - 1).vector(), weights);
  if (!pass_.stage().last) comm.send(comm.rank() + 1, up);
}

void PipelineStage::backward() {
  Communicator& comm = worker_.comm();
  const bool last = pass_.stage().last;
  const ConstVector down =
      last ? pass_.backward() : pass_.backward(comm.receive(comm.rank() + 1).vector());
  if (!pass_.stage().first) comm.send(comm.rank() - 1, down);
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
  minibatch_ = worker_.next_minibatch();
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

PipelineTimes::PipelineTimes(const StepSetting& setting)
    : setting_(setting),
      rows_(setting.batch * setting.stages.size()),
      microbatches_(std::min(rows_, static_cast<std::size_t>(hyperparameter(setting.hyperparameters,
                                                                            "microbatches")))) {}

double PipelineTimes::minibatches(std::size_t microbatch) const {
  return static_cast<double>(rows_of_part(rows_, microbatch, microbatches_)) /
         static_cast<double>(setting_.batch);
}

Duration PipelineTimes::forward(std::size_t stage, std::size_t microbatch) const {
  return scaled(setting_.compute, minibatches(microbatch) * setting_.stages[stage].forward);
}

Duration PipelineTimes::backward(std::size_t stage, std::size_t microbatch) const {
  return scaled(setting_.compute, minibatches(microbatch) * setting_.stages[stage].backward);
}

Duration PipelineTimes::message(std::size_t stage, std::size_t microbatch) const {
  return setting_.message(rows_of_part(rows_, microbatch, microbatches_) *
                          setting_.stages[stage].outputs);
}

Duration PipelineTimes::sum_over_pipelines(std::size_t stage) const {
  const int pipelines = setting_.workers / static_cast<int>(setting_.stages.size());
  return find_all_reduce("ring").duration(pipelines, 1, setting_.stages[stage].parameters.count,
                                          setting_.message);
}

}  // namespace trainyard
