#include "scheme/check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/network/network.hpp"
#include "trainyard/topology/topology.hpp"

namespace trainyard {

namespace {

[[noreturn]] void refuse(const Scheme& scheme, std::string_view field, std::string_view why) {
  throw UsageError(fmt::format("scheme '{}': {}: {}", scheme.name, field, why));
}

/// Whether it can be typed after --scheme, or after -- as a flag: colons and commas have a meaning
/// there.
bool can_be_typed(std::string_view name, std::string_view more = "") {
  const auto accepted = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
           more.find(c) != std::string_view::npos;
  };
  return !name.empty() && name.front() != '-' && std::ranges::all_of(name, accepted);
}

struct Rule {
  bool broken;
  const char* field;
  const char* why;
};

void check_texts_and_programs(const Scheme& s) {
  const bool serves = s.server != nullptr;
  const bool shared = s.home == ModelHome::shared;
  const std::array rules{
      Rule{s.summary.empty(), ".summary", "missing; it is the scheme's line in `list schemes`"},
      Rule{s.step.empty(), ".step",
           "missing; it says what γ multiplies, which `compare` shows beside the figures"},
      Rule{s.worker == nullptr, ".worker", "missing; it is the program of one worker"},
      Rule{s.home == ModelHome::servers && !serves, ".server",
           "missing; .home = ModelHome::servers keeps the model there"},
      Rule{shared && serves, ".server",
           "with .home = ModelHome::shared the model is in shared memory, and no server has a part "
           "of it"},
      Rule{s.pace == Pace::server && !serves, ".server",
           "missing; .pace = Pace::server leaves it to a server to close the steps"},
      Rule{s.has_collective && !serves, ".server",
           "missing; with .has_collective the way may be ps, whose servers it has to be "
           "(Server::collective().serve())"},
      Rule{s.has_proxies && !serves, ".server", "missing; .has_proxies says that there are some"},
      Rule{s.one_server && !serves, ".server", "missing; .one_server says that there is one"},
      Rule{s.one_server && s.has_collective, ".one_server",
           "contradicts .has_collective, where --collective says how many servers there are"},
      Rule{s.one_server && s.has_proxies, ".one_server",
           "contradicts .has_proxies, which come in front of a server"},
      Rule{s.has_collective && s.has_proxies, ".has_proxies",
           "contradicts .has_collective, where --collective says how many servers there are"},
      Rule{shared && s.optimizers != OptimizerRange::plain, ".optimizers",
           "must be OptimizerRange::plain: steps on a shared model have no state of their own, and "
           "a momentum would have no effect"},
  };
  for (const Rule& rule : rules) {
    if (rule.broken) refuse(s, rule.field, rule.why);
  }
}

void check_ranks(const Scheme& s) {
  const bool names_groups = std::ranges::find(s.hyperparameters, "groups",
                                              &HyperparameterInfo::name) != s.hyperparameters.end();
  const std::array rules{
      Rule{s.has_groups && s.home != ModelHome::shared, ".has_groups",
           "groups share a model each, which needs .home = ModelHome::shared"},
      Rule{s.has_groups && !names_groups, ".hyperparameters",
           ".has_groups takes their number from a hyperparameter 'groups', which is missing"},
      Rule{names_groups && !s.has_groups, ".has_groups",
           "missing; without it the hyperparameter 'groups' has no effect"},
      Rule{s.one_rank && s.has_topology, ".one_rank",
           "contradicts .has_topology: one rank has no neighbours"},
      Rule{s.one_rank && s.has_collective, ".one_rank",
           "contradicts .has_collective: one rank has nobody to add up with"},
      Rule{s.one_rank && s.shares != nullptr, ".one_rank",
           "contradicts .shares: one rank takes the minibatches of all workers"},
      Rule{!s.has_topology && s.graphs != GraphRange::doubly_stochastic, ".graphs",
           "says nothing without .has_topology = true"},
      Rule{!s.has_topology && s.rounds != nullptr, ".rounds",
           "says nothing without .has_topology = true"},
      Rule{s.least_eigenvalue != nullptr && s.graphs != GraphRange::static_symmetric,
           ".least_eigenvalue", "needs .graphs = GraphRange::static_symmetric"},
  };
  for (const Rule& rule : rules) {
    if (rule.broken) refuse(s, rule.field, rule.why);
  }
}

void check_hyperparameter(const Scheme& s, const HyperparameterInfo& p) {
  if (!can_be_typed(p.name)) {
    refuse(s, ".hyperparameters",
           fmt::format("'{}' cannot be the name of a flag; lower-case letters, digits and hyphens "
                       "are accepted",
                       p.name));
  }
  const bool one_of_them = !p.choices.empty();
  const auto places = static_cast<double>(p.choices.size());
  const bool whole_numbers =
      std::trunc(p.low) == p.low && std::trunc(p.high) == p.high &&
      (p.machine_fallback != nullptr || std::trunc(p.fallback) == p.fallback);
  const auto allowed = [&](double value) {
    return one_of_them ? value >= 0.0 && value < places : value >= p.low && value <= p.high;
  };
  const std::array rules{
      Rule{std::ranges::count(s.hyperparameters, p.name, &HyperparameterInfo::name) > 1, ".name",
           "is there twice"},
      Rule{p.argument.empty(), ".argument", "missing; it says how a value is written"},
      Rule{p.help.empty(), ".help", "missing; it is the flag's line of --help"},
      Rule{!one_of_them && !(p.low <= p.high), ".low", "is greater than .high"},
      Rule{p.machine_fallback == nullptr && !allowed(p.fallback), ".fallback",
           "is not among the accepted values"},
      Rule{p.in_the_long_run && !allowed(*p.in_the_long_run), ".in_the_long_run",
           "is not among the accepted values"},
      Rule{p.whole && !whole_numbers, ".whole", "limits and fallback must be whole as well"},
      Rule{p.cycle && !(p.whole && p.low >= 1.0), ".cycle",
           "counts steps: it needs .whole = true and .low = 1 at least"},
      Rule{p.of_workers && !p.whole, ".of_workers", "counts workers: it needs .whole = true"},
  };
  for (const Rule& rule : rules) {
    if (rule.broken)
      refuse(s, fmt::format("hyperparameter '{}': {}", p.name, rule.field), rule.why);
  }
}

/// Empty where both mean the same.
std::string_view field_that_differs(const HyperparameterInfo& a, const HyperparameterInfo& b) {
  if (a.argument != b.argument) return ".argument";
  if (a.help != b.help) return ".help";
  if (a.fallback != b.fallback) return ".fallback";
  if (a.low != b.low) return ".low";
  if (a.high != b.high) return ".high";
  if (a.whole != b.whole) return ".whole";
  if (a.of_workers != b.of_workers) return ".of_workers";
  if (a.cycle != b.cycle) return ".cycle";
  if (a.in_the_long_run != b.in_the_long_run) return ".in_the_long_run";
  if (a.choices != b.choices) return ".choices";
  if (a.machine_fallback != b.machine_fallback) return ".machine_fallback";
  if (a.run_fallback != b.run_fallback) return ".run_fallback";
  return "";
}

/// Of all hyperparameters of one name, the first scheme that has it.
using FirstTakers = std::map<std::string_view, std::pair<const Scheme*, const HyperparameterInfo*>>;

void check_against_others(const Scheme& s, FirstTakers& first_takers) {
  for (const HyperparameterInfo& p : s.hyperparameters) {
    const auto [first, is_new] = first_takers.try_emplace(p.name, &s, &p);
    const auto [other, known] = first->second;
    const std::string_view field = field_that_differs(*known, p);
    if (!field.empty()) {
      refuse(
          s, fmt::format("hyperparameter '{}': {}", p.name, field),
          fmt::format("differs from that of scheme '{}'; one name has one meaning", other->name));
    }
  }
}

}  // namespace

void check_schemes(std::span<const Scheme> table) {
  FirstTakers first_takers;
  for (const Scheme& scheme : table) {
    if (scheme.name.empty()) throw UsageError("a scheme: .name: missing; it follows --scheme");
    if (!can_be_typed(scheme.name, "+")) {
      refuse(scheme, ".name", "lower-case letters, digits, hyphens and '+' are accepted");
    }
    if (is_group(scheme.name)) {
      refuse(scheme, ".name", "is the name of a group of schemes");
    }
    if (std::ranges::count(table, scheme.name, &Scheme::name) > 1) {
      refuse(scheme, ".name", "there is a scheme of that name already");
    }
    check_texts_and_programs(scheme);
    check_ranks(scheme);
    for (const HyperparameterInfo& p : scheme.hyperparameters) check_hyperparameter(scheme, p);
    check_against_others(scheme, first_takers);
  }
}

namespace {

/// Of those that a function gives, for some numbers of workers.
void check_run_fallbacks(const Scheme& scheme) {
  for (const int workers : {1, 2, 4}) {
    try {
      const Hyperparameters fallbacks = with_fallbacks(scheme, {}, workers);
      for (const HyperparameterInfo& p : scheme.hyperparameters) {
        if (p.run_fallback == nullptr) continue;
        const double value = hyperparameter(fallbacks, p.name);
        const bool in_range = value >= p.low && value <= p.high;
        // What counts workers leaves one of them, of one worker too.
        const bool left_over = p.of_workers && value == workers - 1;
        if ((in_range || left_over) && (!p.whole || value == std::floor(value))) continue;
        refuse(scheme, fmt::format("hyperparameter '{}': .run_fallback", p.name),
               fmt::format("is {} for {} workers; accepted is {} from {} to {}", value, workers,
                           p.whole ? "a whole number" : "a number", p.low, p.high));
      }
    } catch (const UnnamedHyperparameter& error) {
      refuse(scheme, ".run_fallback",
             fmt::format("{}, or only after the one whose fallback it is", error.what()));
    }
  }
}

}  // namespace

void try_functions(const Scheme& scheme) {
  constexpr int workers = 4;
  check_run_fallbacks(scheme);
  const Hyperparameters fallbacks = with_fallbacks(scheme, {}, workers);
  const Network network{};
  const char* field = "";
  try {
    field = ".rounds";
    const Topology graph = rounds_over(scheme, make_topology("ring", workers, 1), fallbacks, 1);
    field = ".least_eigenvalue";
    if (scheme.least_eigenvalue != nullptr) (void)scheme.least_eigenvalue(fallbacks);
    field = ".shares";
    (void)shares_of(scheme, 0, workers, fallbacks);
    field = ".cycle";
    (void)steps_of_cycle(scheme, workers, fallbacks);
    field = ".step_time";
    if (scheme.step_time == nullptr) return;
    (void)scheme.step_time({.workers = workers,
                            .servers = 1,
                            .parameters = 16,
                            .compute = std::chrono::milliseconds(1),
                            .network = network,
                            .collective = find_all_reduce("ring"),
                            .topology = graph,
                            .hyperparameters = fallbacks});
  } catch (const UnnamedHyperparameter& error) {
    refuse(scheme, field, error.what());
  }
}

void check_shares(const Scheme& scheme, std::span<const int> shares, int workers) {
  const bool all_there =
      std::ranges::all_of(shares, [&](int worker) { return worker >= 0 && worker < workers; });
  if (shares.empty() || !all_there) {
    refuse(scheme, ".shares",
           fmt::format("a worker takes the minibatches of one worker at least, and of workers 0 to "
                       "{}",
                       workers - 1));
  }
}

}  // namespace trainyard
