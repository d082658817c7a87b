// Pipelines of random sizes, and one rank that computes what they do, one after another.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trainyard/run/plan.hpp"
#include "trainyard/run/run.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard::test {

/// Sizes that a seed draws: 2 to 6 layers, stages up to as many, 1 to 3 pipelines.
struct PipelineProblem {
  std::uint64_t seed = 0;
  LoadedData data;
  Configuration configuration;  // resolved, of gpipe
  int stages = 1, pipelines = 1, microbatches = 1;
  int parts = 1;  // of each stage, which then has pairs of layers

  explicit PipelineProblem(std::uint64_t seed, int parts = 1);
  /// The same run of another scheme of pipelines.
  RunResult run(const std::string& scheme, const RunHooks& hooks = {}) const;
  /// The same run of one rank that has all layers: the minibatches and microbatches of all
  /// pipelines one after another, and one step with the mean over pipelines.
  RunResult run_on_one_rank() const;
};

/// Of two models: max |a - b| / max |b|.
double difference_of_models(const RunResult& a, const RunResult& b);

}  // namespace trainyard::test
