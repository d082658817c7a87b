// Multi-layer perceptron: ReLU after each hidden layer, cross-entropy over the last layer's scores.
//
// Parameters: W1, b1, W2, b2, …; W_l is inputs × outputs, row-major, so that a sparse row meets its
// rows of W1 whole and a minibatch's forward pass is X·W without a transpose. Backward, with
// residuals R_l = ∂loss/∂(layer l before its ReLU): ∂W_l = input_lᵀ R_l, ∂b_l = column sums of R_l,
// and R_{l-1} = R_l W_lᵀ where the unit was active. Nothing is taken with respect to the data.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/random.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/model/layered_model.hpp"

#include "model/batch_rows.hpp"
#include "model/cut_layers.hpp"
#include "model/factories.hpp"
#include "model/input_matrix.hpp"

namespace trainyard {
namespace {

struct Layer {
  std::size_t inputs, outputs;
  std::size_t first_weight;  // where its weights begin among the parameters; biases follow them

  std::size_t weight_count() const { return inputs * outputs; }
  std::size_t end() const { return first_weight + weight_count() + outputs; }

  /// Its part of the parameters or of the gradient, of which `values` begins with number `from`.
  template <typename Float>
  std::span<Float> weights(std::span<Float> values, std::size_t from = 0) const {
    return values.subspan(first_weight - from, weight_count());
  }
  template <typename Float>
  std::span<Float> biases(std::span<Float> values, std::size_t from = 0) const {
    return values.subspan(first_weight - from + weight_count(), outputs);
  }
};

/// Features of a row that are not zero, on average.
double mean_features(const Dataset& data) {
  if (data.rows == 0) return static_cast<double>(data.features);
  return static_cast<double>(data.nonzeros()) / static_cast<double>(data.rows);
}

class Mlp final : public Model, public LayeredModel {
 public:
  Mlp(const Penalties& penalties, const Dataset& train, const std::vector<std::size_t>& hidden)
      : penalties_(penalties), features_of_row_(mean_features(train)) {
    std::size_t inputs = train.features, next = 0;
    for (const std::size_t outputs : hidden) {
      layers_.push_back({inputs, outputs, next});
      next = layers_.back().end();
      inputs = outputs;
    }
    layers_.push_back({inputs, static_cast<std::size_t>(train.classes), next});
    whole_ = stage_between(0, layers_.size());
  }

  using LayeredModel::cut;

  std::size_t dimension() const override { return layers_.back().end(); }
  const LayeredModel* layered() const override { return this; }
  std::vector<TensorShape> tensors() const override {
    std::vector<TensorShape> all;
    for (const Layer& layer : layers_) {
      all.push_back({layer.inputs, layer.outputs});
      all.push_back({layer.outputs, 1});
    }
    return all;
  }

  /// He et al. 2015: W_l ~ N(0, 2 / inputs), which keeps the scale of the units from layer to layer
  /// as ReLU halves their second moment. Biases zero.
  void initialize(Vector parameters, std::uint64_t seed) const override {
    const std::span<float> values = parameters.floats();
    RandomStream random(seed, Purpose::initial_model);
    for (const Layer& layer : layers_) {
      const double deviation = std::sqrt(2.0 / static_cast<double>(layer.inputs));
      for (float& weight : layer.weights(values)) {
        weight = static_cast<float>(random.normal() * deviation);
      }
      for (float& bias : layer.biases(values)) bias = 0.0F;
    }
  }

  void gradient(ConstVector parameters, Batch batch, Vector gradient,
                Workspace& workspace) const override {
    (void)forward(whole_, parameters, batch, {}, workspace);
    (void)backward(whole_, parameters, batch, {}, {}, gradient, workspace);
  }

  /// Each layer's product Xᵀ·R goes straight into its weights: a gradient laid down and read again
  /// is 8 to 10 % of the time of a step of 784-256-128-10 at batch 32.
  void descend(Vector parameters, Batch batch, double step_size,
               Workspace& workspace) const override {
    const std::size_t rows = row_count(batch);
    // With more rows the product is added up in parts, which rounds the weights in between.
    if (penalties_.l2 != 0.0 || is_sparse(batch) || rows > kernels::block_depth) {
      Model::descend(parameters, batch, step_size, workspace);
      return;
    }
    const std::span<float> values = parameters.floats();
    (void)forward(whole_, parameters, batch, {}, workspace);
    (void)for_each_layer_down(
        whole_, values, batch, {}, {}, workspace,
        [&](const Layer& layer, const InputMatrix& input, std::span<const float> residuals) {
          input.descend(residuals, layer.outputs, static_cast<float>(step_size),
                        layer.weights(values));
          const std::span<float> sums = workspace.gradient(Scalar::float32, layer.outputs).floats();
          kernels::column_sums(residuals, sums);
          kernels::axpy(-step_size, sums, layer.biases(values));
        });
  }

  Tally evaluate(ConstVector parameters, Batch batch, Workspace& workspace) const override {
    Tally tally;
    for_each_tile(batch, [&](const RowRange& tile) {
      const std::span<const float> scores = forward(whole_, parameters, {&tile, 1}, {}, workspace);
      tally_scores(tile, layers_.back().outputs, scores, tally);
    });
    return tally;
  }

  std::size_t outputs() const override { return layers_.back().outputs; }

  void scores(ConstVector parameters, Batch batch, std::span<float> scores,
              Workspace& workspace) const override {
    for_each_tile(batch, [&](const RowRange& tile) {
      const std::span<const float> some = forward(whole_, parameters, {&tile, 1}, {}, workspace);
      std::ranges::copy(some, scores.begin());
      scores = scores.subspan(some.size());
    });
  }

  double penalty(ConstVector parameters) const override {
    double sum = 0.0;
    for (const Layer& layer : layers_)
      sum += penalty_of(penalties_, layer.weights(parameters.floats()));
    return sum;
  }

  AbsolutePenalty absolute_penalty() const override {
    std::vector<ParameterRange> weights;
    for (const Layer& layer : layers_) {
      weights.push_back({layer.first_weight, layer.weight_count()});
    }
    return absolute_penalty_of(penalties_, std::move(weights));
  }

  std::vector<Stage> cut(int stages, int together) const override {
    const auto parts = static_cast<std::size_t>(stages);
    const auto step = static_cast<std::size_t>(together);
    std::vector<double> costs((layers_.size() + step - 1) / step);
    if (parts > costs.size()) {
      throw UsageError(fmt::format(
          "a model of {} layers cannot be cut into {} stages{}", layers_.size(), stages,
          together == 1 ? "" : fmt::format(", of which each has a multiple of {}", together)));
    }
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      costs[l / step] += work_of(l).forward + work_of(l).backward;
    }
    std::vector<Stage> made;
    std::size_t first = 0;
    for (const std::size_t end : cut_layers(costs, parts)) {
      made.push_back(stage_between(first, std::min(end * step, layers_.size())));
      first = end * step;
    }
    return made;
  }

  int depth() const override { return static_cast<int>(layers_.size()); }
  double l2() const override { return penalties_.l2; }

  Stage stage_of(ParameterRange parameters) const override {
    std::size_t first = 0, end = 0;
    while (first < layers_.size() && layers_[first].first_weight < parameters.first) ++first;
    while (end < layers_.size() && layers_[end].end() <= parameters.first + parameters.count) ++end;
    require(first < end && layers_[first].first_weight == parameters.first &&
                layers_[end - 1].end() == parameters.first + parameters.count,
            "a stage has the parameters of whole layers");
    return stage_between(first, end);
  }

  std::span<const float> forward(const Stage& stage, ConstVector parameters, Batch batch,
                                 std::span<const float> below,
                                 Workspace& workspace) const override {
    const std::size_t rows = row_count(batch);
    const std::span<const float> values = parameters.floats();
    InputMatrix input = input_of(stage, batch, below, workspace);
    for (std::size_t l = stage.first_layer;; ++l) {
      const Layer& layer = layers_[l];
      const std::span<float> output = units(l, rows, workspace);
      input.times(layer.weights(values, stage.parameters.first), layer.outputs, output);
      const auto biases = layer.biases(values, stage.parameters.first);
      if (l + 1 == layers_.size()) {
        kernels::add_bias(biases, output);
        return output;
      }
      kernels::add_bias_relu(biases, output);
      if (l + 1 == stage.first_layer + stage.layers) return output;
      input = InputMatrix(output, rows, layer.outputs);
    }
  }

  std::span<const float> backward(const Stage& stage, ConstVector parameters, Batch batch,
                                  std::span<const float> below, std::span<const float> above,
                                  Vector gradient, Workspace& workspace) const override {
    const std::span<const float> values = parameters.floats();
    const std::span<float> slopes = gradient.floats();
    const std::size_t from = stage.parameters.first;
    return for_each_layer_down(
        stage, values, batch, below, above, workspace,
        [&](const Layer& layer, const InputMatrix& input, std::span<const float> residuals) {
          input.weight_gradient(residuals, layer.outputs, static_cast<float>(penalties_.l2),
                                layer.weights(values, from), layer.weights(slopes, from));
          kernels::column_sums(residuals, layer.biases(slopes, from));
        });
  }

 private:
  static constexpr std::size_t data_slot = 0;
  static constexpr std::size_t first_unit_slot = 1;

  /// Multiplications of one row, of the whole gradient 1.
  struct Work {
    double forward, backward;
  };
  double products_of(std::size_t l) const {
    const double inputs = l == 0 ? features_of_row_ : static_cast<double>(layers_[l].inputs);
    return inputs * static_cast<double>(layers_[l].outputs);
  }
  /// Backward a layer has two products, but the first, below which there is nothing to tell.
  Work work_of(std::size_t l) const {
    double all = 0.0;
    for (std::size_t each = 0; each < layers_.size(); ++each) {
      all += (each == 0 ? 2.0 : 3.0) * products_of(each);
    }
    const double share = products_of(l) / all;
    return {share, l == 0 ? share : 2.0 * share};
  }

  Stage stage_between(std::size_t first, std::size_t end) const {
    const std::size_t begin = layers_[first].first_weight;
    Stage stage{.first_layer = first,
                .layers = end - first,
                .parameters = {begin, layers_[end - 1].end() - begin},
                .inputs = layers_[first].inputs,
                .outputs = layers_[end - 1].outputs,
                .first = first == 0,
                .last = end == layers_.size()};
    for (std::size_t l = first; l < end; ++l) {
      stage.forward += work_of(l).forward;
      stage.backward += work_of(l).backward;
    }
    return stage;
  }

  /// The units of layer l, rows × outputs.
  std::span<float> units(std::size_t l, std::size_t rows, Workspace& workspace) const {
    return workspace.floats(first_unit_slot + l, rows * layers_[l].outputs);
  }
  /// The derivatives passed back to layer l; the last layer needs none.
  std::span<float> residuals(std::size_t l, std::size_t rows, Workspace& workspace) const {
    return workspace.floats(first_unit_slot + layers_.size() + l, rows * layers_[l].outputs);
  }

  static InputMatrix input_of(const Stage& stage, Batch batch, std::span<const float> below,
                              Workspace& workspace) {
    if (stage.first) return {batch, workspace, data_slot};
    require(below.size() == row_count(batch) * stage.inputs,
            "a stage takes the units of the one below");
    return {below, row_count(batch), stage.inputs};
  }

  /// part(layer, what went into it, its residuals) for each layer of the stage, last to first. The
  /// layer's parameters may be changed then: nothing reads them any more. Returns the residuals of
  /// the layer below the stage, empty where there is none.
  template <typename Part>
  std::span<const float> for_each_layer_down(const Stage& stage, std::span<const float> values,
                                             Batch batch, std::span<const float> below,
                                             std::span<const float> above, Workspace& workspace,
                                             const Part& part) const {
    const std::size_t rows = row_count(batch);
    if (stage.last) {
      const std::span<float> scores = units(layers_.size() - 1, rows, workspace);
      scores_to_residuals(batch, layers_.back().outputs, scores);
      above = scores;
    }
    require(above.size() == rows * stage.outputs, "a stage takes the slopes of its own units");
    for (std::size_t l = stage.first_layer + stage.layers; l-- > stage.first_layer;) {
      const Layer& layer = layers_[l];
      if (l == 0) {
        part(layer, InputMatrix::again(batch, workspace, data_slot), above);
        return {};
      }
      const std::span<const float> input =
          l == stage.first_layer ? below : units(l - 1, rows, workspace);
      const std::span<const float> passed_back =
          pass_back(l, layer.weights(values, stage.parameters.first), above, input, workspace);
      part(layer, InputMatrix(input, rows, layer.inputs), above);
      above = passed_back;
    }
    return above;
  }

  /// The residuals of layer l - 1, whose units are `input`, from those of layer l, whose weights
  /// are given.
  std::span<float> pass_back(std::size_t l, std::span<const float> weights,
                             std::span<const float> above, std::span<const float> input,
                             Workspace& workspace) const {
    const Layer& layer = layers_[l];
    const std::size_t rows = input.size() / layer.inputs;
    const std::span<float> below = residuals(l - 1, rows, workspace);
    kernels::matrix_product(false, true, rows, layer.inputs, layer.outputs, 1.0F, above.data(),
                            weights.data(), 0.0F, below.data());
    kernels::mask_inactive(input, below);
    return below;
  }

  std::vector<Layer> layers_;
  Penalties penalties_;
  double features_of_row_;  // that are not zero
  Stage whole_;
};

}  // namespace

std::unique_ptr<Model> make_mlp(const Penalties& penalties, const Dataset& train,
                                const std::vector<std::size_t>& hidden) {
  require(std::find(hidden.begin(), hidden.end(), 0) == hidden.end(), "a layer without units");
  return std::make_unique<Mlp>(penalties, train, hidden);
}

}  // namespace trainyard
