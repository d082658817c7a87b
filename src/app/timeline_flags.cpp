#include "app/timeline_flags.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "app/training_flags.hpp"

namespace trainyard::app {

namespace {

/// Beneath the flags: what there is to draw.
std::string footer() {
  std::string text = "WHAT is one of\n";
  for (const TimelineExample& example : timeline_examples()) {
    text += fmt::format("  {}    {}\n", example.name, example.summary);
  }
  return text +
         "  a scheme       a step of it, on a model of 96 kB (list schemes)\n"
         "  a collective   one all-reduce of 96 kB (list collectives)\n"
         "  a file         a message a line, 'time from to bytes': seconds, ranks from 0, bytes\n"
         "\n"
         "Without flags, examples and files have a network of 1.5 s a message and 5 s a megabyte;\n"
         "schemes and collectives have 4 workers, 1.5 ms a message, 160 Mbps, and compute for 3 "
         "ms, in\n"
         "pipelines 24 ms; schemes that send by layers compute for 30 ms, in five layers, with 300 "
         "us a\n"
         "message.";
}

/// Hyperparameters of schemes that send by layers.
std::vector<std::string> hyperparameters_by_layers() {
  std::vector<std::string> names;
  for (const Scheme& scheme : schemes()) {
    if (!scheme.by_layers) continue;
    for (const HyperparameterInfo& p : scheme.hyperparameters) {
      if (std::ranges::count(names, p.name) == 0) names.push_back(p.name);
    }
  }
  return names;
}

}  // namespace

TimelineFlags::TimelineFlags(CLI::App& command) {
  what_ = command.add_option("WHAT", "example-1.1 … example-1.4, a scheme, a collective or a file")
              ->type_name("");
  std::vector<std::string> names{"workers", "servers"};
  for (const IngredientKind& kind : ingredient_kinds()) names.push_back(kind.name);
  std::ranges::copy(hyperparameters_by_layers(), std::back_inserter(names));
  names.insert(names.end(),
               {"latency", "bandwidth", "ports", "server-placement", "compute-time", "steps"});
  for (const std::string& name : names) {
    const Option& option = option_named(name);
    const std::string help = option.name == "workers"
                                 ? fmt::format("number of workers, 1 to {}", most_timeline_workers)
                                 : option.help;
    options_.push_back(add_value_flag(command, option.name, option.argument, help));
  }
  output_.emplace(command, "makespan and messages as JSON", true);
  command.footer(footer());
}

std::string TimelineFlags::what() const {
  if (what_->count() == 0) {
    throw UsageError("timeline of what? 'trainyard timeline --help' says what there is");
  }
  return only_word(*what_);
}

TimelineOptions TimelineFlags::options() const {
  TimelineOptions result;
  for (const CLI::Option* flag : options_) {
    const std::string text = only_value(*flag);
    if (flag->count() == 0) continue;
    const std::string name = flag->get_single_name();
    Configuration c;
    option_named(name).set(c, text, flag->get_name());
    if (name == "workers") result.workers = c.workers;
    if (name == "servers") result.servers = c.servers;
    result.ingredients.merge(c.ingredients);
    result.hyperparameters.merge(c.hyperparameters);
    if (name == "latency") result.latency = c.network.latency;
    if (name == "bandwidth") result.bytes_per_second = c.network.bytes_per_second;
    if (name == "ports") result.ports = c.network.ports;
    if (name == "server-placement") result.server_placement = c.network.server_placement;
    if (name == "compute-time") {
      if (!c.compute_time)
        throw UsageError("--compute-time: a timeline takes a duration, like 3ms");
      result.compute_time = c.compute_time;
    }
    if (name == "steps") result.steps = c.steps;
  }
  return result;
}

AnswerOutput TimelineFlags::output() const {
  return output_->read();
}

std::vector<std::string> TimelineFlags::notes() const {
  return output_->notes();
}

}  // namespace trainyard::app
