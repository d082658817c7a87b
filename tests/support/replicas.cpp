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

Replicas run_on_quadratic(const Configuration& c, const Dataset& data,
                          std::optional<std::uint64_t> minibatches, const Special& special) {
  const Scheme& scheme = special.scheme != nullptr ? *special.scheme : find_scheme(c.scheme);
  const auto model = make_model({"quadratic", c.l2}, data);
  VectorBuffer initial(model->scalar(), model->dimension());
  model->initialize(initial.view(), c.seed);
  std::vector<std::vector<std::uint32_t>> parts = special.parts;
  for (std::uint32_t w = 0; special.parts.empty() && w < data.rows; ++w) parts.push_back({w});
  const Hyperparameters hyperparameters = with_fallbacks(scheme, c.hyperparameters, c.workers);
  const Topology graph = special.topology != nullptr ? *special.topology
                                                     : make_topology(c.topology, c.workers, c.seed);
  const Topology topology = rounds_over(scheme, graph, hyperparameters, c.seed);
  const AllReduce& collective = find_all_reduce(c.collective);

  RuntimeSetup setup;
  setup.network = c.network;
  setup.workers = scheme.one_rank ? 1 : c.workers;
  setup.servers = server_count(scheme, collective, c.workers, c.servers);
  const std::atomic<bool> interrupted{false};
  RunControl control(
      scheme.pace, scheme.home, setup.workers, setup.servers, model->scalar(), model->dimension(),
      {.steps = c.steps.value_or(0), .minibatches = minibatches, .evaluate_every = 1'000'000'000},
      1, [](const Snapshot&) { return false; }, interrupted);
  std::vector<double> slowdown(data.rows, 1.0);
  for (const Straggler& straggler : c.stragglers) {
    slowdown[static_cast<std::size_t>(straggler.rank)] = straggler.factor;
  }
  const RunContext context{.scheme = scheme.name,
                           .train = data,
                           .model = *model,
                           .initial_model = initial.view(),
                           .parts = parts,
                           .workers = c.workers,
                           .proxies = proxy_count(scheme, setup.servers),
                           .seed = c.seed,
                           .optimizer = c.optimizer,
                           .minibatch_time = std::chrono::milliseconds(1),
                           .slowdown = slowdown,
                           .compute_noise = c.compute_noise,
                           .hyperparameters = hyperparameters,
                           .topology = scheme.has_topology ? &topology : nullptr,
                           .collective = scheme.has_collective ? &collective : nullptr,
                           .control = control,
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
    Worker worker(rank, context, shares_of(scheme, rank.rank(), c.workers, hyperparameters));
    if (!special.starts.empty()) {
      kernels::copy(special.starts[static_cast<std::size_t>(rank.rank())], worker.replica());
    }
    rank.begin();
    scheme.worker(worker);
    result.workers[static_cast<std::size_t>(rank.rank())] = copied(worker.replica());
  });
  result.model = copied(control.final_snapshot(report).model);
  return result;
}

}  // namespace trainyard::test
