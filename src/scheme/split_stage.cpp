#include "trainyard/scheme/split_stage.hpp"

#include "trainyard/collective/all_reduce_max.hpp"

namespace trainyard {

StagePart::StagePart(Worker& worker, const Stage& stage, int parts, const AllReduce& collective,
                     std::size_t most_in_flight)
    : collective_(collective),
      parts_(worker.comm(),
             ranks_from(worker.comm().rank() - worker.comm().rank() % parts, 1, parts)),
      pass_(worker, stage, parts_.rank(), parts, most_in_flight) {}

void StagePart::add_up(Vector terms) {
  if (!terms.empty()) all_reduce_sum(parts_, terms, collective_);
}

ConstVector StagePart::forward(Batch batch, ConstVector below, ConstVector weights) {
  pass_.begin(batch, below, weights);
  for (std::size_t block = 0; block < pass_.blocks(); ++block) add_up(pass_.forward(block));
  if (pass_.scores_are_split()) {
    all_reduce_max(parts_, pass_.greatest_scores().floats());
    add_up(pass_.sums_of_exponentials());
  }
  return pass_.units_of_stage();
}

ConstVector StagePart::backward(ConstVector above) {
  pass_.turn(above);
  for (std::size_t block = pass_.blocks(); block-- > 0;) add_up(pass_.backward(block));
  return pass_.end();
}

StagePartTimes::StagePartTimes(const StepSetting& setting, std::span<const Stage> layers, int parts,
                               const AllReduce& collective)
    : setting_(setting),
      layers_(layers.begin(), layers.end()),
      parts_(parts),
      collective_(collective) {}

bool StagePartTimes::can_be() const {
  for (std::size_t l = 0; l < layers_.size(); l += 2) {
    const bool may_lack = layers_[l].last && layers_.size() > 1;
    if (!may_lack && layers_[l].outputs < static_cast<std::size_t>(parts_)) return false;
  }
  return true;
}

bool StagePartTimes::even() const {
  for (std::size_t l = 0; l < layers_.size(); l += 2) {
    if (layers_[l].outputs % static_cast<std::size_t>(parts_) != 0) return false;
  }
  return true;
}

/// The largest share of a layer's arithmetic; a pair's second layer is divided by the rows that the
/// first one's units meet.
double StagePartTimes::largest_share(std::size_t layer) const {
  const std::size_t units = layer % 2 == 0 ? layers_[layer].outputs : layers_[layer].inputs;
  return static_cast<double>(largest_part(units, parts_)) / static_cast<double>(units);
}

Duration StagePartTimes::computing_forward(double minibatches) const {
  double share = 0.0;
  for (std::size_t l = 0; l < layers_.size(); ++l) share += largest_share(l) * layers_[l].forward;
  return scaled(setting_.compute, minibatches * share);
}

Duration StagePartTimes::computing_backward(double minibatches) const {
  double share = 0.0;
  for (std::size_t l = 0; l < layers_.size(); ++l) share += largest_share(l) * layers_[l].backward;
  return scaled(setting_.compute, minibatches * share);
}

Duration StagePartTimes::sum(std::size_t length) const {
  return collective_.duration(parts_, setting_.servers, length, setting_.message);
}

/// The time to add up the results of each pair, and two numbers a row for an odd last layer.
Duration StagePartTimes::adding_forward(std::size_t rows) const {
  Duration time{0};
  for (std::size_t l = 1; l < layers_.size(); l += 2) time += sum(rows * layers_[l].outputs);
  if (layers_.size() % 2 == 1) {
    time += all_reduce_max_time(parts_, rows, setting_.message) + sum(rows);
  }
  return time;
}

/// The time to add up the slopes of the inputs of each pair but those of the data.
Duration StagePartTimes::adding_backward(std::size_t rows) const {
  Duration time{0};
  for (std::size_t l = 0; l < layers_.size(); l += 2) {
    if (!layers_[l].first) time += sum(rows * layers_[l].inputs);
  }
  return time;
}

std::size_t StagePartTimes::parameters() const {
  std::size_t count = 0;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Stage& layer = layers_[l];
    count += l % 2 == 0 ? (layer.inputs + 1) * largest_part(layer.outputs, parts_)
                        : (largest_part(layer.inputs, parts_) + 1) * layer.outputs;
  }
  return count;
}

}  // namespace trainyard
