#include "trainyard/configuration/options.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>

#include <fmt/format.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/configuration/checked_number.hpp"
#include "trainyard/configuration/preset.hpp"
#include "trainyard/configuration/split.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/runtime/robust_mean.hpp"
#include "trainyard/scheme/scheme.hpp"
#include "trainyard/topology/topology.hpp"

#include "configuration/option_rows.hpp"

namespace trainyard {

std::string time_mode_text(TimeMode mode) {
  constexpr std::array<const char*, 3> names{"auto", "wall", "virtual"};
  return names[static_cast<std::size_t>(mode)];
}

namespace {

TimeMode parse_time_mode(std::string_view text, std::string_view what) {
  static const std::array<std::string, 3> names{"auto", "wall", "virtual"};
  return static_cast<TimeMode>(chosen(text, what, names));
}

/// Puts in front of what `look_up` throws where the name comes from, which may be a line of a file.
void check_name(std::string_view what, const std::function<void()>& look_up) {
  try {
    look_up();
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: {}", what, error.what()));
  }
}

/// Whether there is such a model at all; whether it suits the data is seen when they are there.
void check_model(std::string_view text, std::string_view what) {
  Dataset two_classes;
  two_classes.rows = 1;
  two_classes.features = 2;
  check_name(what, [&] { (void)make_model({std::string(text), 0.0}, two_classes); });
}

/// Whether two servers would be another run than one.
std::string servers_idle(const OptionSetting& s) {
  Configuration c = s.configuration;
  c.workers = std::max(2, c.workers);
  const auto servers_of = [&](int wanted) {
    c.servers = wanted;
    return cast_of(s.scheme, c).servers;
  };
  const int of_one = servers_of(1);
  if (servers_of(2) != of_one) return "";
  const std::string with =
      takes(s.scheme, "collective")
          ? fmt::format(" with --collective {}", ingredient_name(c.ingredients, "collective"))
          : "";
  return fmt::format("{}{} has {}", s.scheme.name, with, of_one == 0 ? "none" : "one");
}

/// Another way to write three options, which a resolved configuration has instead.
Option split_option() {
  return {.section = "run",
          .name = "split",
          .argument = "dp=D,pp=P,tp=T",
          .help =
              "D·P·T workers: D copies of the model, each in --stages P, each of them on "
              "--tensor-size T workers",
          .set = [](Configuration& c, std::string_view text,
                    std::string_view what) { set_split(c, parse_split(text, what)); },
          .get =
              [](const Configuration& c) {
                const std::optional<Split> split = split_of(c);
                return split ? split->text() : "";
              },
          .describes_run = false,
          .idle = [](const OptionSetting& s) -> std::string {
            const auto has = [&](std::string_view name) {
              return std::ranges::count(s.scheme.hyperparameters, name, &HyperparameterInfo::name) >
                     0;
            };
            const std::optional<Split> split = split_of(s.configuration);
            if (has("stages") || (has("tensor-size") && (!split || split->pipeline == 1))) {
              return "";
            }
            if (has("tensor-size")) {
              return fmt::format(
                  "{} has no stages; it has {} copies of the model, each on {} "
                  "workers",
                  s.scheme.name, split->workers() / split->tensor, split->tensor);
            }
            return fmt::format("{} divides no model; it has {} all the same", s.scheme.name,
                               counted(s.configuration.workers, "worker"));
          }};
}

/// The ranks that run, and their clock.
std::vector<Option> rank_options() {
  using C = Configuration;
  using Text = std::string_view;
  return {
      {"run", "scheme", "NAME",
       "how the workers communicate (list schemes), or a system (list presets)",
       [](C& c, Text t, Text w) {
         check_name(w, [&] {
           const NamedScheme named = find_scheme_or_preset(t);
           c.scheme = named.scheme->name;
           c.preset = named.preset == nullptr ? "" : named.preset->name;
         });
       },
       [](const C& c) { return c.preset.empty() ? c.scheme : c.preset; }},
      also(taker::predict | taker::timeline | taker::netcheck | taker::split | taker::lab,
           number_option(
               "run", "workers", "N", "number of workers, 1 to 1000000",
               [](C& c, Text t, Text w) {
                 c.workers = static_cast<int>(parse_integer(t, w, 1, 1000000));
               },
               [](const C& c) { return fmt::to_string(c.workers); })),
      split_option(),
      also(taker::predict | taker::timeline | taker::netcheck | taker::lab,
           idle_where(
               number_option(
                   "run", "servers", "K|workers",
                   "parameter servers, each with a shard; groups of the collective hierarchical; "
                   "workers: as many as there are",
                   [](C& c, Text t, Text w) {
                     c.servers = t == "workers"
                                     ? 0
                                     : static_cast<int>(parse_integer(t, w, 1, most_servers));
                   },
                   [](const C& c) {
                     return c.servers == 0 ? "workers" : fmt::to_string(c.servers);
                   }),
               servers_idle)),
      also(taker::netcheck | taker::one_process,
           {"run", "time", "auto|wall|virtual",
            "wall: threads and the machine's clock; virtual: simulated time, repeatable",
            [](C& c, Text t, Text w) { c.time = parse_time_mode(t, w); },
            [](const C& c) { return time_mode_text(c.time); }}),
  };
}

std::vector<Option> seed_and_evaluation_options() {
  using C = Configuration;
  using Text = std::string_view;
  return {
      also(taker::predict | taker::timeline | taker::split | taker::lab,
           number_option(
               "run", "seed", "SEED", "of everything random; the same seed repeats the run",
               [](C& c, Text t, Text w) {
                 c.seed = static_cast<std::uint64_t>(
                     parse_integer(t, w, 0, std::numeric_limits<std::int64_t>::max()));
               },
               [](const C& c) { return fmt::to_string(c.seed); })),
      also(taker::lab, number_option(
                           "run", "evaluate-every", "E", "evaluate every E epochs, off the clock",
                           [](C& c, Text t, Text w) {
                             c.evaluate_every = checked_number(t, w, positive, "greater than 0");
                           },
                           [](const C& c) { return fmt::to_string(c.evaluate_every); })),
      also(taker::lab,
           idle_where(
               switch_option("run", "gradient-norm",
                             "evaluate the squared norm of the training loss's gradient, too",
                             &C::gradient_norm),
               [](const OptionSetting& s) {
                 return s.configuration.target_gradient ? "--target-gradient evaluates it anyway"
                                                        : "";
               })),
      switch_option("run", "gradient-noise",
                    "evaluate the variance of gradients, of rows and of workers, their diversity "
                    "and noise scale, too",
                    &C::gradient_noise),
      {"run", "optimum", "auto|FOLDER",
       "evaluate how far the training loss is above its minimum, and the model from where that is, "
       "too; auto: found, of convex models; FOLDER: of a run, whose model it is",
       [](C& c, Text t, Text) { c.optimum = t; }, [](const C& c) { return c.optimum; }},
  };
}

/// One for each kind of ingredient.
std::vector<Option> ingredient_options() {
  using C = Configuration;
  using Text = std::string_view;
  std::vector<Option> all;
  for (const IngredientKind& kind : ingredient_kinds()) {
    all.push_back(
        {"run", kind.name, "NAME", kind.help,
         [&kind](C& c, Text t, Text w) {
           check_name(w, [&] { kind.check(t); });
           c.ingredients[kind.name] = t;
         },
         [&kind](const C& c) { return ingredient_name(c.ingredients, kind.name); }, false, true,
         [&kind](const OptionSetting& s) -> std::string {
           if (!takes(s.scheme, kind.name)) {
             return fmt::format("{} {}", s.scheme.name, kind.missing);
           }
           const bool all_to_all = kind.name == "collective" && takes(s.scheme, aggregate_kind) &&
                                   asks_for_robust(s.configuration.ingredients);
           return all_to_all ? "with --aggregate or --byzantine all send to all" : "";
         }});
  }
  return all;
}

std::vector<Option> model_options() {
  using C = Configuration;
  using Text = std::string_view;
  return {
      also(taker::lab | taker::upload,
           {"model", "model", "NAME",
            "logistic, least-squares, softmax, mlp:H1,H2,… (list models); auto: by labels",
            [](C& c, Text t, Text w) {
              if (t != "auto") check_model(t, w);
              c.model = t == "auto" ? "" : t;
            },
            [](const C& c) { return c.model.empty() ? "auto" : c.model; }}),
      also(taker::lab, number_option(
                           "model", "l2", "LAMBDA", "regulariser (LAMBDA/2)·|w|^2",
                           [](C& c, Text t, Text w) {
                             c.l2 = checked_number(t, w, not_negative, "0 or greater");
                           },
                           [](const C& c) { return fmt::to_string(c.l2); })),
      also(taker::lab,
           number_option(
               "model", "l1", "MU", "regulariser MU·|w|_1 beside it, which makes weights exactly 0",
               [](C& c, Text t, Text w) {
                 c.l1 = checked_number(t, w, not_negative, "0 or greater");
               },
               [](const C& c) { return fmt::to_string(c.l1); })),
      also(taker::split,
           text_option("model", "start", "DIR",
                       "train on from the model of an earlier run's folder; rows are made as its "
                       "were",
                       &C::start)),
  };
}

/// Why `option` has no effect in any of them; empty where it has one.
std::string idle_in_all(const Option& option, std::span<const OptionSetting> settings) {
  std::string first;
  bool alike = true;
  for (const OptionSetting& setting : settings) {
    const std::string reason = option.idle(setting);
    if (reason.empty()) return "";
    if (first.empty()) first = reason;
    alike = alike && reason == first;
  }
  return alike ? first : first + ", and so on for the other schemes";
}

}  // namespace

std::vector<std::string> idle_notes(std::span<const OptionSetting> settings,
                                    std::span<const std::string> given) {
  std::vector<std::string> notes;
  for (const Option& option : options()) {
    if (!option.idle || std::ranges::count(given, option.name) == 0) continue;
    const std::string reason = idle_in_all(option, settings);
    if (reason.empty()) continue;
    notes.push_back(fmt::format("note: --{} has no effect: {}", option.name, reason));
  }
  return notes;
}

namespace {

/// Options are handed out by reference: there is room for so many more.
constexpr std::size_t most_late_options = 256;

std::vector<Option> options_of_hyperparameters() {
  return also(taker::predict | taker::timeline | taker::lab, hyperparameter_options());
}

std::vector<Option> all_options() {
  constexpr unsigned of_rules = taker::predict | taker::timeline | taker::lab;
  std::vector<Option> all;
  for (auto part :
       {rank_options(), also(taker::lab, budget_options()), seed_and_evaluation_options(),
        also(of_rules, ingredient_options()), options_of_hyperparameters(), data_options(),
        model_options(), also(taker::lab, optimizer_options()), network_options(),
        compute_options(), output_options()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  all.reserve(all.size() + most_late_options);
  return all;
}

bool is_hyperparameter(const Option& option) {
  return option.section == "scheme" && std::ranges::any_of(schemes(), [&](const Scheme& scheme) {
           return std::ranges::count(scheme.hyperparameters, option.name,
                                     &HyperparameterInfo::name) > 0;
         });
}

void check_names_differ(const std::vector<Option>& all, const Scheme& scheme) {
  for (const HyperparameterInfo& p : scheme.hyperparameters) {
    const auto clashes = [&](const Option& option) {
      return option.name == p.name && !is_hyperparameter(option);
    };
    const bool twice = std::ranges::count(all, p.name, &Option::name) > 1;
    if (!twice && std::ranges::none_of(all, clashes)) continue;
    throw UsageError(fmt::format(
        "scheme '{}': hyperparameter '{}': .name: --{} is an option of every run already",
        scheme.name, p.name, p.name));
  }
}

std::vector<Option>& option_table() {
  static std::vector<Option> table = [] {
    std::vector<Option> all = all_options();
    for (const Scheme& scheme : schemes()) check_names_differ(all, scheme);
    return all;
  }();
  return table;
}

}  // namespace

const std::vector<Option>& options() {
  return option_table();
}

void check_hyperparameter_names(const Scheme& scheme) {
  check_names_differ(option_table(), scheme);
}

void add_options_of_schemes() {
  std::vector<Option>& table = option_table();
  for (Option& option : options_of_hyperparameters()) {
    const auto same = std::ranges::find(table, option.name, &Option::name);
    if (same != table.end()) {
      *same = std::move(option);
    } else if (table.size() == table.capacity()) {
      throw UsageError(fmt::format("hyperparameter '{}': {} were added; there is room for no more",
                                   option.name, most_late_options));
    } else {
      table.push_back(std::move(option));
    }
  }
}

std::vector<const Option*> options_taken_by(unsigned one) {
  std::vector<const Option*> taken;
  for (const Option& option : options()) {
    if (option.taken_by(one)) taken.push_back(&option);
  }
  return taken;
}

const Option& option_named(std::string_view name) {
  const auto found = std::ranges::find(options(), name, &Option::name);
  require(found != options().end(), "an option that is not in the table");
  return *found;
}

}  // namespace trainyard
