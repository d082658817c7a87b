// A run as objects, before it begins: every name of a configuration has become what it stands for,
// once, and whoever is to have which rows is decided.
//
//   Plan plan = prepare_run(configuration, data, {});
//   plan.ingredients.put("topology", my_graph);  // a shared_ptr<const Topology> of the caller's
//   const RunResult result = run_experiment(plan, {});
//
// What a caller changes is neither checked nor recorded: a graph is taken as the rounds themselves
// (scheme/scheme.hpp, rounds_over()), whether the scheme tolerates it or not, and the result's
// configuration says what was asked for before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "trainyard/configuration/configuration.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/run/notes.hpp"
#include "trainyard/runtime/ingredients.hpp"
#include "trainyard/runtime/run_state.hpp"
#include "trainyard/runtime/steps.hpp"
#include "trainyard/scheme/cast.hpp"

namespace trainyard {

struct HotLines;  // runtime/hot_lines.hpp
struct LoadedData;
struct Scheme;

/// Threads: one at a time may change it; any number may run it at once in simulated time.
struct Plan {
  Configuration configuration;  // without gaps
  const Scheme* scheme = nullptr;
  const LoadedData* data = nullptr;
  std::shared_ptr<const Model> model;
  Cast cast;                                      // who is what
  std::vector<Holding> holdings;                  // of each worker; empty: the whole model
  Ingredients ingredients;                        // of the kinds that the scheme takes
  std::vector<std::vector<std::uint32_t>> parts;  // the rows of each of the configuration's workers
  RunLimits limits;
  std::shared_ptr<const HotLines> hot;  // of casts with slices, where there are any
  std::size_t key_width = 0;            // RunContext::key_width
  std::optional<std::uint64_t> leg{};   // steps, of each leg; empty: the run is one
  std::vector<Note> notes{};            // that its summary begins with: what was said before

  /// The ranks that have the model, and its size.
  ModelLayout layout() const;
};

/// resolve()s the configuration for its scheme, and plans the run with the model, the cast and the
/// graph by which that was checked: nothing is made of its name a second time. `remark` is told
/// what was decided. Throws as resolve() and plan_run() do. REQUIRES: the data outlive the plan.
Plan prepare_run(const Configuration& asked, const LoadedData& data, const Remark& remark);

/// Plans a run that was resolved before, and may have been kept or tuned since: names become
/// objects here, unchecked. Throws UsageError where model and data or model and scheme do not fit,
/// a graph does not exist, or the data cannot be partitioned like that. REQUIRES: resolve() made
/// the configuration; scheme and data outlive the plan.
Plan plan_run(const Configuration& resolved, const LoadedData& data, std::vector<Note> notes = {});
/// Plans a run of a scheme that need not be in the table, whatever name the configuration has.
Plan plan_run(const Scheme& scheme, const Configuration& resolved, const LoadedData& data);

/// RunContext::key_width of a run that goes by keys (collective/working_set.hpp); 0 of others.
std::size_t key_width_of(const Scheme& scheme, const Cast& cast, const Configuration& configuration,
                         const Model& model, const Dataset& train);

}  // namespace trainyard
