#include <cmath>

#include "trainyard/data/catalog.hpp"
#include "trainyard/model/model.hpp"

#include "run/share_weights.hpp"
#include "run/summary.hpp"

namespace trainyard {

namespace {

/// The counts up to the snapshot.
Metrics counts_until(const Plan& plan, const Snapshot& snapshot) {
  const Configuration& c = plan.configuration;
  // A rank that stands for all workers takes all their minibatches in one.
  const std::uint64_t minibatches = snapshot.minibatches * static_cast<std::uint64_t>(c.workers) /
                                    static_cast<std::uint64_t>(plan.cast.workers);
  Metrics metrics;
  metrics.step = snapshot.steps;
  metrics.epoch = static_cast<double>(minibatches) *
                  (static_cast<double>(c.batch) / static_cast<double>(plan.data->train.rows));
  metrics.seconds = to_seconds(snapshot.time);
  metrics.samples = minibatches * c.batch;
  metrics.bytes_sent = snapshot.bytes;
  metrics.consensus_distance = snapshot.consensus_distance;
  return metrics;
}

/// What rows say of the model that it was not trained on.
struct HeldOut {
  std::optional<double> loss{}, accuracy{}, r_squared{}, metric{};
};

/// Sums over rows, and their mean loss.
struct RowSums {
  Tally tally{};
  double mean_loss = 0.0;
};

/// The loss as if rows had the weights of their classes, too, where there are any. Empty where the
/// run was interrupted.
std::optional<RowSums> sums_of(const Dataset& rows, const std::vector<double>& class_weights,
                               const Plan& plan, ConstVector parameters, const GracePeriod& grace) {
  RowSums sums;
  double loss = 0.0, weight = 0.0;
  for (std::size_t first = 0, end = 0; first < rows.rows; first = end) {
    end = class_weights.empty() ? rows.rows : first + 1;
    while (end < rows.rows && rows.labels[end] == rows.labels[first]) ++end;
    const auto part = evaluate_rows(*plan.model, parameters, {&rows, first, end - first}, grace);
    if (!part) return std::nullopt;
    const double factor =
        class_weights.empty() ? 1.0 : class_weights[static_cast<std::size_t>(rows.labels[first])];
    loss += factor * part->loss_sum;
    weight += factor * part->weight;
    sums.tally.loss_sum += part->loss_sum;
    sums.tally.correct += part->correct;
    sums.tally.rows += part->rows;
    sums.tally.weight += part->weight;
  }
  sums.mean_loss = loss / weight;
  return sums;
}

/// All empty where there are no rows; empty where the run was interrupted.
std::optional<HeldOut> look_at(const Dataset& rows, const std::vector<double>& class_weights,
                               const Plan& plan, ConstVector parameters, double train_loss,
                               const GracePeriod& grace) {
  HeldOut found;
  if (rows.rows == 0) return found;
  const auto sums = sums_of(rows, class_weights, plan, parameters, grace);
  if (!sums) return std::nullopt;
  const Tally& tally = sums->tally;
  found.r_squared = r_squared(tally, rows);
  found.loss = sums->mean_loss;
  // A model with a NaN in it, or in a row's scores, has no opinion: comparing them would always
  // name the same class. Of either set: rows that lack a feature do not meet its parameter.
  if (std::isnan(train_loss) || std::isnan(*found.loss)) return found;
  if (rows.targets.empty()) {
    found.accuracy = tally.correct / tally.weight;
  }
  const Configuration& c = plan.configuration;
  if (c.metric == MeasureKind::accuracy) {
    found.metric = found.accuracy;
  } else if (c.metric != MeasureKind::loss) {  // takes each row's prediction, not their sums alone
    found.metric = measure_of(c.metric, c.model, *plan.model, parameters, rows);
  }
  return found;
}

}  // namespace

std::optional<Metrics> measure(const Plan& plan, const Snapshot& snapshot,
                               const GracePeriod& grace) {
  const Configuration& c = plan.configuration;
  const LoadedData& data = *plan.data;
  const Model& model = *plan.model;
  Metrics metrics = counts_until(plan, snapshot);
  const auto train = evaluate_all(model, snapshot.model, data.train, grace);
  if (!train) return std::nullopt;
  metrics.train_loss =
      train->loss_sum / static_cast<double>(train->rows) + model.penalty(snapshot.model);
  metrics.train_r_squared = r_squared(*train, data.train);
  if (c.gradient_norm || c.target_gradient) {
    metrics.squared_gradient_norm = squared_gradient_norm(model, snapshot.model, data.train, grace);
    if (!metrics.squared_gradient_norm) return std::nullopt;
  }
  if (c.gradient_noise) {
    const auto noise = gradient_noise({.model = model,
                                       .parameters = snapshot.model,
                                       .data = data.train,
                                       .parts = plan.parts,
                                       .weights = weights_of(*plan.scheme, c),
                                       .seed = c.seed},
                                      grace);
    if (!noise) return std::nullopt;
    metrics.gradient_noise = *noise;
  }
  const auto test = look_at(data.test, {}, plan, snapshot.model, metrics.train_loss, grace);
  const auto held =
      look_at(data.validation, data.class_weights, plan, snapshot.model, metrics.train_loss, grace);
  if (!test || !held) return std::nullopt;
  metrics.test_loss = test->loss;
  metrics.test_accuracy = test->accuracy;
  metrics.test_r_squared = test->r_squared;
  metrics.test_metric = test->metric;
  metrics.validation_loss = held->loss;
  metrics.validation_accuracy = held->accuracy;
  metrics.validation_metric = held->metric;
  return metrics;
}

}  // namespace trainyard
