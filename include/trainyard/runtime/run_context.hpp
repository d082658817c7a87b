// The data and settings that the ranks of one run have in common.
//
// Threads: read by all of them; what it refers to says who may write it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "trainyard/data/minibatch.hpp"
#include "trainyard/data/partition.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/runtime/coder.hpp"
#include "trainyard/runtime/compute_noise.hpp"
#include "trainyard/runtime/hot_lines.hpp"
#include "trainyard/runtime/hyperparameters.hpp"
#include "trainyard/runtime/ingredients.hpp"
#include "trainyard/runtime/optimizer.hpp"
#include "trainyard/runtime/pacing.hpp"
#include "trainyard/runtime/rank.hpp"
#include "trainyard/runtime/run_state.hpp"

namespace trainyard {

class LayeredModel;  // model/layered_model.hpp
class SharedLines;   // shared_lines.hpp
class DealBySpeed;
class TraceRecorder;

/// The facts about a minibatch's gradient that both ends of a message know, and need to read it.
struct GradientShape {
  const LayeredModel* layers = nullptr;  // nullptr where the model has none
  std::vector<TensorShape> tensors;
  std::size_t batch = 1;  // rows of a minibatch
  bool sparse = false;    // which they are
  /// Parameters of a key, which is a feature: what workers and servers send each other goes by keys
  /// where that is shorter (collective/working_set.hpp). 0: it goes whole.
  std::size_t key_width = 0;
};

/// Everything that the ranks of one run share. All of it outlives the run.
struct RunContext {
  std::string_view scheme;  // its name, for what is wrong with its row
  const Dataset& train;
  const Model& model;
  ConstVector initial_model;
  const std::vector<std::vector<std::uint32_t>>& parts;  // a worker's rows; catalogue §6
  /// All rows, where each pass deals them anew among the workers; nullptr: a worker's are `parts`.
  const Dataset* dealt = nullptr;
  /// Of these, who takes which of each step's; nullptr: each of them as many, and by passes.
  DealBySpeed* by_speed = nullptr;
  bool portions_weigh = false;            // gradients count by the rows of their portions
  int workers = 1;                        // as configured
  int proxies = 0;                        // servers, the first ones, without a shard
  std::uint64_t minibatches_of_step = 1;  // of all workers, those that the model learns from
  /// Beside those of its steps, as others took part in earlier ones; modulo 2^64.
  std::uint64_t minibatches_of_others = 0;
  std::size_t batch = 1;  // rows a minibatch, a worker
  Drawing drawing = Drawing::reshuffled;
  std::uint64_t seed = 1;
  OptimizerOptions optimizer;
  Duration minibatch_time{0};  // simulated compute time of one minibatch
  CodingTime coding_time{};    // of schemes that take a codec
  Duration aggregate_time{0};  // simulated, of a coordinate, in schemes that take "aggregate"
  CodecNeed codec_need = CodecNeed::nothing;
  std::vector<double> slowdown;  // a worker, 1 = none
  ComputeNoiseRule compute_noise{};
  const Hyperparameters& hyperparameters;
  const Ingredients& ingredients;  // of the kinds that the scheme's row takes
  Pacing& pacer;
  RunState& state;
  bool simulated = false;
  TraceRecorder* recorder = nullptr;  // is told of every step that begins
  const HotLines* hot = nullptr;      // of which workers have slices, if any
  SharedLines* lines = nullptr;       // `virtual`: of the shared models, where they take time
  /// The factor of each worker's gradients; empty: 1 for all.
  std::span<const double> loss_weights{};
  ShareWeights share_weights = ShareWeights::workers;  // of programs that weigh by themselves
  std::optional<int> data_server{};  // the rank that rows are fetched from (data_server.hpp)
  std::size_t key_width = 0;         // GradientShape::key_width

  // Throw UsageError, naming scheme and field, where the scheme's row lacks what they are about.
  template <typename Component>
  const Component& ingredient(std::string_view kind) const {
    const Component* found = ingredients.find<Component>(kind);
    if (found == nullptr) throw_not_taken(kind);
    return *found;
  }
  [[noreturn]] void throw_not_taken(std::string_view kind) const;
  double its_hyperparameter(std::string_view name) const;

  /// All training rows in equal portions, as many as there are minibatches of `batch` rows.
  std::size_t portions() const { return (train.rows + batch - 1) / batch; }
  RowRange portion(std::size_t number) const {
    const std::size_t first = train.rows * number / portions();
    return {&train, first, train.rows * (number + 1) / portions() - first};
  }

  GradientShape gradient_shape() const {
    return {model.layered(), model.tensors(), batch, train.sparse, key_width};
  }

  /// What the optimizer steps as matrices, as places in what is held.
  std::vector<MatrixPlace> stepped_matrices(const Holding& held) const {
    if (!optimizer.muon()) return {};
    return matrices_within(hidden_matrices(model.tensors()), held);
  }

  /// Passes over the data that this many minibatches make.
  double epochs(std::uint64_t minibatches) const {
    return static_cast<double>(minibatches) * static_cast<double>(batch) /
           static_cast<double>(train.rows);
  }
};

/// A coder of the rank whose present step is `step`; codec and step outlive the coder.
Coder make_coder(Rank& rank, const RunContext& context, const Codec& codec,
                 const std::uint64_t& step);

}  // namespace trainyard
