#include "model/problems.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "trainyard/base/random.hpp"

namespace trainyard::test {
namespace {

Dataset sparse_copy(const Dataset& dense) {
  std::vector<std::uint64_t> begin = {0};
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
  for (std::size_t r = 0; r < dense.rows; ++r) {
    for (std::size_t j = 0; j < dense.features; ++j) {
      if (dense.dense_row(r)[j] == 0.0F) continue;
      columns.push_back(static_cast<std::uint32_t>(j));
      values.push_back(dense.dense_row(r)[j]);
    }
    begin.push_back(columns.size());
  }
  Dataset sparse;
  sparse.rows = dense.rows;
  sparse.features = dense.features;
  sparse.classes = dense.classes;
  sparse.labels = AlignedBuffer<Label>::copy_of(dense.labels.span());
  sparse.targets = AlignedBuffer<float>::copy_of(dense.targets.span());
  sparse.intercept = dense.intercept;
  sparse.sparse = true;
  sparse.row_begin = AlignedBuffer<std::uint64_t>::copy_of(begin);
  sparse.columns = AlignedBuffer<std::uint32_t>::copy_of(columns);
  sparse.values = AlignedBuffer<float>::copy_of(values);
  return sparse;
}

/// Layer widths from the input to the classes; a softmax regression has no hidden ones.
std::vector<std::size_t> widths_of(const std::string& name, const Dataset& data) {
  std::vector<std::size_t> widths = {data.features};
  if (name.starts_with("mlp:")) {
    std::size_t at = 4;
    while (at < name.size()) {
      std::size_t used = 0;
      widths.push_back(std::stoul(name.substr(at), &used));
      at += used + 1;
    }
  }
  widths.push_back(static_cast<std::size_t>(data.classes));
  return widths;
}

double cross_entropy(const std::vector<double>& scores, Label label) {
  const double top = *std::max_element(scores.begin(), scores.end());
  double sum = 0.0;
  for (const double score : scores) sum += std::exp(score - top);
  return std::log(sum) + top - scores[static_cast<std::size_t>(label)];
}

double margin_of(std::span<const float> x, std::span<const double> w) {
  double margin = 0.0;
  for (std::size_t j = 0; j < x.size(); ++j) margin += static_cast<double>(x[j]) * w[j];
  return margin;
}

double logistic_loss(double margin, Label label) {
  const double z = label == 1 ? -margin : margin;
  return z > 0 ? z + std::log1p(std::exp(-z)) : std::log1p(std::exp(z));
}

double squared_loss(double margin, const Dataset& data, std::size_t row) {
  const double of_class = data.labels[row] == 1 ? 1.0 : -1.0;
  const double off =
      margin - (data.classes == 1 ? static_cast<double>(data.targets[row]) : of_class);
  return off * off / 2.0;
}

double layered_loss(std::span<const float> x, Label label, std::span<const double> w,
                    const std::vector<std::size_t>& widths, bool biases) {
  std::vector<double> units(x.begin(), x.end());
  for (std::size_t l = 0; l + 1 < widths.size(); ++l) {
    const std::size_t inputs = widths[l], outputs = widths[l + 1];
    std::vector<double> next(outputs, 0.0);
    for (std::size_t j = 0; j < inputs; ++j) {
      for (std::size_t o = 0; o < outputs; ++o) next[o] += units[j] * w[j * outputs + o];
    }
    w = w.subspan(inputs * outputs);
    if (biases) {
      for (std::size_t o = 0; o < outputs; ++o) next[o] += w[o];
      w = w.subspan(outputs);
    }
    if (l + 2 < widths.size()) {
      for (double& unit : next) unit = std::max(unit, 0.0);
    }
    units = next;
  }
  return cross_entropy(units, label);
}

/// Of all weights but those of an intercept, which is the last of the inputs.
double squared_weights(std::span<const double> w, const std::vector<std::size_t>& widths,
                       bool biases, bool intercept) {
  if (intercept) w = w.first(w.size() - widths.back());
  double sum = 0.0;
  for (std::size_t l = 0; l + 1 < widths.size(); ++l) {
    const std::size_t weights = std::min(widths[l] * widths[l + 1], w.size());
    for (const double weight : w.first(weights)) sum += weight * weight;
    w = w.subspan(weights + (biases ? widths[l + 1] : 0));
  }
  return sum;
}

}  // namespace

Problem make_problem(std::uint64_t seed, std::size_t rows, std::size_t features, int classes,
                     double density, bool intercept) {
  RandomStream random(seed, Purpose::data_generator);
  Problem problem;
  Dataset& dense = problem.dense;
  dense.rows = rows;
  dense.features = features;
  dense.classes = classes;
  dense.labels = AlignedBuffer<Label>(rows);
  dense.dense = AlignedBuffer<float>(rows * features);
  for (Label& label : dense.labels) {
    label = static_cast<Label>(random.below(static_cast<std::uint64_t>(classes)));
  }
  for (std::size_t r = 0; r < rows; ++r) {
    const bool empty = r % 7 == 3;
    for (std::size_t j = 0; j < features; ++j) {
      const bool there = random.uniform() < density && !empty;
      dense.dense[r * features + j] = there ? static_cast<float>(random.normal()) : 0.0F;
    }
    if (intercept) dense.dense[(r + 1) * features - 1] = 1.0F;
  }
  dense.intercept = intercept;
  if (classes == 1) dense.targets = AlignedBuffer<float>(rows);
  for (float& target : dense.targets) target = static_cast<float>(3.0 * random.normal() + 2.0);
  problem.sparse = sparse_copy(dense);
  return problem;
}

std::vector<RowRange> batch_of(const Dataset& data, const std::vector<std::size_t>& rows) {
  std::vector<RowRange> ranges;
  for (const std::size_t row : rows) {
    if (!ranges.empty() && ranges.back().first + ranges.back().count == row) {
      ++ranges.back().count;
    } else {
      ranges.push_back({&data, row, 1});
    }
  }
  return ranges;
}

std::vector<RowRange> whole(const Dataset& data) {
  return {{&data, 0, data.rows}};
}

double reference_objective(const std::string& name, double l2, const Dataset& dense,
                           const std::vector<std::size_t>& rows,
                           std::span<const double> parameters) {
  const bool biases = name.starts_with("mlp");
  const bool one_margin = name == "logistic" || name == "least-squares";
  const std::vector<std::size_t> widths =
      one_margin ? std::vector<std::size_t>{dense.features, 1} : widths_of(name, dense);
  double sum = 0.0;
  for (const std::size_t row : rows) {
    const std::span<const float> x = dense.dense_row(row);
    const Label label = dense.labels[row];
    if (name == "logistic") {
      sum += logistic_loss(margin_of(x, parameters), label);
    } else if (name == "least-squares") {
      sum += squared_loss(margin_of(x, parameters), dense, row);
    } else {
      sum += layered_loss(x, label, parameters, widths, biases);
    }
  }
  return sum / static_cast<double>(rows.size()) +
         0.5 * l2 * squared_weights(parameters, widths, biases, dense.intercept);
}

std::vector<double> reference_gradient(const std::string& name, double l2, const Dataset& dense,
                                       const std::vector<std::size_t>& rows,
                                       std::span<const float> parameters) {
  // Error about step² and 1e-16 / step: 1e-10 at best, far below a float's 6e-8.
  constexpr double step = 1e-5;
  std::vector<double> at(parameters.begin(), parameters.end()), gradient(parameters.size());
  for (std::size_t j = 0; j < at.size(); ++j) {
    const double here = at[j];
    at[j] = here + step;
    const double above = reference_objective(name, l2, dense, rows, at);
    at[j] = here - step;
    const double below = reference_objective(name, l2, dense, rows, at);
    at[j] = here;
    gradient[j] = (above - below) / (2.0 * step);
  }
  return gradient;
}

std::vector<float> random_parameters(const Model& model, std::uint64_t seed, double deviation) {
  RandomStream random(seed, Purpose::initial_model);
  std::vector<float> parameters(model.dimension());
  for (float& value : parameters) value = static_cast<float>(random.normal() * deviation);
  return parameters;
}

std::vector<float> gradient_of(const Model& model, std::span<const float> parameters, Batch batch) {
  Workspace workspace;
  std::vector<float> gradient(model.dimension(), std::numeric_limits<float>::quiet_NaN());
  model.gradient(parameters, batch, gradient, workspace);
  return gradient;
}

double relative_error(std::span<const float> found, std::span<const double> expected) {
  if (found.size() != expected.size()) return std::numeric_limits<double>::infinity();
  double largest = 0.0, worst = 0.0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double error = std::abs(found[i] - expected[i]);
    if (std::isnan(error)) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, std::abs(expected[i]));
    worst = std::max(worst, error);
  }
  return worst / std::max(largest, 1e-3);
}

}  // namespace trainyard::test
