#include "support/replicas.hpp"

#include <atomic>

#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/data/partition.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard::test {

namespace {

std::vector<double> copied(ConstVector values) {
  const auto doubles = values.doubles();
  return {doubles.begin(), doubles.end()};
}

std::vector<double> slowdown_of(const Configuration& c, std::size_t workers) {
  std::vector<double> factors(workers, 1.0);
  for (const Straggler& straggler : c.stragglers) {
    factors[static_cast<std::size_t>(straggler.rank)] = straggler.factor;
  }
  return factors;
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

/// `graph` instead of the one that the configuration names, where it is not nullptr.
Ingredients ingredients_of(const Scheme& scheme, const Configuration& c,
                           const Hyperparameters& hyperparameters, const Topology* graph) {
  Ingredients made = make_ingredients(
      c.ingredients,
      {.scheme = scheme, .workers = c.workers, .seed = c.seed, .hyperparameters = hyperparameters});
  if (graph == nullptr) return made;
  made.put("topology",
           std::make_shared<const Topology>(rounds_over(scheme, *graph, hyperparameters, c.seed)));
  return made;
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

Replicas run_on_quadratic(const Configuration& c, const Dataset& data,
                          std::optional<std::uint64_t> minibatches, const Special& special) {
  const Scheme& scheme = special.scheme != nullptr ? *special.scheme : find_scheme(c.scheme);
  const auto model = make_model({"quadratic", c.l2}, data);
  VectorBuffer initial(model->scalar(), model->dimension());
  model->initialize(initial.view(), c.seed);
  std::vector<std::vector<std::uint32_t>> parts = special.parts;
  for (std::uint32_t w = 0; special.parts.empty() && w < data.rows; ++w) parts.push_back({w});
  const Hyperparameters hyperparameters = with_fallbacks(scheme, c.hyperparameters, c.workers);
  const Ingredients ingredients = ingredients_of(scheme, c, hyperparameters, special.topology);
  const Cast cast = cast_of(scheme, c);

  RuntimeSetup setup;
  setup.network = c.network;
  setup.workers = cast.workers;
  setup.servers = cast.servers;
  const std::atomic<bool> interrupted{false};
  RunState state({.home = cast.model,
                  .workers = setup.workers,
                  .servers = setup.servers,
                  .shared_models = cast.shared_models,
                  .scalar = model->scalar(),
                  .dimension = model->dimension()});
  Pacer pacer(
      {.pace = scheme.pace,
       .limits = {.steps = c.steps.value_or(0),
                  .minibatches = minibatches,
                  .evaluate_every = 1'000'000'000},
       .workers = setup.workers},
      state, [](const Snapshot&) { return false; }, interrupted);
  const RunContext context{.scheme = scheme.name,
                           .train = data,
                           .model = *model,
                           .initial_model = initial.view(),
                           .parts = parts,
                           .workers = c.workers,
                           .proxies = cast.proxies,
                           .seed = c.seed,
                           .optimizer = c.optimizer,
                           .minibatch_time = std::chrono::milliseconds(1),
                           .slowdown = slowdown_of(c, data.rows),
                           .compute_noise = c.compute_noise,
                           .hyperparameters = hyperparameters,
                           .ingredients = ingredients,
                           .pacer = pacer,
                           .state = state,
                           .simulated = true};
  Replicas result;
  result.workers.resize(static_cast<std::size_t>(setup.workers));
  const RuntimeReport report = run_virtual(setup, [&](Rank& rank) {
    if (rank.rank() >= setup.workers) {
      Server server(rank, context);
      rank.begin();
      scheme.server(server);
      return;
    }
    Worker worker(rank, context, cast.shares_of(rank.rank()));
    if (!special.starts.empty()) {
      kernels::copy(special.starts[static_cast<std::size_t>(rank.rank())], worker.replica());
    }
    rank.begin();
    scheme.worker(worker);
    result.workers[static_cast<std::size_t>(rank.rank())] = copied(worker.replica());
  });
  result.model = copied(pacer.final_snapshot(report).model);
  result.kept = kept_in(state);
  return result;
}

}  // namespace trainyard::test
