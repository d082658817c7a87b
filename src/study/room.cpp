#include "study/room.hpp"

#include <algorithm>
#include <limits>

#include <tbb/task_arena.h>

#include "trainyard/base/memory_account.hpp"
#include "trainyard/scheme/scheme.hpp"
#include "trainyard/topology/topology.hpp"

namespace trainyard {

namespace {

/// Whose messages a worker may hold at once, at most.
double neighbours(const Case& one) {
  const Scheme& scheme = find_scheme(one.configuration.scheme);
  if (!takes(scheme, "topology")) return 1.0;
  const Ingredients made = make_ingredients(scheme, one.configuration);
  std::size_t most = 0;
  for (const MixingRow& row : made.get<Topology>("topology").matrices.front()) {
    most = std::max(most, row.receives.size());
  }
  return static_cast<double>(most);
}

/// In `wall` runs would take each other's cores.
bool take_turns(std::span<const Case> cases) {
  return std::ranges::any_of(cases, [](const Case& one) {
    return one.configuration.time == TimeMode::wall || !one.configuration.trace.empty();
  });
}

}  // namespace

double bytes_of_run(const Case& one, const Model& model) {
  constexpr double generous = 8.0;  // times replicas, gradients and what neighbours send
  return generous * static_cast<double>(model.dimension() * bytes_of(model.scalar())) *
         (one.configuration.workers * (2.0 + neighbours(one)) + 3.0);
}

int runs_at_once(std::span<const Case> cases, std::span<const Case* const> typical,
                 const ComparisonOptions& options) {
  if (take_turns(cases)) return 1;
  const int asked =
      options.jobs > 0 ? options.jobs : std::max(1, tbb::this_task_arena::max_concurrency());
  // A bound on the workers of all runs together: where guards divide mappings, a fiber takes two of
  // a process's 65,530.
  constexpr int most_workers = 16'000;
  int workers = 1;
  for (const Case& one : cases) workers = std::max(workers, one.configuration.workers);
  const int wanted = std::clamp(most_workers / workers, 1, asked);
  if (wanted == 1 || memory_bound() == std::numeric_limits<std::size_t>::max()) return wanted;
  double largest = 1.0;
  for (const Case* one : typical) {
    const Configuration& c = one->configuration;
    const auto model = make_model({c.model, c.l2, c.l1}, one->data->train);
    largest = std::max(largest, bytes_of_run(*one, *model));
  }
  const double room = static_cast<double>(memory_bound()) - static_cast<double>(memory_held());
  return static_cast<int>(std::clamp(room / largest, 1.0, static_cast<double>(wanted)));
}

std::optional<Note> note_of_jobs(std::span<const Case> cases, const ComparisonOptions& options) {
  if (options.jobs <= 1 || cases.size() == 1 || !take_turns(cases)) return std::nullopt;
  return Note{
      .about = "",
      .text = "note: --jobs has no effect: runs in wall, and runs with --trace, take turns"};
}

}  // namespace trainyard
