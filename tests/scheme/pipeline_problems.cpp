#include "scheme/pipeline_problems.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "trainyard/base/random.hpp"
#include "trainyard/data/generate.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/run/resolve.hpp"

#include "scheme/own_row.hpp"
#include "support/training.hpp"

namespace trainyard::test {

namespace {

/// Row by row.
std::vector<RowRange> rows_of(Batch batch) {
  std::vector<RowRange> rows;
  for (const RowRange& range : batch) {
    for (std::size_t r = 0; r < range.count; ++r) rows.push_back({range.data, range.first + r, 1});
  }
  return rows;
}

/// Sum over microbatches, weighed by their rows: in the first ones there is one more where they
/// cannot be alike.
void add_up(Worker& worker, Batch minibatch, std::size_t count, Vector gradient, Vector sum) {
  Workspace workspace;
  std::size_t first = 0;
  for (std::size_t j = 0; j < count; ++j) {
    const std::size_t rows =
        (minibatch.size() - first + (count - j) - 1) / (count - j);  // of what is left
    worker.model().gradient(worker.replica(), minibatch.subspan(first, rows), gradient, workspace);
    first += rows;
    const double share = static_cast<double>(rows) / static_cast<double>(minibatch.size());
    if (j == 0) {
      kernels::scaled_copy(share, gradient, sum);
    } else {
      kernels::axpy(share, gradient, sum);
    }
  }
}

void on_one_rank(Worker& worker) {
  const auto stages = static_cast<std::size_t>(worker.hyperparameter("stages"));
  const auto parts = static_cast<std::size_t>(worker.hyperparameter("tensor-size"));
  const auto count = static_cast<std::size_t>(worker.hyperparameter("microbatches"));
  const std::size_t size = worker.replica().size();
  std::vector<float> gradient(size), sum(size), total(size);
  while (worker.next_step()) {
    const std::vector<RowRange> rows = rows_of(worker.minibatches().next());
    const auto batch = static_cast<std::size_t>(std::lround(
        static_cast<double>(rows.size()) / worker.minibatches().count_of(rows)));  // a worker's
    const std::size_t of_pipeline = stages * parts * batch;
    std::ranges::fill(total, 0.0F);
    for (std::size_t first = 0; first < rows.size(); first += of_pipeline) {
      add_up(worker, Batch(rows).subspan(first, of_pipeline), count, gradient, sum);
      for (std::size_t i = 0; i < size; ++i) total[i] = first == 0 ? sum[i] : total[i] + sum[i];
    }
    const auto pipelines = static_cast<double>(rows.size() / of_pipeline);
    worker.apply(total, 1.0 / pipelines);
  }
}

}  // namespace

PipelineProblem::PipelineProblem(std::uint64_t problem_seed, int of_stage)
    : seed(problem_seed), parts(of_stage) {
  RandomStream random(seed, Purpose::scheme, 0);
  const auto below = [&](std::uint32_t bound) { return static_cast<int>(random.below(bound)); };
  const int layers = 2 + below(5);
  std::string model = "mlp:";
  for (int layer = 1; layer < layers; ++layer) {
    model += fmt::format("{}{}", layer == 1 ? "" : ",", 3 + below(20));
  }
  stages = 1 + below(static_cast<std::uint32_t>(parts == 1 ? layers : (layers + 1) / 2));
  pipelines = 1 + below(3);
  const int workers = stages * parts * pipelines;
  configuration = quick("gpipe", workers, 12);
  configuration.model = model;
  configuration.batch = static_cast<std::size_t>(1 + below(9));
  const auto rows =
      static_cast<std::uint32_t>(stages * parts) * static_cast<std::uint32_t>(configuration.batch);
  microbatches = 1 + below(std::min(rows, 8U));
  configuration.hyperparameters = {
      {"stages", stages}, {"microbatches", microbatches}, {"tensor-size", parts}};
  configuration.seed = seed;
  configuration.l2 = 1e-3;
  configuration.optimizer.lr = 0.1;
  configuration.evaluate_every = 0.1;
  const auto features = static_cast<std::size_t>(4 + below(20));
  const int classes = std::max(parts, 2 + below(5));
  data = {"blobs", generate_blobs(400, features, classes, 1.0, seed),
          generate_blobs(50, features, classes, 1.0, seed + 1)};
  configuration = resolve(configuration, {"gpipe"}, data, {});
}

RunResult PipelineProblem::run(const std::string& scheme, const RunHooks& hooks) const {
  Configuration c = configuration;
  c.scheme = scheme;
  return run_experiment(plan_run(c, data), hooks);
}

RunResult PipelineProblem::run_on_one_rank() const {
  Scheme scheme = mine(on_one_rank);
  scheme.cast = cast::one_worker;
  scheme.hyperparameters = find_scheme("gpipe").hyperparameters;
  Configuration c = configuration;
  c.time = TimeMode::simulated;
  return run_experiment(plan_run(scheme, c, data), {});
}

double difference_of_models(const RunResult& a, const RunResult& b) {
  const std::span<const float> x = a.model.view().floats(), y = b.model.view().floats();
  double difference = 0.0, size = 0.0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    difference = std::max(difference, std::abs(static_cast<double>(x[j]) - y[j]));
    size = std::max(size, std::abs(static_cast<double>(y[j])));
  }
  return difference / size;
}

}  // namespace trainyard::test
