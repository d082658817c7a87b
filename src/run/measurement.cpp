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
  if (data.test.rows == 0) return metrics;
  const auto test = evaluate_all(model, snapshot.model, data.test, grace);
  if (!test) return std::nullopt;
  metrics.test_r_squared = r_squared(*test, data.test);
  metrics.test_loss = test->loss_sum / static_cast<double>(test->rows);
  // A model with a NaN in it, or in a row's scores, has no opinion: comparing them would always
  // name the same class. Of either set: rows that lack a feature do not meet its parameter.
  const bool is_nan = std::isnan(metrics.train_loss) || std::isnan(*metrics.test_loss);
  if (data.test.targets.empty() && !is_nan) {
    metrics.test_accuracy = static_cast<double>(test->correct) / static_cast<double>(test->rows);
  }
  return metrics;
}

}  // namespace trainyard
