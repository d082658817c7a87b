#include "support/replicas.hpp"

#include <memory>
#include <numeric>
#include <utility>

#include "trainyard/data/catalog.hpp"
#include "trainyard/data/partition.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/run.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard::test {

namespace {

std::vector<double> copied(ConstVector values) {
  const auto doubles = values.doubles();
  return {doubles.begin(), doubles.end()};
}

/// By each rank.
std::vector<std::map<std::string, std::vector<double>>> kept_in(const RunState& state) {
  std::vector<std::map<std::string, std::vector<double>>> all;
  for (int rank = 0; rank < state.layout().workers + state.layout().servers; ++rank) {
    auto& kept = all.emplace_back();
    for (const auto& [name, values] : state.kept_by(rank)) kept.emplace(name, copied(values));
  }
  return all;
}

/// The run that is under way, for the program of a row, which is a function and no more.
struct Recording {
  const Scheme* scheme;
  const Special* special;
  std::vector<std::vector<double>> workers;
};
thread_local Recording* recording = nullptr;

void recorded_worker(Worker& worker) {
  const auto rank = static_cast<std::size_t>(worker.comm().rank());
  if (!recording->special->starts.empty()) {
    kernels::copy(recording->special->starts[rank], worker.replica());
  }
  recording->scheme->worker(worker);
  recording->workers[rank] = copied(worker.replica());
}

/// As run_on_quadratic() says; whole for a scheme that is in no table too.
Configuration configuration_of(const Scheme& scheme, Configuration c) {
  c.scheme = scheme.name;
  c.model = "quadratic";
  c.steps = c.steps.value_or(0);
  c.time = TimeMode::simulated;
  c.compute_time = std::chrono::milliseconds(1);
  c.evaluate_every = 1e9;
  c.hyperparameters = with_fallbacks(scheme, c.hyperparameters, c.workers);
  return c;
}

}  // namespace

Dataset quadratic_data(const std::vector<std::vector<double>>& h,
                       const std::vector<std::vector<double>>& b) {
  Dataset data;
  data.rows = h.size();
  data.features = 2 * h.front().size();
  data.labels = AlignedBuffer<Label>::zeroed(data.rows);
  data.dense = AlignedBuffer<float>(data.rows * data.features);
  float* next = data.dense.data();
  for (std::size_t row = 0; row < data.rows; ++row) {
    for (const auto* half : {&h[row], &b[row]}) {
      for (const double value : *half) *next++ = static_cast<float>(value);
    }
  }
  return data;
}

Dataset unlike_data(int workers) {
  std::vector<std::vector<double>> h, b;
  for (int i = 0; i < workers; ++i) {
    h.push_back({1.0 + 0.25 * (i % 3), 0.5 + 0.125 * i});
    b.push_back({static_cast<double>(i) - 2.0, 3.0 - static_cast<double>(i * i) / 4.0});
  }
  return quadratic_data(h, b);
}

std::vector<double> optimum(const Dataset& data) {
  const std::size_t d = data.features / 2;
  std::vector<double> best(d);
  for (std::size_t j = 0; j < d; ++j) {
    double curvature = 0.0, pull = 0.0;
    for (std::size_t i = 0; i < data.rows; ++i) {
      const float* row = data.dense.data() + i * data.features;
      curvature += row[j];
      pull += static_cast<double>(row[j]) * row[d + j];
    }
    best[j] = pull / curvature;
  }
  return best;
}

Replicas run_on_quadratic(const Configuration& asked, const Dataset& data,
                          std::optional<std::uint64_t> minibatches, const Special& special) {
  const Scheme& scheme = special.scheme != nullptr ? *special.scheme : find_scheme(asked.scheme);
  Recording here{&scheme, &special, {}};
  Scheme recorded = scheme;
  recorded.worker = recorded_worker;

  std::vector<std::uint32_t> rows(data.rows);
  std::iota(rows.begin(), rows.end(), 0U);
  const LoadedData loaded{"quadratics", copy_rows(data, rows), {}};
  Configuration c = configuration_of(scheme, asked);
  // Where workers have several rows a test may ask for larger minibatches.
  if (special.parts.empty() || c.batch == Configuration{}.batch) c.batch = 1;
  Plan plan = plan_run(recorded, c, loaded);
  plan.parts = special.parts;
  for (const std::uint32_t row : rows) {
    if (special.parts.empty()) plan.parts.push_back({row});
  }
  plan.limits.minibatches = minibatches;
  if (special.topology != nullptr) {
    plan.ingredients.put("topology", std::make_shared<const Topology>(rounds_over(
                                         scheme, *special.topology, c.hyperparameters, c.seed)));
  }

  here.workers.resize(static_cast<std::size_t>(plan.cast.workers));
  Replicas result;
  RunHooks hooks;
  hooks.finished = [&](const RunState& state) { result.kept = kept_in(state); };
  recording = &here;
  const RunResult run = run_experiment(plan, hooks);
  result.model = copied(run.model.view());
  recording = nullptr;
  result.workers = std::move(here.workers);
  return result;
}

}  // namespace trainyard::test
