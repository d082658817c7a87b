#include "trainyard/model/tensor_split.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/even_split.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/model/row_weights.hpp"

#include "model/batch_rows.hpp"
#include "model/input_matrix.hpp"

namespace trainyard {

namespace {

// Buffers of the workspace, behind the data: units of each layer, slopes of each, and these.
constexpr std::size_t data_slot = 0;
constexpr std::size_t zeros_slot = 0, greatest_slot = 1, sums_slot = 2, below_slot = 3;

ParameterRange share_of(std::size_t count, int part, int parts) {
  const std::size_t begin = even_cut(count, part, parts);
  return {begin, even_cut(count, part + 1, parts) - begin};
}

/// out [rows × inputs] ← slopes [rows × outputs] · weightsᵀ
void pass_back(std::span<const float> slopes, std::span<const float> weights, std::size_t rows,
               std::size_t inputs, std::size_t outputs, std::span<float> out) {
  if (outputs == 0) {
    kernels::set_to_zero(out);
    return;
  }
  kernels::matrix_product(false, true, rows, inputs, outputs, 1.0F, slopes.data(), weights.data(),
                          0.0F, out.data());
}

}  // namespace

TensorSplit::TensorSplit(const LayeredModel& model, const Stage& stage, int part, int parts)
    : stage_(stage), l2_(static_cast<float>(model.l2())) {
  require(0 <= part && part < parts, "a part is one of those that there are");
  require(stage.first_layer % 2 == 0 && (stage.last || stage.layers % 2 == 0),
          "a stage that is split has pairs of layers");
  const std::vector<Stage> whole = model.cut(model.depth());
  for (std::size_t l = stage.first_layer; l < stage.first_layer + stage.layers; ++l) {
    const bool columns = l % 2 == 0;
    const bool may_lack = whole[l].last && stage.layers > 1;  // a part has units of other layers
    if (columns && !may_lack && whole[l].outputs < static_cast<std::size_t>(parts)) {
      throw UsageError(fmt::format("layer {} has {}, which cannot be split among {} workers", l + 1,
                                   counted(whole[l].outputs, "unit"), parts));
    }
    if (columns) {
      add_columns(whole[l], part, parts);
    } else {
      add_rows(whole[l], part, parts);
    }
  }
}

void TensorSplit::add_columns(const Stage& whole, int part, int parts) {
  const ParameterRange mine = share_of(whole.outputs, part, parts);
  const double share = static_cast<double>(mine.count) / static_cast<double>(whole.outputs);
  layers_.push_back({.inputs = whole.inputs,
                     .outputs = mine.count,
                     .all_outputs = whole.outputs,
                     .first_output = mine.first,
                     .weights = holding_.count(),
                     .forward = share * whole.forward,
                     .backward = share * whole.backward});
  // A row of the weights each, and the biases as if they were one more.
  for (std::size_t row = 0; row <= whole.inputs; ++row) {
    holding_.add({whole.parameters.first + row * whole.outputs + mine.first, mine.count});
  }
}

void TensorSplit::add_rows(const Stage& whole, int part, int parts) {
  const ParameterRange mine = share_of(whole.inputs, part, parts);
  const double share = static_cast<double>(mine.count) / static_cast<double>(whole.inputs);
  layers_.push_back({.inputs = mine.count,
                     .outputs = whole.outputs,
                     .all_outputs = whole.outputs,
                     .weights = holding_.count(),
                     .has_biases = part == 0,
                     .forward = share * whole.forward,
                     .backward = share * whole.backward});
  const std::size_t first = whole.parameters.first;
  holding_.add({first + mine.first * whole.outputs, mine.count * whole.outputs});
  if (part == 0) holding_.add({first + whole.inputs * whole.outputs, whole.outputs});
}

double TensorSplit::forward_work(std::size_t block) const {
  return layers_[2 * block].forward + (is_lone(block) ? 0.0 : layers_[2 * block + 1].forward);
}

double TensorSplit::backward_work(std::size_t block) const {
  return layers_[2 * block].backward + (is_lone(block) ? 0.0 : layers_[2 * block + 1].backward);
}

std::span<float> TensorSplit::units(std::size_t layer, std::size_t rows,
                                    Workspace& workspace) const {
  return workspace.floats(1 + layer, rows * layers_[layer].outputs);
}

std::span<float> TensorSplit::slopes(std::size_t layer, std::size_t rows,
                                     Workspace& workspace) const {
  return workspace.floats(1 + layers_.size() + layer, rows * layers_[layer].outputs);
}

std::span<float> TensorSplit::row_numbers(std::size_t which, std::size_t rows,
                                          Workspace& workspace) const {
  return workspace.floats(1 + 2 * layers_.size() + which, rows);
}

/// Takes ReLU of sums over parts, which include the biases.
void TensorSplit::take_relu(std::size_t layer, std::size_t rows, Workspace& workspace) const {
  const std::span<float> zeros = row_numbers(zeros_slot, layers_[layer].outputs, workspace);
  kernels::set_to_zero(zeros);
  kernels::add_bias_relu(zeros, units(layer, rows, workspace));
}

/// `again`: of rows that were read before, and lie in the workspace.
InputMatrix TensorSplit::input_of(std::size_t block, Batch batch, std::span<const float> below,
                                  bool again, Workspace& workspace) const {
  const std::size_t rows = row_count(batch), inputs = layers_[2 * block].inputs;
  if (block > 0) return {units(2 * block - 1, rows, workspace), rows, inputs};
  if (!stage_.first) {
    require(below.size() == rows * inputs, "a stage takes the units of the one below");
    return {below, rows, inputs};
  }
  if (again) return InputMatrix::again(batch, workspace, data_slot);
  return {batch, workspace, data_slot};
}

std::span<float> TensorSplit::forward(std::size_t block, ConstVector parameters, Batch batch,
                                      std::span<const float> below, Workspace& workspace) const {
  const std::span<const float> values = parameters.floats();
  const std::size_t rows = row_count(batch), first = 2 * block;
  const Layer& columns = layers_[first];
  const std::span<float> mine = units(first, rows, workspace);
  if (block > 0) take_relu(first - 1, rows, workspace);
  if (columns.outputs > 0) {
    input_of(block, batch, below, false, workspace)
        .times(columns.weights_in(values), columns.outputs, mine);
  }
  if (is_lone(block)) {
    kernels::add_bias(columns.biases_in(values), mine);
    return {};
  }
  kernels::add_bias_relu(columns.biases_in(values), mine);
  const Layer& row_part = layers_[first + 1];
  const std::span<float> terms = units(first + 1, rows, workspace);
  InputMatrix(mine, rows, row_part.inputs)
      .times(row_part.weights_in(values), row_part.outputs, terms);
  if (row_part.has_biases) kernels::add_bias(row_part.biases_in(values), terms);
  return terms;
}

std::span<const float> TensorSplit::units_of_stage(Batch batch, Workspace& workspace) const {
  if (stage_.last) return {};
  const std::size_t rows = row_count(batch), layer = layers_.size() - 1;
  take_relu(layer, rows, workspace);
  return units(layer, rows, workspace);
}

std::span<float> TensorSplit::greatest_scores(Batch batch, Workspace& workspace) const {
  const std::size_t rows = row_count(batch), width = layers_.back().outputs;
  const std::span<const float> scores = units(layers_.size() - 1, rows, workspace);
  const std::span<float> greatest = row_numbers(greatest_slot, rows, workspace);
  for (std::size_t r = 0; r < rows; ++r) {
    greatest[r] = -std::numeric_limits<float>::infinity();
    for (const float score : scores.subspan(r * width, width)) {
      greatest[r] = std::max(greatest[r], score);
    }
  }
  return greatest;
}

/// The scores become their exponentials.
std::span<float> TensorSplit::sums_of_exponentials(Batch batch, Workspace& workspace) const {
  const std::size_t rows = row_count(batch), width = layers_.back().outputs;
  const std::span<float> scores = units(layers_.size() - 1, rows, workspace);
  const std::span<const float> greatest = row_numbers(greatest_slot, rows, workspace);
  const std::span<float> sums = row_numbers(sums_slot, rows, workspace);
  for (std::size_t r = 0; r < rows; ++r) {
    sums[r] = 0.0F;
    for (float& score : scores.subspan(r * width, width)) {
      score = std::exp(score - greatest[r]);
      sums[r] += score;
    }
  }
  return sums;
}

/// The derivatives of the scores that lie here: all of them, or this part's.
std::span<const float> TensorSplit::slopes_of_scores(Batch batch, Workspace& workspace) const {
  const std::size_t rows = row_count(batch);
  const Layer& last = layers_.back();
  const std::span<float> scores = units(layers_.size() - 1, rows, workspace);
  if (!scores_are_split()) {
    scores_to_residuals(batch, last.outputs, scores);
    return scores;
  }
  const std::span<const float> sums = row_numbers(sums_slot, rows, workspace);
  const float scale = 1.0F / static_cast<float>(rows);
  std::size_t r = 0;
  for (const RowRange& range : batch) {
    for (const Label label : labels_of(range)) {
      const std::span<float> row = scores.subspan(r * last.outputs, last.outputs);
      const float factor = scale / sums[r++];
      for (float& score : row) score *= factor;
      const std::size_t at = static_cast<std::size_t>(label) - last.first_output;
      if (at < last.outputs) row[at] -= scale;  // a label of an earlier part wraps around
    }
  }
  weigh_rows(batch, last.outputs, scores);
  return scores;
}

/// The derivatives by the units of the block's first layer, before ReLU. Overwrites the derivatives
/// by the units behind them.
std::span<const float> TensorSplit::slopes_of_columns(std::size_t block,
                                                      std::span<const float> values, Batch batch,
                                                      std::span<const float> above,
                                                      std::span<float> derivatives,
                                                      Workspace& workspace) const {
  const std::size_t rows = row_count(batch), first = 2 * block;
  const bool last = block + 1 == blocks();
  if (is_lone(block)) return slopes_of_scores(batch, workspace);
  const Layer& row_part = layers_[first + 1];
  const std::span<const float> mine = units(first, rows, workspace);
  if (last && stage_.last) {
    above = slopes_of_scores(batch, workspace);
  } else if (!last) {
    const std::span<float> sums = slopes(first + 1, rows, workspace);
    kernels::mask_inactive(units(first + 1, rows, workspace), sums);
    above = sums;
  }
  require(above.size() == rows * row_part.outputs, "a stage takes the slopes of its own units");
  const std::span<float> below = slopes(first, rows, workspace);
  pass_back(above, row_part.weights_in(values), rows, row_part.inputs, row_part.outputs, below);
  kernels::mask_inactive(mine, below);
  InputMatrix(mine, rows, row_part.inputs)
      .weight_gradient(above, row_part.outputs, l2_, row_part.weights_in(values),
                       row_part.weights_in(derivatives));
  if (row_part.has_biases) kernels::column_sums(above, row_part.biases_in(derivatives));
  return below;
}

std::span<float> TensorSplit::backward(std::size_t block, ConstVector parameters, Batch batch,
                                       std::span<const float> below, std::span<const float> above,
                                       Vector gradient, Workspace& workspace) const {
  const std::span<const float> values = parameters.floats();
  const std::span<float> derivatives = gradient.floats();
  const std::size_t rows = row_count(batch);
  const Layer& columns = layers_[2 * block];
  const std::span<const float> mine =
      slopes_of_columns(block, values, batch, above, derivatives, workspace);
  if (columns.outputs > 0) {
    input_of(block, batch, below, true, workspace)
        .weight_gradient(mine, columns.outputs, l2_, columns.weights_in(values),
                         columns.weights_in(derivatives));
    kernels::column_sums(mine, columns.biases_in(derivatives));
  }
  if (block == 0 && stage_.first) return {};
  const std::span<float> terms = block == 0
                                     ? row_numbers(below_slot, rows * columns.inputs, workspace)
                                     : slopes(2 * block - 1, rows, workspace);
  pass_back(mine, columns.weights_in(values), rows, columns.inputs, columns.outputs, terms);
  return terms;
}

std::span<const float> TensorSplit::slopes_below(Batch batch, std::span<const float> below,
                                                 Workspace& workspace) const {
  if (stage_.first) return {};
  const std::span<float> sums =
      row_numbers(below_slot, row_count(batch) * stage_.inputs, workspace);
  kernels::mask_inactive(below, sums);
  return sums;
}

}  // namespace trainyard
