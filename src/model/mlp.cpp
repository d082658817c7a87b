// Multi-layer perceptron: ReLU after each hidden layer, cross-entropy over the last layer's scores.
//
// Parameters: W1, b1, W2, b2, …; W_l is inputs × outputs, row-major, so that a sparse row meets its
// rows of W1 whole and a minibatch's forward pass is X·W without a transpose. Backward, with
// residuals R_l = ∂loss/∂(layer l before its ReLU): ∂W_l = input_lᵀ R_l, ∂b_l = column sums of R_l,
// and R_{l-1} = R_l W_lᵀ where the unit was active. Nothing is taken with respect to the data.
#include <algorithm>
#include <cmath>

#include "trainyard/base/error.hpp"
#include "trainyard/base/random.hpp"
#include "trainyard/model/kernels.hpp"

#include "model/batch_rows.hpp"
#include "model/factories.hpp"
#include "model/input_matrix.hpp"

namespace trainyard {
namespace {

struct Layer {
  std::size_t inputs, outputs;
  std::size_t first_weight;  // where its weights begin among the parameters; biases follow them

  std::size_t weight_count() const { return inputs * outputs; }
  std::size_t end() const { return first_weight + weight_count() + outputs; }

  /// Its part of the parameters or of the gradient.
  template <typename Float>
  std::span<Float> weights(std::span<Float> parameters) const {
    return parameters.subspan(first_weight, weight_count());
  }
  template <typename Float>
  std::span<Float> biases(std::span<Float> parameters) const {
    return parameters.subspan(first_weight + weight_count(), outputs);
  }
};

class Mlp final : public Model {
 public:
  Mlp(double l2, const Dataset& train, const std::vector<std::size_t>& hidden) : l2_(l2) {
    std::size_t inputs = train.features, next = 0;
    for (const std::size_t outputs : hidden) {
      layers_.push_back({inputs, outputs, next});
      next = layers_.back().end();
      inputs = outputs;
    }
    layers_.push_back({inputs, static_cast<std::size_t>(train.classes), next});
  }

  std::size_t dimension() const override { return layers_.back().end(); }

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
    const std::span<const float> values = parameters.floats();
    const std::span<float> slopes = gradient.floats();
    backward(values, batch, workspace,
             [&](const Layer& layer, const InputMatrix& input, std::span<const float> residuals) {
               input.weight_gradient(residuals, layer.outputs, static_cast<float>(l2_),
                                     layer.weights(values), layer.weights(slopes));
               kernels::column_sums(residuals, layer.biases(slopes));
             });
  }

  /// Each layer's product Xᵀ·R goes straight into its weights: a gradient laid down and read again
  /// is 8 to 10 % of the time of a step of 784-256-128-10 at batch 32.
  void descend(Vector parameters, Batch batch, double step_size,
               Workspace& workspace) const override {
    const std::size_t rows = row_count(batch);
    // With more rows the product is added up in parts, which rounds the weights in between.
    if (l2_ != 0.0 || is_sparse(batch) || rows > kernels::block_depth) {
      Model::descend(parameters, batch, step_size, workspace);
      return;
    }
    const std::span<float> values = parameters.floats();
    backward(values, batch, workspace,
             [&](const Layer& layer, const InputMatrix& input, std::span<const float> residuals) {
               input.descend(residuals, layer.outputs, static_cast<float>(step_size),
                             layer.weights(values));
               const std::span<float> sums =
                   workspace.gradient(Scalar::float32, layer.outputs).floats();
               kernels::column_sums(residuals, sums);
               kernels::axpy(-step_size, sums, layer.biases(values));
             });
  }

  Tally evaluate(ConstVector parameters, Batch batch, Workspace& workspace) const override {
    Tally tally;
    for_each_tile(batch, [&](const RowRange& tile) {
      const InputMatrix data({&tile, 1}, workspace, data_slot);
      const std::span<const float> scores =
          forward(parameters.floats(), data, tile.count, workspace);
      tally_scores(tile, layers_.back().outputs, scores, tally);
    });
    return tally;
  }

  double penalty(ConstVector parameters) const override {
    double sum = 0.0;
    for (const Layer& layer : layers_)
      sum += squared_penalty(l2_, layer.weights(parameters.floats()));
    return sum;
  }

 private:
  static constexpr std::size_t data_slot = 0;
  static constexpr std::size_t first_unit_slot = 1;

  /// The units of layer l, rows × outputs.
  std::span<float> units(std::size_t l, std::size_t rows, Workspace& workspace) const {
    return workspace.floats(first_unit_slot + l, rows * layers_[l].outputs);
  }
  /// The residuals of hidden layer l.
  std::span<float> residuals(std::size_t l, std::size_t rows, Workspace& workspace) const {
    return workspace.floats(first_unit_slot + layers_.size() + l, rows * layers_[l].outputs);
  }

  /// Fills the units of every layer and returns the last one's, the class scores.
  std::span<float> forward(std::span<const float> parameters, const InputMatrix& data,
                           std::size_t rows, Workspace& workspace) const {
    InputMatrix input = data;
    for (std::size_t l = 0;; ++l) {
      const Layer& layer = layers_[l];
      const std::span<float> output = units(l, rows, workspace);
      input.times(layer.weights(parameters), layer.outputs, output);
      if (l + 1 == layers_.size()) {
        kernels::add_bias(layer.biases(parameters), output);
        return output;
      }
      kernels::add_bias_relu(layer.biases(parameters), output);
      input = InputMatrix(output, rows, layer.outputs);
    }
  }

  /// part(layer, what went into it, its residuals) for each layer, last to first. The layer's
  /// parameters may be changed then: nothing reads them any more.
  template <typename Part>
  void backward(std::span<const float> parameters, Batch batch, Workspace& workspace,
                const Part& part) const {
    const std::size_t rows = row_count(batch);
    const InputMatrix data(batch, workspace, data_slot);
    std::span<float> above = forward(parameters, data, rows, workspace);
    scores_to_residuals(batch, layers_.back().outputs, above);
    for (std::size_t l = layers_.size(); l-- > 1;) {
      const Layer& layer = layers_[l];
      const std::span<float> below =
          pass_back(l, layer.weights(parameters), above, rows, workspace);
      part(layer, InputMatrix(units(l - 1, rows, workspace), rows, layer.inputs), above);
      above = below;
    }
    part(layers_.front(), data, above);
  }

  /// The residuals of layer l - 1 from those of layer l, whose weights are given.
  std::span<float> pass_back(std::size_t l, std::span<const float> weights,
                             std::span<const float> above, std::size_t rows,
                             Workspace& workspace) const {
    const Layer& layer = layers_[l];
    const std::span<float> below = residuals(l - 1, rows, workspace);
    kernels::matrix_product(false, true, rows, layer.inputs, layer.outputs, 1.0F, above.data(),
                            weights.data(), 0.0F, below.data());
    kernels::mask_inactive(units(l - 1, rows, workspace), below);
    return below;
  }

  std::vector<Layer> layers_;
  double l2_;
};

}  // namespace

std::unique_ptr<Model> make_mlp(double l2, const Dataset& train,
                                const std::vector<std::size_t>& hidden) {
  require(std::find(hidden.begin(), hidden.end(), 0) == hidden.end(), "a layer without units");
  return std::make_unique<Mlp>(l2, train, hidden);
}

}  // namespace trainyard
