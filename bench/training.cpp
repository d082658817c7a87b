// Whole runs in `wall`, by scheme and number of workers: what is left of the kernels' speed when
// they are called from training, and what two threads that share a model make of it.
#include <cstdint>
#include <string>

#include <benchmark/benchmark.h>

#include "trainyard/data/generate.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/resolve.hpp"
#include "trainyard/run/run.hpp"
#include "trainyard/runtime/shared_model.hpp"

namespace trainyard {
namespace {

using benchmark::State;

/// One iteration is a run of `epochs` passes; its time is the run's own clock, which stands still
/// while the model is evaluated.
void train(State& state, const LoadedData& data, const std::string& model,
           const std::string& scheme, double epochs, const Hyperparameters& hyperparameters = {}) {
  Configuration c;
  c.scheme = scheme;
  c.hyperparameters = hyperparameters;
  c.workers = static_cast<int>(state.range(0));
  c.batch = static_cast<std::size_t>(state.range(1));
  c.time = TimeMode::wall;
  c.model = model;
  c.optimizer.lr = 0.01;
  c.epochs = epochs;
  c.evaluate_every = 1e9;
  std::uint64_t samples = 0;
  for ([[maybe_unused]] auto _ : state) {
    const RunResult result = run_experiment(plan_run(resolve(c, {c.scheme}, data, {}), data), {});
    state.SetIterationTime(result.summary.seconds);
    samples += result.summary.samples;
  }
  state.counters["samples/s"] = {static_cast<double>(samples), benchmark::Counter::kIsRate};
}

/// The sizes of covtype, of rcv1, and of fashion-mnist at a fifth of its rows.
void dense_logistic(State& state, const std::string& scheme,
                    const Hyperparameters& hyperparameters = {}) {
  static const LoadedData data{"dense", generate_dense_logistic(581000, 54, 1), {}};
  train(state, data, "logistic", scheme, 4.0, hyperparameters);
}
void sparse_logistic(State& state, const std::string& scheme,
                     const Hyperparameters& hyperparameters = {}) {
  static const LoadedData data{"sparse", generate_sparse_logistic(20000, 47000, 74, 1), {}};
  train(state, data, "logistic", scheme, 40.0, hyperparameters);
}
void mlp_256_128(State& state, const std::string& scheme) {
  static const LoadedData data{"pictures", generate_blobs(12800, 784, 10, 8.0, 1), {}};
  train(state, data, "mlp:256,128", scheme, 8.0);
}

void sizes(benchmark::internal::Benchmark* run) {
  run->UseManualTime()->Unit(benchmark::kMillisecond)->ArgNames({"workers", "batch"});
}
void one_row(benchmark::internal::Benchmark* run) {
  sizes(run);
  for (const int workers : {1, 2}) run->Args({workers, 1});
}
void dense_rows(benchmark::internal::Benchmark* run) {
  sizes(run);
  for (const int batch : {1, 16, 64}) {
    for (const int workers : {1, 2}) run->Args({workers, batch});
  }
}
void pictures(benchmark::internal::Benchmark* run) {
  sizes(run);
  for (const int batch : {32, 128}) {
    for (const int workers : {1, 2}) run->Args({workers, batch});
  }
}

// The ways to change a shared model, and a model for each of two emulated nodes.
const Hyperparameters cas_add{{"access", static_cast<double>(SharedAccess::cas_add)}};
const Hyperparameters locked{{"access", static_cast<double>(SharedAccess::locked)}};
const Hyperparameters per_core{{"groups", 2.0}, {"period", 10000.0}};

BENCHMARK_CAPTURE(sparse_logistic, sequential, "sequential", {})->Apply(sizes)->Args({1, 1});
BENCHMARK_CAPTURE(sparse_logistic, hogwild, "hogwild", {})->Apply(one_row);
BENCHMARK_CAPTURE(sparse_logistic, hogwild_cas_add, "hogwild", cas_add)->Apply(one_row);
BENCHMARK_CAPTURE(sparse_logistic, hogwild_locked, "hogwild", locked)->Apply(one_row);
BENCHMARK_CAPTURE(sparse_logistic, hogwild_numa, "hogwild-numa", per_core)->Apply(one_row);
BENCHMARK_CAPTURE(sparse_logistic, hogwild_plus_plus, "hogwild++", per_core)->Apply(one_row);
BENCHMARK_CAPTURE(dense_logistic, sequential, "sequential", {})
    ->Apply(sizes)
    ->Args({1, 1})
    ->Args({1, 64});
BENCHMARK_CAPTURE(dense_logistic, hogwild, "hogwild", {})->Apply(dense_rows);
BENCHMARK_CAPTURE(dense_logistic, hogwild_cas_add, "hogwild", cas_add)->Apply(one_row);
BENCHMARK_CAPTURE(dense_logistic, hogwild_locked, "hogwild", locked)->Apply(one_row);
BENCHMARK_CAPTURE(dense_logistic, hogwild_numa, "hogwild-numa", per_core)->Apply(one_row);
BENCHMARK_CAPTURE(dense_logistic, hogwild_plus_plus, "hogwild++", per_core)->Apply(one_row);
BENCHMARK_CAPTURE(mlp_256_128, sequential, "sequential")
    ->Apply(sizes)
    ->Args({1, 32})
    ->Args({1, 128});
BENCHMARK_CAPTURE(mlp_256_128, hogwild, "hogwild")->Apply(pictures);
BENCHMARK_CAPTURE(mlp_256_128, ring, "ring")->Apply(pictures);

}  // namespace
}  // namespace trainyard
