#include "trainyard/scoring/score.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include <fmt/format.h>
#include <tbb/enumerable_thread_specific.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/parallel.hpp"
#include "trainyard/model/add_model.hpp"

namespace trainyard {

namespace {

constexpr std::size_t rows_of_block = 512;

/// Class 1 where the margin is above 0, and its probability 1 / (1 + exp(−m)); both are exact to
/// rounding at any margin.
void take_margin(float margin, std::span<double> probabilities, Label& label) {
  const double part = std::exp(-std::abs(static_cast<double>(margin)));
  const double less = part / (1.0 + part);
  label = margin > 0.0F ? 1 : 0;
  probabilities[label == 1 ? 0 : 1] = less;
  probabilities[label == 1 ? 1 : 0] = 1.0 / (1.0 + part);
}

/// The softmax of the scores, and the lowest class of the highest one.
void take_scores(std::span<const float> scores, std::span<double> probabilities, Label& label) {
  const auto highest = std::ranges::max_element(scores);
  label = static_cast<Label>(highest - scores.begin());
  double sum = 0.0;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    probabilities[k] = std::exp(static_cast<double>(scores[k]) - static_cast<double>(*highest));
    sum += probabilities[k];
  }
  for (double& p : probabilities) p /= sum;
}

/// The rows of one block.
void take_block(const Model& model, std::span<const float> scores, std::size_t first,
                Predictions& into) {
  const std::size_t outputs = model.outputs();
  require(outputs > 0, "scores of a model that predicts nothing");
  const std::size_t rows = scores.size() / outputs;
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t row = first + r;
    if (!into.values.empty()) {
      into.values[row] = static_cast<double>(scores[r]);
      if (!into.labels.empty()) into.labels[row] = scores[r] > 0.0F ? 1 : 0;
      continue;
    }
    const std::span<double> p(into.probabilities.data() + row * into.classes, into.classes);
    if (outputs == 1) {
      take_margin(scores[r], p, into.labels[row]);
    } else {
      take_scores(scores.subspan(r * outputs, outputs), p, into.labels[row]);
    }
  }
}

bool has_missing(const Dataset& rows, std::size_t row) {
  const auto values = rows.sparse ? rows.sparse_row(row).values : rows.dense_row(row);
  return std::ranges::any_of(values, [](float x) { return std::isnan(x); });
}

/// Fields that were to be left out with their rows.
void mark_missing(const Dataset& rows, Predictions& into) {
  constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t row = 0; row < rows.rows; ++row) {
    if (!has_missing(rows, row)) continue;
    if (into.missing.empty()) into.missing.assign(rows.rows, false);
    into.missing[row] = true;
    if (!into.values.empty()) into.values[row] = nothing;
    for (std::size_t k = 0; k < into.classes && !into.probabilities.empty(); ++k) {
      into.probabilities[row * into.classes + k] = nothing;
    }
  }
}

}  // namespace

std::vector<double> rank_values(std::span<const double> values) {
  std::vector<double> of_classes;
  for (const double value : values) of_classes.insert(of_classes.end(), {-value, value});
  return of_classes;
}

Predictions predictions(const Model& model, std::string_view name, ConstVector parameters,
                        const Dataset& rows) {
  const std::size_t outputs = model.outputs();
  if (outputs == 0) {
    throw UsageError(
        fmt::format("model '{}' is a function to be minimised: it predicts nothing", name));
  }
  const bool real = has_real_labels(name);
  Predictions all{.rows = rows.rows};
  all.classes = rows.targets.empty() ? static_cast<std::size_t>(rows.classes) : 0;
  if (all.classes > 0) all.labels.resize(rows.rows);
  if (real) all.values.resize(rows.rows);
  if (!real) all.probabilities.resize(rows.rows * all.classes);
  tbb::enumerable_thread_specific<Workspace, std::allocator<Workspace>> workspaces;
  tbb::enumerable_thread_specific<std::vector<float>, std::allocator<std::vector<float>>> scores;
  parallel_blocks((rows.rows + rows_of_block - 1) / rows_of_block, [&](std::size_t block) {
    const std::size_t first = block * rows_of_block;
    const RowRange range{&rows, first, std::min(rows_of_block, rows.rows - first)};
    std::vector<float>& some = scores.local();
    some.resize(range.count * outputs);
    model.scores(parameters, {&range, 1}, some, workspaces.local());
    take_block(model, some, first, all);
  });
  mark_missing(rows, all);
  return all;
}

}  // namespace trainyard
