// The objects that the names of a configuration stand for, made once: resolve() sees by them what
// fits together, and the plan of a run has the same ones.
//
// Threads: any; these are functions of their arguments, but for decide(), which is resolve().
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/configuration/configuration.hpp"
#include "trainyard/data/catalog.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/run/notes.hpp"
#include "trainyard/scheme/cast.hpp"
#include "trainyard/scheme/scheme.hpp"
#include "trainyard/topology/topology.hpp"

namespace trainyard {

/// The objects of one scheme's run.
struct RunObjects {
  const Scheme* scheme = nullptr;
  Cast cast{};                              // as the scheme's row has it
  std::shared_ptr<const Model> model{};     // several schemes of one configuration have the same
  std::vector<Holding> holdings{};          // of each worker; empty: the whole model
  std::shared_ptr<const Topology> graph{};  // that --topology names; nullptr: it takes none
};

/// resolve(), and the objects of each of the schemes.
std::vector<RunObjects> decide(Configuration& configuration,
                               const std::vector<std::string>& schemes, const LoadedData& data,
                               const Remark& remark);

/// Makes them for a configuration without gaps, unchecked. Throws UsageError for what does not
/// exist or cannot be divided.
RunObjects make_objects(const Scheme& scheme, const Configuration& resolved,
                        const LoadedData& data);

/// check_scheme(), which makes holdings and graph on the way. REQUIRES: scheme, cast and model are
/// there.
std::optional<std::string> check_objects(RunObjects& objects, const Configuration& configuration);

}  // namespace trainyard
