#include "trainyard/experiment/options.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/scheme/scheme.hpp"
#include "trainyard/topology/topology.hpp"

#include "experiment/checked_number.hpp"
#include "experiment/hyperparameter_options.hpp"
#include "experiment/network_options.hpp"
#include "experiment/optimizer_options.hpp"

namespace trainyard {

std::string time_mode_text(TimeMode mode) {
  constexpr std::array<const char*, 3> names{"auto", "wall", "virtual"};
  return names[static_cast<std::size_t>(mode)];
}

namespace {

using Setter = std::function<void(Configuration&, std::string_view, std::string_view)>;

bool countable_seconds(double value) {
  return value >= 1e-9 && value <= 9e6;
}
bool parse_switch(std::string_view text, std::string_view what) {
  static const std::array<std::string, 2> names{"false", "true"};
  return chosen(text, what, names) == 1;
}

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

/// "3:10" or "0:2,5:4.5": rank and factor.
std::vector<Straggler> parse_stragglers(std::string_view text, std::string_view what) {
  std::vector<Straggler> stragglers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view item = text.substr(begin, end - begin);
    begin = end + 1;
    const auto colon = item.find(':');
    if (colon == std::string_view::npos) {
      throw UsageError(fmt::format("{}: '{}' is not RANK:FACTOR, like '3:10'", what, item));
    }
    const int rank = static_cast<int>(parse_integer(item.substr(0, colon), what, 0, 65535));
    if (std::ranges::find(stragglers, rank, &Straggler::rank) != stragglers.end()) {
      throw UsageError(
          fmt::format("{}: worker {} is there twice; one factor is accepted", what, rank));
    }
    const double factor = checked_number(
        item.substr(colon + 1), what, [](double f) { return f >= 1.0 && f <= 1e6; },
        "a factor from 1 to 1000000");
    stragglers.push_back({rank, factor});
  }
  return stragglers;
}

std::string stragglers_text(const std::vector<Straggler>& stragglers) {
  std::string text;
  for (const Straggler& straggler : stragglers) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", straggler.rank, straggler.factor);
  }
  return text;
}

/// "3:5": steps 3 and 4.
StepRange parse_steps(std::string_view text, std::string_view what) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) {
    throw UsageError(
        fmt::format("{}: '{}' is not A:B, like '0:3' for steps 0, 1 and 2", what, text));
  }
  const std::int64_t first = parse_integer(text.substr(0, colon), what, 0, most_steps - 1);
  const std::int64_t last = parse_integer(text.substr(colon + 1), what, first + 1, most_steps);
  return {static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(last)};
}

/// Exact to the picosecond, without an exponent.
std::string seconds_text(Duration duration) {
  constexpr std::int64_t ticks_a_second = 1'000'000'000'000;
  std::string text = fmt::format("{}.{:012}", duration.count() / ticks_a_second,
                                 duration.count() % ticks_a_second);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

/// An option that keeps its text as it is.
Option text_option(std::string section, std::string name, std::string argument, std::string help,
                   std::string Configuration::*field) {
  return {std::move(section),
          std::move(name),
          std::move(argument),
          std::move(help),
          [field](Configuration& c, std::string_view text, std::string_view) { c.*field = text; },
          [field](const Configuration& c) { return c.*field; }};
}

Option switch_option(std::string section, std::string name, std::string help,
                     bool Configuration::*field) {
  return {std::move(section),
          std::move(name),
          "",
          std::move(help),
          [field](Configuration& c, std::string_view text, std::string_view what) {
            c.*field = parse_switch(text, what);
          },
          [field](const Configuration& c) { return c.*field ? "true" : "false"; },
          true};
}

template <typename Get>
Option number_option(std::string section, std::string name, std::string argument, std::string help,
                     Setter set, Get get) {
  return {std::move(section),
          std::move(name),
          std::move(argument),
          std::move(help),
          std::move(set),
          std::move(get),
          true};
}

std::vector<Option> run_options() {
  using C = Configuration;
  using Text = std::string_view;
  return {
      {"run", "scheme", "NAME", "how the workers communicate (list schemes)",
       [](C& c, Text t, Text w) {
         check_name(w, [&] { (void)find_scheme(t); });
         c.scheme = t;
       },
       [](const C& c) { return c.scheme; }},
      number_option(
          "run", "workers", "N", "number of workers, 1 to 32000",
          [](C& c, Text t, Text w) { c.workers = static_cast<int>(parse_integer(t, w, 1, 32000)); },
          [](const C& c) { return fmt::to_string(c.workers); }),
      number_option(
          "run", "servers", "K",
          "parameter servers, each with a shard; groups of the collective hierarchical",
          [](C& c, Text t, Text w) { c.servers = static_cast<int>(parse_integer(t, w, 1, 32000)); },
          [](const C& c) { return fmt::to_string(c.servers); }),
      {"run", "time", "auto|wall|virtual",
       "wall: threads and the machine's clock; virtual: simulated time, repeatable",
       [](C& c, Text t, Text w) { c.time = parse_time_mode(t, w); },
       [](const C& c) { return time_mode_text(c.time); }},
      number_option(
          "run", "epochs", "E",
          "end after the steps of E passes over the data, all workers together [10]",
          [](C& c, Text t, Text w) { c.epochs = checked_number(t, w, positive, "greater than 0"); },
          [](const C& c) { return c.epochs ? fmt::to_string(*c.epochs) : ""; }),
      number_option(
          "run", "steps", "S", "end after S minibatches a worker",
          [](C& c, Text t, Text w) {
            c.steps = static_cast<std::uint64_t>(parse_integer(t, w, 1, most_steps));
          },
          [](const C& c) { return c.steps ? fmt::to_string(*c.steps) : ""; }),
      number_option(
          "run", "seconds", "T", "end after T seconds of the run's clock; 5, or 5s, or 2min",
          [](C& c, Text t, Text w) {
            const bool has_unit =
                !t.empty() && std::isalpha(static_cast<unsigned char>(t.back())) != 0;
            const double value = has_unit ? to_seconds(parse_duration(t, w)) : parse_number(t, w);
            if (!countable_seconds(value)) {
              throw UsageError(
                  fmt::format("{}: '{}' is not from 1e-9 to 9000000 seconds (104 days)", w, t));
            }
            c.seconds = seconds(value);
          },
          [](const C& c) { return c.seconds ? seconds_text(*c.seconds) : ""; }),
      number_option(
          "run", "target-loss", "L", "end when the training loss is at or below L",
          [](C& c, Text t, Text w) { c.target_loss = parse_number(t, w); },
          [](const C& c) { return c.target_loss ? fmt::to_string(*c.target_loss) : ""; }),
      number_option(
          "run", "seed", "SEED", "of everything random; the same seed repeats the run",
          [](C& c, Text t, Text w) {
            c.seed = static_cast<std::uint64_t>(
                parse_integer(t, w, 0, std::numeric_limits<std::int64_t>::max()));
          },
          [](const C& c) { return fmt::to_string(c.seed); }),
      number_option(
          "run", "evaluate-every", "E", "evaluate every E epochs, off the clock",
          [](C& c, Text t, Text w) {
            c.evaluate_every = checked_number(t, w, positive, "greater than 0");
          },
          [](const C& c) { return fmt::to_string(c.evaluate_every); }),
  };
}

/// What some schemes take and others do not.
std::vector<Option> scheme_options() {
  using C = Configuration;
  using Text = std::string_view;
  return {
      {"run", "topology", "NAME", "graph of gossip schemes (list topologies)",
       [](C& c, Text t, Text w) {
         check_name(w, [&] { check_topology(t); });
         c.topology = t;
       },
       [](const C& c) { return c.topology; }},
      {"run", "collective", "NAME", "how averages over all workers are taken (list collectives)",
       [](C& c, Text t, Text w) {
         check_name(w, [&] { (void)find_all_reduce(t); });
         c.collective = t;
       },
       [](const C& c) { return c.collective; }},
  };
}

std::vector<Option> data_options() {
  using C = Configuration;
  using Text = std::string_view;
  return {
      text_option("data", "dataset", "NAME|FILE", "a known data set (list datasets) or a file",
                  &C::dataset),
      text_option("data", "test", "FILE|every-fifth",
                  "test set; every-fifth takes each fifth row out for testing", &C::test),
      {"data", "data-format", "libsvm|csv|tsv|idx",
       "of --dataset FILE; guessed from its name otherwise",
       [](C& c, Text t, Text w) {
         static const std::array<std::string, 4> names{"libsvm", "csv", "tsv", "idx"};
         c.data_format = names[chosen(t, w, names)];
       },
       [](const C& c) { return c.data_format; }},
      text_option("data", "data-dir", "DIR", "where the files of known data sets lie",
                  &C::data_dir),
      number_option(
          "data", "label-column", "I", "column of the label in CSV and TSV files, from 0",
          [](C& c, Text t, Text w) {
            c.label_column = static_cast<std::size_t>(parse_integer(t, w, 0, 1'000'000));
          },
          [](const C& c) { return fmt::to_string(c.label_column); }),
      {"data", "partition", "iid|contiguous|shards|dirichlet:A", "which rows go to which worker",
       [](C& c, Text t, Text w) { c.partition = parse_partition(t, w); },
       [](const C& c) { return partition_text(c.partition); }},
      switch_option("data", "replacement", "draw minibatches with replacement", &C::replacement),
  };
}

std::vector<Option> model_options() {
  using C = Configuration;
  using Text = std::string_view;
  return {
      {"model", "model", "NAME", "logistic, softmax, mlp:H1,H2,… (list models); auto: by classes",
       [](C& c, Text t, Text w) {
         if (t != "auto") check_model(t, w);
         c.model = t == "auto" ? "" : t;
       },
       [](const C& c) { return c.model.empty() ? "auto" : c.model; }},
      number_option(
          "model", "l2", "LAMBDA", "regulariser (LAMBDA/2)·|w|^2",
          [](C& c, Text t, Text w) { c.l2 = checked_number(t, w, not_negative, "0 or greater"); },
          [](const C& c) { return fmt::to_string(c.l2); }),
  };
}

std::vector<Option> machine_options() {
  using C = Configuration;
  using Text = std::string_view;
  Option force =
      switch_option("output", "force", "overwrite what --out and --trace name", &C::force);
  force.describes_run = false;
  return {
      {"compute", "compute-time", "auto|DURATION",
       "virtual: what a minibatch takes; auto measures it here, once",
       [](C& c, Text t, Text w) {
         if (t == "auto") {
           c.compute_time.reset();
         } else {
           c.compute_time = parse_duration(t, w);
         }
       },
       [](const C& c) { return c.compute_time ? exact_text(*c.compute_time) : "auto"; }},
      {"compute", "straggler", "RANK:FACTOR[,…]",
       "computations of that worker take FACTOR times as long",
       [](C& c, Text t, Text w) { c.stragglers = parse_stragglers(t, w); },
       [](const C& c) { return stragglers_text(c.stragglers); }},
      {"compute", "compute-noise", "none|exponential:SCALE|memoryless",
       "computing takes 1 + SCALE·Exp(1) times as long, or Exp(1) times, drawn for each minibatch",
       [](C& c, Text t, Text w) { parse_compute_noise(t, w, c.compute_noise); },
       [](const C& c) { return compute_noise_text(c.compute_noise); }},
      {"compute", "pause", "none|P:DURATION",
       "with probability P a minibatch is followed by a pause of that length",
       [](C& c, Text t, Text w) { parse_pause(t, w, c.compute_noise); },
       [](const C& c) { return pause_text(c.compute_noise); }},
      {"compute", "placement", "compact|scatter|none", "wall: which cores the ranks are pinned to",
       [](C& c, Text t, Text w) { c.placement = parse_placement(t, w); },
       [](const C& c) { return placement_text(c.placement); }},
      {"output", "out", "DIR", "write configuration, summary, metrics and model to DIR/<scheme>/",
       [](C& c, Text t, Text) { c.out = t; }, [](const C& c) { return c.out.string(); }, false,
       false},
      {"output", "trace", "FILE", "write every message and wait, for Perfetto and chrome://tracing",
       [](C& c, Text t, Text) { c.trace = t; }, [](const C& c) { return c.trace.string(); }, false,
       false},
      {"output", "trace-steps", "A:B", "of --trace: steps A to B-1",
       [](C& c, Text t, Text w) { c.trace_steps = parse_steps(t, w); },
       [](const C& c) { return fmt::format("{}:{}", c.trace_steps.first, c.trace_steps.last); },
       false, false},
      {"output", "format", "table|json|csv", "what is printed on standard output",
       [](C& c, Text t, Text w) {
         static const std::array<std::string, 3> names{"table", "json", "csv"};
         c.format = names[chosen(t, w, names)];
       },
       [](const C& c) { return c.format; }},
      switch_option("output", "quiet", "no progress on standard error", &C::quiet),
      force,
  };
}

/// A scheme of one's own may have a hyperparameter of the name of another flag.
void check_names_differ(const std::vector<Option>& all) {
  for (const Scheme& scheme : schemes()) {
    for (const HyperparameterInfo& p : scheme.hyperparameters) {
      if (std::ranges::count(all, p.name, &Option::name) == 1) continue;
      throw UsageError(fmt::format(
          "scheme '{}': hyperparameter '{}': .name: --{} is an option of every run already",
          scheme.name, p.name, p.name));
    }
  }
}

}  // namespace

const std::vector<Option>& options() {
  static const std::vector<Option> table = [] {
    std::vector<Option> all;
    for (auto part : {run_options(), scheme_options(), hyperparameter_options(), data_options(),
                      model_options(), optimizer_options(), network_options(), machine_options()}) {
      all.insert(all.end(), part.begin(), part.end());
    }
    check_names_differ(all);
    return all;
  }();
  return table;
}

const Option& option_named(std::string_view name) {
  const auto found = std::ranges::find(options(), name, &Option::name);
  require(found != options().end(), "an option that is not in the table");
  return *found;
}

}  // namespace trainyard
