#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/data/catalog.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/scheme/scheme.hpp"
#include "trainyard/topology/topology.hpp"

#include "app/commands.hpp"

namespace trainyard::app {

namespace {

/// What the formulas of the schemes' time and rate speak of.
constexpr const char* symbols =
    "\n"
    "time, of a step from lock-step: n workers, k servers, c computing a minibatch, α latency,\n"
    "t transfer of the whole model. rate, iterations to E‖∇f‖² ≤ ε up to constants: σ² variance "
    "of\n"
    "a gradient, ς² of the workers' data against each other, ρ second eigenvalue of the graph.\n";

/// name and summary, the names padded to one width.
template <typename Table>
void print_table(const Table& table) {
  std::size_t width = 0;
  for (const auto& row : table) width = std::max(width, row.name.size());
  for (const auto& row : table) fmt::print("{:<{}}  {}\n", row.name, width, row.summary);
}

/// In the order of SchemeFamily.
constexpr std::array families{
    "synchronous: everybody waits for everybody, at every step",
    "asynchronous: nobody waits",
    "bounded: those wait who are too far ahead",
    "local updates: replicas meet every so many steps",
    "shared memory: no messages, all write to the same memory",
    "decentralised: neighbours in a graph",
};

/// Schemes of one's own may leave some out.
void print_line(const char* label, const std::string& text) {
  if (!text.empty()) fmt::print("  {}{}\n", label, text);
}

/// Whether some setting of --servers is another run than one server.
bool takes_servers(const Scheme& scheme) {
  if (takes(scheme, "collective")) return true;
  Configuration c;
  const int of_one = cast_of(scheme, c).servers;
  c.servers = 2;
  return cast_of(scheme, c).servers != of_one;
}

void print_family(SchemeFamily family) {
  for (const Scheme& scheme : schemes()) {
    if (scheme.family != family) continue;
    fmt::print("{}\n  {}\n  step: {}\n", scheme.name, scheme.summary, scheme.step);
    print_line("time: ", scheme.cost.formula);
    print_line("rate: ", scheme.cost.rate);
    print_line("source: ", scheme.source);
    std::string flags;
    for (const HyperparameterInfo& parameter : scheme.hyperparameters)
      flags += " --" + parameter.name;
    if (takes_servers(scheme)) flags += " --servers";
    for (const std::string& kind : scheme.takes) flags += " --" + kind;
    if (!flags.empty()) fmt::print("  takes:{}\n", flags);
    if (scheme.optimizers != OptimizerRange::any) {
      fmt::print("  optimizers: {}\n", scheme.optimizers == OptimizerRange::plain
                                           ? "sgd without momentum"
                                           : "sgd, nesterov");
    }
  }
}

void print_schemes() {
  for (std::size_t i = 0; i < families.size(); ++i) {
    fmt::print("{}# {}\n", i == 0 ? "" : "\n", families[i]);
    print_family(static_cast<SchemeFamily>(i));
  }
  fmt::print("{}", symbols);
}

/// A line each, or more where there is more to say.
void print_ingredients(const IngredientKind& kind) {
  struct Line {
    std::string name, summary;
  };
  std::vector<Line> lines;
  for (const IngredientInfo& info : kind.all()) {
    if (info.time.empty()) {
      lines.push_back({info.typed, info.summary});
    } else {
      fmt::print("{}\n  {}\n  time: {}\n  source: {}\n", info.typed, info.summary, info.time,
                 info.source);
    }
  }
  print_table(lines);
  fmt::print("{}", kind.notes);
}

void print_datasets() {
  fmt::print("made from --seed:\n");
  print_table(generators());
  fmt::print("\nread from --data-dir (scripts/fetch_datasets.sh NAME gets them):\n");
  std::size_t width = 0;
  for (const CatalogEntry& entry : catalog()) width = std::max(width, entry.name.size());
  constexpr const char* line = "{:<{}}  {:>8}  {:>6}  {:>8}  {:>7}  {}\n";
  fmt::print(line, "name", width, "rows", "test", "features", "classes", "");
  for (const CatalogEntry& entry : catalog()) {
    fmt::print(line, entry.name, width, entry.rows, entry.test_rows, entry.features, entry.classes,
               entry.summary);
  }
}

}  // namespace

int list_command(const std::string& what) {
  std::vector<std::string> known{"schemes"};
  for (const IngredientKind& kind : ingredient_kinds()) {
    known.push_back(kind.plural);
    if (what != kind.plural) continue;
    print_ingredients(kind);
    return exit_done;
  }
  known.insert(known.end(), {"models", "datasets"});
  if (what == "schemes") {
    print_schemes();
  } else if (what == "models") {
    print_table(models());
  } else if (what == "datasets") {
    print_datasets();
  } else if (what.empty()) {
    throw UsageError(fmt::format("list what? One of: {}", joined(known)));
  } else {
    throw_unknown("list", what, known);
  }
  return exit_done;
}

}  // namespace trainyard::app
