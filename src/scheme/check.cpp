#include "scheme/check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/function_ref.hpp"
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/network/network.hpp"
#include "trainyard/topology/topology.hpp"

#include "scheme/refuse.hpp"

namespace trainyard {

namespace {

/// Whether it can be typed after --scheme, or after -- as a flag: colons and commas have a meaning
/// there.
bool can_be_typed(std::string_view name, std::string_view more = "") {
  const auto accepted = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
           more.find(c) != std::string_view::npos;
  };
  return !name.empty() && name.front() != '-' && std::ranges::all_of(name, accepted);
}

void check_texts_and_programs(const Scheme& s) {
  check_rules(
      s,
      std::array{
          Rule{s.summary.empty(), ".summary", "missing; it is the scheme's line in `list schemes`"},
          Rule{s.step.empty(), ".step",
               "missing; it says what γ multiplies, which `compare` shows beside the figures"},
          Rule{s.worker == nullptr, ".worker", "missing; it is the program of one worker"},
          Rule{s.cast == nullptr, ".cast",
               "missing; it says how many ranks there are of each kind"},
          Rule{s.order.pace == Pace::server && s.server == nullptr, ".server",
               "missing; .order.pace = Pace::server leaves it to a server to close the steps"},
          Rule{takes(s, "collective") && s.server == nullptr, ".server",
               "missing; with .takes = {\"collective\"} the way may be ps, whose servers it has to "
               "be; serve_collective is their program"},
          Rule{takes(s, "topology") && s.family != SchemeFamily::decentralised, ".family",
               "with .takes = {\"topology\"} it is SchemeFamily::decentralised"},
          Rule{!takes(s, "topology") && s.graphs.range != GraphRange::doubly_stochastic, ".graphs",
               "says nothing without .takes = {\"topology\"}"},
          Rule{!takes(s, "topology") && s.graphs.nodes != nullptr, ".graphs.nodes",
               "says nothing without .takes = {\"topology\"}"},
          Rule{!takes(s, "topology") && s.graphs.rounds != nullptr, ".graphs.rounds",
               "says nothing without .takes = {\"topology\"}"},
          Rule{s.graphs.least_eigenvalue != nullptr &&
                   s.graphs.range != GraphRange::static_symmetric,
               ".graphs.least_eigenvalue", "needs .range = GraphRange::static_symmetric"},
          Rule{s.messages.codec_optional && !takes(s, "codec"), ".messages.codec_optional",
               "says nothing without .takes = {\"codec\"}"},
          Rule{!s.order.repeats_with.empty() && !by_arrival(s), ".order.repeats_with",
               "says nothing of a scheme in lockstep, which repeats in any case"},
      });
}

void check_takes(const Scheme& s) {
  std::vector<std::string> known;
  for (const IngredientKind& kind : ingredient_kinds()) known.push_back(kind.name);
  for (const std::string& kind : s.takes) {
    if (std::ranges::find(known, kind) == known.end()) {
      refuse(s, ".takes",
             fmt::format("'{}' is no kind of ingredient; known: {}", kind, fmt::join(known, ", ")));
    }
    if (std::ranges::count(s.takes, kind) > 1) {
      refuse(s, ".takes", fmt::format("'{}' is there twice", kind));
    }
  }
}

/// The scheme's fallbacks, without a look at the machine: tables are checked at every start.
Hyperparameters fallbacks_of_row(const Scheme& s, int workers) {
  Hyperparameters given;
  for (const HyperparameterInfo& p : s.hyperparameters) {
    if (p.machine_fallback != nullptr) given[p.name] = std::max(p.fallback, p.low);
  }
  return with_fallbacks(s, std::move(given), workers);
}

/// Checks what the row says of its ranks, for four workers and two servers and every collective.
void check_casts(const Scheme& s) {
  constexpr int workers = 4;
  IngredientNames names;
  std::vector<std::string> ways{ingredient_kind("collective").fallback};
  if (takes(s, "collective")) {
    for (const AllReduce& way : all_reduces()) ways.push_back(way.name);
  }
  bool serves = false;
  Cast made;
  for (const std::string& way : ways) {
    names["collective"] = way;
    made = cast_of(s, workers, 2, names, fallbacks_of_row(s, workers));
    serves = serves || made.servers > 0;
    if (!takes(s, "collective")) continue;
    if (made.servers != find_all_reduce(way).servers(workers, 2)) {
      refuse(s, ".cast",
             fmt::format(
                 "does not have the servers that --collective {} brings; cast::replicas has", way));
    }
  }
  const bool shared = made.model == ModelHome::shared;
  check_rules(
      s, std::array{
             Rule{s.server != nullptr && !serves, ".server",
                  "nobody runs it: the ranks of .cast are all workers"},
             Rule{made.workers == 1 && !s.takes.empty(), ".cast",
                  "contradicts .takes: one worker has no neighbours, and nobody to add up with"},
             Rule{shared && s.optimizers.range != OptimizerRange::plain, ".optimizers",
                  "must be OptimizerRange::plain: steps on a shared model have no state of their "
                  "own, and a momentum would have no effect"},
         });
}

/// The hyperparameter "groups" is what cast::shared_by_groups goes by.
void check_groups(const Scheme& s) {
  constexpr int workers = 4;
  if (std::ranges::find(s.hyperparameters, "groups", &HyperparameterInfo::name) ==
      s.hyperparameters.end()) {
    return;
  }
  Hyperparameters two = fallbacks_of_row(s, workers);
  two["groups"] = 2;
  const Cast made = cast_of(s, workers, 1, {}, two);
  if (made.model == ModelHome::shared && made.shared_models != 2) {
    refuse(s, ".cast",
           "is not cast::shared_by_groups, so the hyperparameter 'groups' has no effect");
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
      Rule{p.unit != Unit::none && (one_of_them || p.low < 0.0), ".unit",
           "bytes and seconds are numbers that are not negative"},
      Rule{p.unit == Unit::bytes && !p.whole, ".unit", "counts bytes: it needs .whole = true"},
      Rule{p.of_workers && !p.whole, ".of_workers", "counts workers: it needs .whole = true"},
  };
  for (const Rule& rule : rules) {
    if (rule.broken)
      refuse(s, fmt::format("hyperparameter '{}': {}", p.name, rule.field), rule.why);
  }
}

/// Empty where both mean the same. What it is where nobody says it is each scheme's own.
std::string_view field_that_differs(const HyperparameterInfo& a, const HyperparameterInfo& b) {
  if (a.argument != b.argument) return ".argument";
  if (a.help != b.help) return ".help";
  if (a.low != b.low) return ".low";
  if (a.high != b.high) return ".high";
  if (a.whole != b.whole) return ".whole";
  if (a.unit != b.unit) return ".unit";
  if (a.of_workers != b.of_workers) return ".of_workers";
  if (a.cycle != b.cycle) return ".cycle";
  if (a.step_size != b.step_size) return ".step_size";
  if (a.of_wall != b.of_wall) return ".of_wall";
  if (a.in_the_long_run != b.in_the_long_run) return ".in_the_long_run";
  if (a.choices != b.choices) return ".choices";
  return "";
}

/// For every name of a hyperparameter the first scheme that has it.
using FirstTakers = std::map<std::string_view, std::pair<const Scheme*, const HyperparameterInfo*>>;

void check_against_others(const Scheme& s, FirstTakers& first_takers) {
  for (const HyperparameterInfo& p : s.hyperparameters) {
    const auto [first, is_new] = first_takers.try_emplace(p.name, &s, &p);
    const auto [other, known] = first->second;
    const std::string_view field = field_that_differs(*known, p);
    if (!field.empty()) {
      refuse(s, fmt::format("hyperparameter '{}': {}", p.name, field),
             fmt::format(
                 "differs from that of scheme '{}'; one name has one meaning; "
                 "known_hyperparameter(\"{}\") has that of the published schemes, if it is theirs",
                 other->name, p.name));
    }
  }
}

/// Checks the fallbacks that functions give, for some numbers of workers.
void check_run_fallbacks(const Scheme& scheme) {
  for (const int workers : {1, 2, 4}) {
    try {
      const Hyperparameters fallbacks = fallbacks_of_row(scheme, workers);
      for (const HyperparameterInfo& p : scheme.hyperparameters) {
        if (p.run_fallback == nullptr) continue;
        const double value = hyperparameter(fallbacks, p.name);
        const bool in_range = value >= p.low && value <= p.high;
        // A number of workers leaves one of them, also where there is one worker.
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

/// Runs `body`, which calls functions of the row; names the field where one asks for a
/// hyperparameter that the row does not name.
void check_functions(const Scheme& scheme, std::string_view field, FunctionRef<void()> body) {
  try {
    body();
  } catch (const UnnamedHyperparameter& error) {
    refuse(scheme, field, error.what());
  } catch (const NotTaken& error) {
    refuse(scheme, field, error.what());
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
    check_takes(scheme);
    for (const HyperparameterInfo& p : scheme.hyperparameters) check_hyperparameter(scheme, p);
    check_run_fallbacks(scheme);
    check_functions(scheme, ".cast", [&] {
      check_casts(scheme);
      check_groups(scheme);
    });
    check_against_others(scheme, first_takers);
  }
}

void try_functions(const Scheme& scheme) {
  constexpr int workers = 4;
  const Hyperparameters fallbacks = fallbacks_of_row(scheme, workers);
  const Network network{};
  check_functions(scheme, ".graphs.rounds", [&] {
    (void)rounds_over(scheme, make_topology("ring", workers, 1), fallbacks, 1);
  });
  check_functions(scheme, ".graphs.least_eigenvalue", [&] {
    if (scheme.graphs.least_eigenvalue != nullptr) {
      (void)scheme.graphs.least_eigenvalue(fallbacks);
    }
  });
  check_functions(scheme, ".graphs.nodes", [&] {
    if (scheme.graphs.nodes != nullptr) (void)scheme.graphs.nodes(workers, fallbacks);
  });
  check_functions(scheme, ".cost.learns_from", [&] {
    const std::uint64_t minibatches = minibatches_of_step(scheme, workers, fallbacks);
    if (minibatches >= 1 && minibatches <= workers) return;
    refuse(scheme, ".cost.learns_from",
           fmt::format("is {} of {} workers; accepted is 1 to all of them",
                       static_cast<std::int64_t>(minibatches), workers));
  });
  check_functions(scheme, ".order.cycle",
                  [&] { (void)steps_of_cycle(scheme, workers, fallbacks); });
  const Ingredients ingredients =
      make_ingredients({{"topology", "ring"}, {"collective", "ring"}, {"codec", "identity"}},
                       {.scheme = scheme, .workers = workers, .hyperparameters = fallbacks});
  check_functions(scheme, ".cost.time", [&] {
    for (const auto time : {scheme.cost.time, scheme.cost.time_colocated}) {
      if (time == nullptr) continue;
      (void)time({.workers = workers,
                  .servers = 1,
                  .parameters = 16,
                  .compute = std::chrono::milliseconds(1),
                  .message = FloatMessages{network},
                  .message_of_bytes = ByteMessages{network},
                  .ingredients = ingredients,
                  .hyperparameters = fallbacks});
    }
  });
}

}  // namespace trainyard
