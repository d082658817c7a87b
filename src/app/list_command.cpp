#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/named_table.hpp"
#include "trainyard/codec/codec.hpp"
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/configuration/labs.hpp"
#include "trainyard/configuration/preset.hpp"
#include "trainyard/data/catalog.hpp"
#include "trainyard/data/fetch_script.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/report/list_format.hpp"
#include "trainyard/scheme/scheme.hpp"
#include "trainyard/topology/topology.hpp"

#include "app/commands.hpp"

namespace trainyard::app {

namespace {

/// The symbols in the formulas of the schemes' time and rate.
constexpr const char* symbols =
    "\n"
    "time, of a step from lock-step: n workers, k servers, c computing a minibatch, α latency,\n"
    "t transfer of the whole model. rate, iterations to E‖∇f‖² ≤ ε up to constants, non-convex: σ² "
    "variance\n"
    "of a gradient, ς² of the workers' data against each other, ρ second eigenvalue of the graph, "
    "τ "
    "steps\n"
    "between two averages, C the share that takes part, σ'² a codec's E‖C(g) - g‖², ω at most as "
    "much of\n"
    "‖g‖², 1 - δ likewise where it is below 1. Where each is from: docs/catalogue.md, section "
    "1.4.\n";

/// name and summary, the names padded to one width.
template <typename Table>
void print_table(const Table& table) {
  std::size_t width = 0;
  for (const auto& row : table) width = std::max(width, row.name.size());
  for (const auto& row : table) fmt::print("{:<{}}  {}\n", row.name, width, row.summary);
}

/// Schemes of one's own may leave some out.
void print_line(const char* label, const std::string& text) {
  if (!text.empty()) fmt::print("  {}{}\n", label, text);
}

/// Says whether runs on threads repeat.
std::string repeatability(const Scheme& scheme) {
  if (!by_arrival(scheme)) return "the bits of virtual, in every run";
  std::string text = "runs differ, by who comes when";
  if (scheme.order.repeats_with.empty()) return text;
  return fmt::format("{}; with {} the bits of virtual", text, scheme.order.repeats_with);
}

/// Of a long vector of floats.
double bits_a_number(const std::string& codec) {
  constexpr std::size_t numbers = 1U << 20U;
  const TensorShape shape{1, numbers};
  const std::size_t bytes = make_codec(codec)->most_bytes(Scalar::float32, {&shape, 1});
  return 8.0 * static_cast<double>(bytes) / numbers;
}

/// All that the row says.
void print_scheme(const Scheme& scheme) {
  fmt::print("{}\n  {}\n  step: {}\n", scheme.name, scheme.summary, scheme.step);
  print_line("time: ", scheme.cost.formula);
  print_line("rate: ", scheme.cost.rate);
  print_line("source: ", scheme.source);
  fmt::print("  family: {}\n", family_text(scheme.family));
  if (cast_of(scheme, Configuration{}).model == ModelHome::shared) {
    fmt::print("  where: within {}; in virtual with --line-time for cache lines\n",
               scheme.messages.within);
  }
  fmt::print("  in wall: {}\n", repeatability(scheme));
  fmt::print("  when a worker is gone for good: {}\n",
             scheme.order.outlives_worker                    ? "the others go on"
             : cast_of(scheme, Configuration{}).workers == 1 ? "nobody is left"
                                                             : "it is waited for in vain");
  if (scheme.order.members_may_change) {
    fmt::print("  with --on-failure shrink: the others go on, on the rows of all\n");
  }
  if (scheme.order.rows_by_speed != RowsBySpeed::no) {
    fmt::print("  with --deal speed: {}\n",
               scheme.order.rows_by_speed == RowsBySpeed::mean
                   ? "a step's rows are divided by speed, and each gradient counts by its rows"
                   : "a step's rows are divided by speed, and each worker steps as ever");
  }
  if (scheme.order.takes_datagrams) {
    fmt::print("  with --retransmit never: goes on without messages that are lost\n");
  }
  std::string flags;
  for (const HyperparameterInfo& parameter : scheme.hyperparameters)
    flags += " --" + parameter.name;
  if (takes_servers(scheme)) flags += " --servers";
  for (const std::string& kind : scheme.takes) flags += " --" + kind;
  if (!flags.empty()) fmt::print("  takes:{}\n", flags);
  for (const std::string& kind : scheme.takes) {
    const std::string& fallback = ingredient_name(scheme, {}, kind);
    fmt::print("    --{}: {} unless it is given{}\n", kind, fallback,
               kind == "codec" ? fmt::format(", {:.2g} bits a number", bits_a_number(fallback))
               : kind == "collective" ? ", and by-size where no network is emulated"
                                      : "");
  }
  for (const HyperparameterInfo& parameter : scheme.hyperparameters) {
    fmt::print("    --{} {}: {}\n", parameter.name, parameter.argument, parameter.help);
  }
  if (scheme.messages.by_keys != ByKeys::no) {
    fmt::print("  sparse rows, linear models: by keys where that is shorter{}\n",
               scheme.messages.by_keys == ByKeys::yes ? "" : ", without --l2");
  }
  if (scheme.optimizers.range != OptimizerRange::any) {
    fmt::print("  optimizers: {}\n", optimizers_text(scheme.optimizers.range));
  }
  if (!scheme.optimizers.no_l1.empty()) fmt::print("  no --l1: it {}\n", scheme.optimizers.no_l1);
  if (!scheme.optimizers.no_clip_norm.empty()) {
    fmt::print("  no --clip-norm: it {}\n", scheme.optimizers.no_clip_norm);
  }
  if (!scheme.optimizers.no_muon.empty()) {
    fmt::print("  no --optimizer muon: it {}\n", scheme.optimizers.no_muon);
  }
}

/// A line each, by family.
void print_schemes() {
  std::size_t width = 0;
  for (const Scheme& scheme : schemes()) width = std::max(width, scheme.name.size());
  for (int i = 0; i < scheme_families; ++i) {
    const auto family = static_cast<SchemeFamily>(i);
    fmt::print("{}# {}\n", i == 0 ? "" : "\n", family_text(family));
    for (const Scheme& scheme : schemes()) {
      if (scheme.family != family) continue;
      fmt::print("{:<{}}  {}\n", scheme.name, width, scheme.summary);
    }
  }
  fmt::print(
      "\n`trainyard list schemes NAME` has the rule, its cost and its options; NAME may be all.\n");
}

/// One scheme, or those of a group; all of them where no name is given.
std::vector<const Scheme*> listed_schemes(const std::string& name) {
  std::vector<const Scheme*> named;
  if (name.empty()) {
    for (const Scheme& scheme : schemes()) named.push_back(&scheme);
    return named;
  }
  for (const std::string& one : schemes_of_group(name)) named.push_back(&find_scheme(one));
  if (named.empty()) named.push_back(find_scheme_or_preset_beside_groups(name).scheme);
  return named;
}

void print_schemes_named(const std::string& name) {
  if (name.empty()) return print_schemes();
  for (const Scheme* scheme : listed_schemes(name)) print_scheme(*scheme);
  fmt::print("{}", symbols);
}

/// The survey's criteria, a line for each system.
void print_presets() {
  constexpr const char* line = "{:<{}}  {:<14}  {:<12}  {:<13}  {:<11}  {}\n";
  std::size_t width = 0;
  for (const Preset& preset : presets()) width = std::max(width, preset.name.size());
  fmt::print(line, "name", width, "parallelism", "schedule", "optimisation", "exchange",
             "topology");
  for (const Preset& preset : presets()) {
    const Criteria& by = preset.criteria;
    fmt::print(line, preset.name, width, by.parallelism, by.schedule, by.optimisation, by.exchange,
               by.topology);
  }
  fmt::print(
      "\nThey are accepted where schemes are; `compare --schemes {}` runs all of them.\n"
      "`trainyard list presets NAME` says what one sets, what it emulates and what it does not; "
      "NAME may\nbe all.\n",
      all_systems);
}

/// With servers on workers' machines what stays on one is free: a step of ps-sync is that of the
/// all-reduce ps-colocated then, and of the others there is no closed form.
std::string step_of(const Preset& preset) {
  std::string apart = find_scheme(preset.scheme).cost.formula;
  if (!preset_sets(preset.name, "server-placement")) return apart;
  if (preset.scheme == "ps-sync") return "c + 2(n-1)(α + t/n)";
  return apart + " with servers on machines of their own; here less";
}

void print_preset(const Preset& preset) {
  fmt::print("{}\n  {}: {}\n", preset.name, preset.system, preset.source);
  fmt::print("  scheme: {}\n", preset.spelt_out());
  fmt::print("  a step: {}\n", step_of(preset));
  const Criteria& by = preset.criteria;
  fmt::print("  criteria: {} parallel, {}, {}, exchanges {}; {}\n", by.parallelism, by.schedule,
             by.optimisation, by.exchange, by.topology);
  fmt::print("  emulated: {}\n  not emulated: {}\n", preset.emulated, preset.not_emulated);
}

/// All of them, or the one of that name.
std::vector<Preset> presets_named(const std::string& name) {
  if (name.empty() || name == "all") return presets();
  return {find_named(presets(), name, "preset", {"all"})};
}

void print_presets_named(const std::string& name) {
  if (name.empty()) return print_presets();
  for (const Preset& preset : presets_named(name)) print_preset(preset);
}

/// A line each, or more where there is more to say.
void print_ingredients(const IngredientKind& kind) {
  struct Line {
    std::string name, summary;
  };
  std::vector<Line> lines;
  for (const IngredientInfo& info : kind.all()) {
    if (info.details.empty()) {
      lines.push_back({info.typed, info.summary});
      continue;
    }
    fmt::print("{}\n  {}\n", info.typed, info.summary);
    for (const auto& [what, text] : info.details) fmt::print("  {}: {}\n", what, text);
  }
  print_table(lines);
  fmt::print("{}", kind.notes);
}

void print_datasets() {
  fmt::print(
      "made from --data-seed; NAME:ROWS makes so many training rows, and a quarter of that for "
      "testing:\n");
  print_table(generators());
  fmt::print("\nread from --data-dir ({} NAME gets them):\n", fetch_script());
  std::size_t width = 0;
  for (const CatalogEntry& entry : catalog()) width = std::max(width, entry.name.size());
  constexpr const char* line = "{:<{}}  {:>8}  {:>6}  {:>8}  {:>7}  {}\n";
  fmt::print(line, "name", width, "rows", "test", "features", "classes", "");
  for (const CatalogEntry& entry : catalog()) {
    fmt::print(line, entry.name, width, entry.rows, entry.test_rows, entry.features, entry.classes,
               entry.summary);
  }
}

void print_labs() {
  std::size_t width = 0;
  for (const Lab& lab : labs()) width = std::max(width, lab.name.size());
  for (const Lab& lab : labs()) {
    fmt::print("{:>2}  {:<{}}  {}: {}\n", lab.page.number, lab.name, width, lab.page.title,
               lab.page.question);
  }
  fmt::print(
      "\n`trainyard compare lab:local-steps` runs one here, `trainyard lab local-steps` in a "
      "browser, with the\n"
      "same figures; `trainyard list labs NAME` prints it. docs/labs/README.md has what to expect, "
      "and tasks.\n");
}

void print_labs_named(const std::string& name) {
  if (name.empty()) return print_labs();
  fmt::print("{}", find_named(labs(), std::string(lab_name(name)), "lab").text);
}

std::vector<Lab> labs_named(const std::string& name) {
  if (name.empty()) return labs();
  return {find_named(labs(), std::string(lab_name(name)), "lab")};
}

/// One of the tables.
struct Listing {
  std::string what;
  bool takes_name = false;
  std::function<void(const std::string& name)> print;
  std::function<std::string(const std::string& name)> json;
};

std::vector<Listing> listings() {
  using Name = const std::string&;
  std::vector<Listing> all{
      {"schemes", true, print_schemes_named,
       [](Name name) { return schemes_json(listed_schemes(name)); }},
      {"presets", true, print_presets_named,
       [](Name name) { return presets_json(presets_named(name)); }},
  };
  for (const IngredientKind& kind : ingredient_kinds()) {
    all.push_back({kind.plural, false, [&kind](Name) { print_ingredients(kind); },
                   [&kind](Name) { return ingredients_json(kind); }});
  }
  all.push_back(
      {"models", false, [](Name) { print_table(models()); }, [](Name) { return models_json(); }});
  all.push_back(
      {"datasets", false, [](Name) { print_datasets(); }, [](Name) { return datasets_json(); }});
  all.push_back(
      {"labs", true, print_labs_named, [](Name name) { return labs_json(labs_named(name)); }});
  return all;
}

}  // namespace

int list_command(const std::string& what, const std::string& name, bool json) {
  const std::vector<Listing> all = listings();
  const auto found = std::ranges::find(all, what, &Listing::what);
  if (found == all.end()) {
    std::vector<std::string> known;
    known.reserve(all.size());
    for (const Listing& listing : all) known.push_back(listing.what);
    if (what.empty()) throw UsageError(fmt::format("list what? One of: {}", joined(known)));
    throw_unknown("list", what, known);
  }
  if (!name.empty() && !found->takes_name) {
    throw UsageError(
        fmt::format("list {}: {} is one word too many; schemes, presets and labs take a name", what,
                    echoed(name)));
  }
  if (json) {
    fmt::print("{}", found->json(name));
  } else {
    found->print(name);
  }
  return exit_done;
}

}  // namespace trainyard::app
