// Hyperparameters that several schemes have, each with one meaning.
#pragma once

#include "trainyard/hardware/machine.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

inline const HyperparameterInfo period_info{
    .name = "period",
    .argument = "TAU",
    .help = "steps of a worker between two averages or exchanges",
    .fallback = 10,
    .low = 1,
    .high = 1e12,
    .whole = true,
    .cycle = true};

inline const HyperparameterInfo staleness_info{
    .name = "staleness",
    .argument = "S",
    .help = "steps that a worker may be ahead of the slowest",
    .fallback = 3,
    .low = 0,
    .high = 1e12,
    .whole = true};

inline const HyperparameterInfo fetch_period_info{.name = "fetch-period",
                                                  .argument = "N",
                                                  .help = "steps from fetch to fetch",
                                                  .fallback = 1,
                                                  .low = 1,
                                                  .high = 1e12,
                                                  .whole = true,
                                                  .cycle = true};

inline const HyperparameterInfo moving_rate_info{
    .name = "moving-rate",
    .argument = "BETA",
    .help = "elasticity, of all together that draw at one model",
    .fallback = 0.9,
    .low = 0.0,
    .high = 100.0};

inline const HyperparameterInfo consensus_rate_info{
    .name = "consensus-rate",
    .argument = "RATE",
    .help = "share of the way to the neighbours' average; the more a codec leaves out, the smaller",
    .fallback = 0.3,
    .low = 1e-6,
    .high = 1.0};
// Not tuned, though papers call it a consensus step size: what is reported is the loss of the
// replicas' average, which of alike data is best where they never mix.

inline const HyperparameterInfo mixing_share_info{
    .name = "mixing-share",
    .argument = "S",
    .help = "how far a round goes towards the average",
    .fallback = 0.5,
    .low = 1e-6,
    .high = 1.0};

inline const HyperparameterInfo mixing_probability_info{
    .name = "mixing-probability",
    .argument = "P",
    .help = "that a step is followed by a round of all workers",
    .fallback = 0.1,
    .low = 1e-6,
    .high = 1.0};

/// The fallback takes back, until the next round, just what the last one has changed.
inline const HyperparameterInfo correction_rate_info{
    .name = "correction-rate",
    .argument = "BETA",
    .help =
        "of what a round has changed, the share that each later step takes back; one over the "
        "steps of a round if not given",
    .fallback = 1.0,
    .low = 1e-12,
    .high = 1e3,
    .run_fallback = [](int, const Hyperparameters& before) -> double {
      const auto period = before.find("period");
      if (period != before.end()) return 1.0 / period->second;
      return hyperparameter(before, "mixing-probability");
    }};

inline const HyperparameterInfo consensus_penalty_info{
    .name = "consensus-penalty",
    .argument = "C",
    .help = "of the squared distance from what a neighbour and oneself hold on average",
    .fallback = 0.1,
    .low = 1e-9,
    .high = 1e9};

inline const HyperparameterInfo stages_info{
    .name = "stages",
    .argument = "P",
    .help = "stages of a pipeline, which divide the workers; 0: as many as do and have layers",
    .fallback = 0,
    .low = 0,
    .high = 32000,
    .whole = true};

inline const HyperparameterInfo microbatches_info{
    .name = "microbatches",
    .argument = "M",
    .help = "parts of a pipeline's minibatch that go through its stages; at most its rows",
    .fallback = 4,
    .low = 1,
    .high = 1e6,
    .whole = true};

/// The fallback is 1 in schemes that exist without it, so that nothing is split that nobody asked
/// for: there it follows other hyperparameters; in tensor-split it stands alone.
inline const HyperparameterInfo tensor_size_info{
    .name = "tensor-size",
    .argument = "T",
    .help =
        "workers that hold each stage together, or the whole model where there are no stages; 1 if "
        "not given, of tensor-split all workers",
    .fallback = 1,
    .low = 1,
    .high = 32000,
    .whole = true,
    .run_fallback = [](int workers, const Hyperparameters& before) -> double {
      return before.empty() ? workers : 1;
    }};

// Functions, as they look at other files' constants.

inline HyperparameterInfo access_info() {
  return {.name = "access",
          .argument = "racy|cas-add|locked",
          .help = "how the shared model is changed; only racy may lose updates",
          .of_wall = true,  // in simulated time no two workers write at the same moment
          .choices = shared_access_names()};
}

inline HyperparameterInfo groups_info() {
  return {.name = "groups",
          .argument = "G",
          .help = "groups of workers with a model each, at most one a worker; NUMA nodes",
          .low = 1,
          .high = 32000,
          .whole = true,
          .machine_fallback = [] {
            static const int nodes = this_machine().nodes;  // looking takes milliseconds
            return static_cast<double>(nodes);
          }};
}

}  // namespace trainyard
