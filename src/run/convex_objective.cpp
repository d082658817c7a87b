#include "run/convex_objective.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "trainyard/base/error.hpp"
#include "trainyard/base/parallel.hpp"

namespace trainyard {

namespace {

/// So many sums lie side by side, whatever the number of cores.
constexpr std::size_t parts_of_rows = 16;

/// Rows of part `place`.
std::pair<std::size_t, std::size_t> rows_of(std::size_t rows, std::size_t place) {
  return {rows * place / parts_of_rows, rows * (place + 1) / parts_of_rows};
}

/// visit(feature, value) for each number of the row that is not 0.
template <typename Visit>
void for_each_number(const Dataset& data, std::size_t row, const Visit& visit) {
  if (data.sparse) {
    const Dataset::SparseRow entries = data.sparse_row(row);
    for (std::size_t i = 0; i < entries.columns.size(); ++i) {
      visit(entries.columns[i], static_cast<double>(entries.values[i]));
    }
    return;
  }
  const std::span<const float> values = data.dense_row(row);
  for (std::size_t j = 0; j < values.size(); ++j) {
    if (values[j] != 0.0F) visit(j, static_cast<double>(values[j]));
  }
}

}  // namespace

bool ConvexObjective::is_there_for(std::string_view model) {
  return model == "logistic" || model == "least-squares" || model == "softmax";
}

ConvexObjective::Loss ConvexObjective::loss_of(std::string_view model) {
  require(is_there_for(model), "a linear model");
  if (model == "logistic") return Loss::logistic;
  return model == "softmax" ? Loss::softmax : Loss::least_squares;
}

ConvexObjective::ConvexObjective(const ModelOptions& options, const Dataset& train)
    : train_(train),
      loss_(loss_of(options.name)),
      outputs_(loss_ == Loss::softmax ? static_cast<std::size_t>(train.classes) : 1),
      regularised_((train.features - (train.intercept ? 1 : 0)) * outputs_),
      l2_(options.l2),
      residuals_(train.rows * outputs_),
      chances_(train.rows * outputs_) {}

void ConvexObjective::take_scores(std::size_t row, const Doubles& x,
                                  std::span<double> scores) const {
  std::ranges::fill(scores, 0.0);
  for_each_number(train_, row, [&](std::size_t feature, double value) {
    const double* weights = x.data() + feature * outputs_;
    for (std::size_t c = 0; c < outputs_; ++c) scores[c] += value * weights[c];
  });
}

/// sum ← sum + the row's features times the factor of each score.
void ConvexObjective::add_row(std::size_t row, std::span<const double> factors,
                              Doubles& sum) const {
  for_each_number(train_, row, [&](std::size_t feature, double value) {
    double* at = sum.data() + feature * outputs_;
    for (std::size_t c = 0; c < outputs_; ++c) at[c] += value * factors[c];
  });
}

/// Its loss, whose derivatives it leaves behind.
double ConvexObjective::loss_of_row(std::size_t row, std::span<const double> scores) {
  const std::span<double> slopes = residuals(row);
  double* chances = chances_.data() + row * outputs_;
  const Label label = train_.labels[row];
  switch (loss_) {
    case Loss::logistic: {
      const double z = scores[0], y = label == 1 ? 1.0 : 0.0;
      const double chance = 1.0 / (1.0 + std::exp(-z));
      slopes[0] = chance - y;
      chances[0] = chance * (1.0 - chance);
      return std::max(z, 0.0) - y * z + std::log1p(std::exp(-std::abs(z)));
    }
    case Loss::least_squares: {
      const double y = train_.targets.empty() ? (label == 1 ? 1.0 : -1.0)
                                              : static_cast<double>(train_.targets[row]);
      slopes[0] = scores[0] - y;
      chances[0] = 1.0;
      return 0.5 * slopes[0] * slopes[0];
    }
    case Loss::softmax:
      break;
  }
  const double most = *std::ranges::max_element(scores);
  double sum = 0.0;
  for (std::size_t c = 0; c < outputs_; ++c) sum += chances[c] = std::exp(scores[c] - most);
  for (std::size_t c = 0; c < outputs_; ++c) {
    chances[c] /= sum;
    slopes[c] = chances[c] - (static_cast<std::size_t>(label) == c ? 1.0 : 0.0);
  }
  return std::log(sum) + most - scores[static_cast<std::size_t>(label)];
}

double ConvexObjective::set(const Doubles& x) {
  std::array<double, parts_of_rows> losses{};
  parallel_blocks(parts_of_rows, [&](std::size_t place) {
    Doubles scores(outputs_);
    const auto [first, end] = rows_of(train_.rows, place);
    for (std::size_t row = first; row < end; ++row) {
      take_scores(row, x, scores);
      losses[place] += share(row) * loss_of_row(row, scores);
    }
  });
  double sum = 0.0;
  for (const double loss : losses) sum += loss;
  for (std::size_t j = 0; j < regularised_; ++j) sum += 0.5 * l2_ * x[j] * x[j];
  return sum;
}

/// sum ← Σ of what `add` adds for each row.
void ConvexObjective::sum_over_rows(Doubles& sum, OfRow add) const {
  std::vector<Doubles> sums(parts_of_rows);
  parallel_blocks(parts_of_rows, [&](std::size_t place) {
    sums[place].assign(dimension(), 0.0);
    Doubles scratch(outputs_);
    const auto [first, end] = rows_of(train_.rows, place);
    for (std::size_t row = first; row < end; ++row) add(row, sums[place], scratch);
  });
  sum.assign(dimension(), 0.0);
  for (const Doubles& part : sums) {
    for (std::size_t j = 0; j < part.size(); ++j) sum[j] += part[j];
  }
}

void ConvexObjective::add_penalty(const Doubles& v, Doubles& sum) const {
  for (std::size_t j = 0; j < regularised_; ++j) sum[j] += l2_ * v[j];
}

void ConvexObjective::gradient(const Doubles& x, Doubles& sum) const {
  sum_over_rows(sum, [&](std::size_t row, Doubles& part, Doubles& scratch) {
    const std::span<const double> slopes = residuals(row);
    for (std::size_t c = 0; c < outputs_; ++c) scratch[c] = share(row) * slopes[c];
    add_row(row, scratch, part);
  });
  add_penalty(x, sum);
}

/// Of softmax the Hessian by a row's scores is diag(p) − p pᵀ.
void ConvexObjective::hessian_times(const Doubles& v, Doubles& sum) const {
  sum_over_rows(sum, [&](std::size_t row, Doubles& part, Doubles& scratch) {
    take_scores(row, v, scratch);
    const std::span<const double> p = chances(row);
    double mean = 0.0;
    if (loss_ == Loss::softmax) {
      for (std::size_t c = 0; c < outputs_; ++c) mean += p[c] * scratch[c];
    }
    for (std::size_t c = 0; c < outputs_; ++c) scratch[c] = share(row) * p[c] * (scratch[c] - mean);
    add_row(row, scratch, part);
  });
  add_penalty(v, sum);
}

void ConvexObjective::hessian_diagonal(Doubles& sum) const {
  sum_over_rows(sum, [&](std::size_t row, Doubles& part, Doubles& scratch) {
    const std::span<const double> p = chances(row);
    for (std::size_t c = 0; c < outputs_; ++c) {
      scratch[c] = share(row) * (loss_ == Loss::softmax ? p[c] * (1.0 - p[c]) : p[c]);
    }
    for_each_number(train_, row, [&](std::size_t feature, double value) {
      double* at = part.data() + feature * outputs_;
      for (std::size_t c = 0; c < outputs_; ++c) at[c] += value * value * scratch[c];
    });
  });
  for (std::size_t j = 0; j < regularised_; ++j) sum[j] += l2_;
}

}  // namespace trainyard
