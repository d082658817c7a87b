#include "app/command_line.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "app/commands.hpp"
#include "app/netcheck_flags.hpp"
#include "app/predict_flags.hpp"
#include "app/timeline_flags.hpp"
#include "app/topology_flags.hpp"
#include "app/training_flags.hpp"

namespace trainyard::app {

namespace {

constexpr const char* examples =
    "Examples:\n"
    "  trainyard compare                         six schemes on the built-in data set\n"
    "  trainyard compare --schemes all --tune-lr --seeds 5\n"
    "  trainyard run --scheme gossip --topology one-peer-exp --workers 64\n"
    "  trainyard run --dataset a9a --l2 1e-4 --lr 0.5 --target-loss 0.33 --out results\n"
    "  trainyard run results/ring/config.toml    the same run again\n"
    "  trainyard timeline ring --workers 8 --svg ring.svg\n"
    "  trainyard topology static-exp --workers 4,8,16,32\n"
    "  trainyard predict --size 100MB --vary latency=0.1ms:100ms\n"
    "\n"
    "Exit status: 0 done; 1 out of memory or a defect; 2 command line or configuration wrong;\n"
    "3 data cannot be read; 4 training diverged, results kept; 130 interrupted, results kept";

/// The network of a comparison in which none is given: one where the schemes differ.
Configuration comparison_defaults() {
  Configuration configuration;
  configuration.network.latency = std::chrono::microseconds(100);
  configuration.network.bytes_per_second = 125e6;  // 1 Gbps
  return configuration;
}

/// On the built-in data set a minibatch takes 2 µs, next to which any network is slow, and how long
/// exactly differs from machine to machine. 1 ms is what one of a model some hundred times as
/// large takes: computing and messages then cost about the same, and everybody sees the same table.
Configuration built_in_comparison() {
  Configuration configuration = comparison_defaults();
  configuration.compute_time = std::chrono::milliseconds(1);
  configuration.optimizer.lr = 4.0;  // rows have length 1, so the loss is 0.25-smooth
  return configuration;
}

Configuration read_comparison(const TrainingFlags& flags) {
  const Configuration asked = flags.read(comparison_defaults());
  const bool on_built_in_set = asked.dataset == Configuration{}.dataset;
  const bool simulated = asked.time != TimeMode::wall;
  return on_built_in_set && simulated ? flags.read(built_in_comparison()) : asked;
}

std::vector<Contestant> schemes_to_compare(const CLI::Option& flag) {
  return parse_contestants(flag.count() == 0 ? "sequential,ps-sync,ps-async,ring,hogwild,gossip"
                                             : only_value(flag));
}

ComparisonOptions comparison_options(const CLI::Option& seeds, const CLI::Option& tune_lr) {
  ComparisonOptions options;
  const std::string count = only_value(seeds);
  if (seeds.count() > 0) options.seeds = static_cast<int>(parse_integer(count, "--seeds", 1, 1000));
  if (tune_lr.count() > 0) {
    if (switch_value(tune_lr) != "true") throw UsageError("--tune-lr: takes no value");
    options.tune_lr = true;
  }
  return options;
}

/// CLI11's own complaints, of which few are left, as ours.
void parse(CLI::App& program, int argc, char** argv) {
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success&) {
    throw;  // --help, --version
  } catch (const CLI::ParseError& error) {
    throw UsageError(fmt::format("{} (--help says what is accepted)", error.what()));
  }
}

/// The commands, as CLI11 parses them.
class CommandLine {
 public:
  CommandLine();
  int dispatch(int argc, char** argv);

 private:
  CLI::App& add_command(const std::string& name, const std::string& help) {
    CLI::App& command = *program_.add_subcommand(name, help);
    command.allow_extras();  // so that the complaint about them is ours
    return command;
  }
  int run_without_command() const;
  int run_predict_command() const;
  int run_machine_command() const;

  CLI::App program_{
      "Trainyard trains one model with many workers and shows what each way of making them talk "
      "costs."};
  CLI::App& run_ = add_command("run", "one training run");
  CLI::App& compare_ = add_command("compare", "the same run under several schemes, in one table");
  CLI::App& timeline_ = add_command("timeline", "a few messages, port by port, to be looked at");
  CLI::App& netcheck_ =
      add_command("netcheck", "each collective: closed form and emulation, side by side");
  CLI::App& predict_ =
      add_command("predict", "what a step of each scheme takes, on paper; crossing points");
  CLI::App& topology_ =
      add_command("topology", "a gossip graph: its matrix, how fast it mixes, what it sends");
  CLI::App& consensus_ = add_command("consensus", "partial averaging alone, round by round");
  CLI::App& list_ = add_command("list", "what there is to choose from");
  CLI::App& machine_ = add_command("machine", "cores, NUMA nodes, and where ranks would go");
  TrainingFlags run_flags_{run_, Configuration{}, true};
  CLI::Option* schemes_ =
      add_value_flag(compare_, "schemes", "A,B,…",
                     "which; also all-centralised, all-decentralised, all [the six basic ones]");
  CLI::Option* seeds_ =
      add_value_flag(compare_, "seeds", "K",
                     "repeat with K seeds; mean and standard deviation of each figure [1]");
  CLI::Option* tune_lr_ =
      add_switch(compare_, "tune-lr", "each scheme at its own best step size, found by short runs");
  TrainingFlags compare_flags_{compare_, comparison_defaults(), false};
  TimelineFlags timeline_flags_{timeline_};
  NetcheckFlags netcheck_flags_{netcheck_};
  PredictFlags predict_flags_{predict_};
  TopologyFlags topology_flags_{topology_};
  ConsensusFlags consensus_flags_{consensus_};
  CLI::Option* list_what_ = nullptr;
  CLI::Option* machine_workers_ = nullptr;
  CLI::Option* machine_placement_ = nullptr;
};

CommandLine::CommandLine() {
  program_.name("trainyard");
  program_.set_version_flag("--version", "trainyard " TRAINYARD_VERSION);
  program_.allow_extras();
  program_.footer(examples);
  compare_.footer(
      "On the built-in data set a minibatch is taken to need 1 ms and the step size is 4, unless\n"
      "--compute-time and --lr say otherwise: so the table is the same on every machine.\n"
      "\n"
      "--tune-lr tries --lr times 1/16, 1/8, … 16, and beyond where the best is at an edge, in "
      "runs of\n"
      "a quarter of the budget and at most 4 epochs; the better half goes on to the next round.\n"
      "A scheme of a group (--schemes all…) that cannot run what is asked is skipped, and said.");
  list_what_ = list_.add_option("WHAT", "schemes, topologies, collectives, models or datasets")
                   ->type_name("");
  machine_workers_ =
      add_value_flag(machine_, "workers", "N", "number of ranks to place [one for each core]");
  machine_placement_ = add_value_flag(machine_, "placement", "compact|scatter|none",
                                      "which cores they are pinned to [compact]");
}

int CommandLine::run_without_command() const {
  refuse_extras(program_);
  fmt::print(stderr, "{}", program_.help());
  return exit_usage;
}

int CommandLine::dispatch(int argc, char** argv) {
  try {
    parse(program_, argc, argv);
  } catch (const CLI::Success& success) {
    return program_.exit(success);
  }
  const auto chosen = program_.get_subcommands();
  if (chosen.empty()) {
    std::vector<std::string> names;
    for (const CLI::App* command : program_.get_subcommands({}))
      names.push_back(command->get_name());
    const auto words = program_.remaining();
    if (!words.empty() && !words.front().starts_with("-")) {
      throw_unknown("command", words.front(), names);
    }
    return run_without_command();
  }
  refuse_extras(program_);
  refuse_extras(*chosen.front());
  if (run_.parsed()) return run_command(run_flags_.read({}));
  if (compare_.parsed()) {
    return compare_command(read_comparison(compare_flags_), schemes_to_compare(*schemes_),
                           comparison_options(*seeds_, *tune_lr_));
  }
  if (timeline_.parsed()) {
    return timeline_command(timeline_flags_.what(), timeline_flags_.options(),
                            timeline_flags_.output());
  }
  if (netcheck_.parsed()) {
    return netcheck_command(netcheck_flags_.options(), netcheck_flags_.collectives(),
                            netcheck_flags_.json());
  }
  if (predict_.parsed()) return run_predict_command();
  if (topology_.parsed()) return topology_command(topology_flags_.question());
  if (consensus_.parsed()) return consensus_command(consensus_flags_.question());
  if (list_.parsed()) return list_command(list_what_->count() > 0 ? list_what_->results()[0] : "");
  return run_machine_command();
}

int CommandLine::run_predict_command() const {
  const PredictionSetting setting = predict_flags_.setting();
  const std::vector<Variant> variants = predict_flags_.variants();
  const bool json = predict_flags_.json();
  if (const auto sweep = predict_flags_.sweep()) {
    return predict_command(setting, variants, *sweep, json);
  }
  return predict_command(setting, variants, predict_flags_.exchange_costs(), json);
}

int CommandLine::run_machine_command() const {
  Configuration asked;
  asked.workers = 0;
  for (const CLI::Option* flag : {machine_workers_, machine_placement_}) {
    const std::string text = only_value(*flag);
    if (flag->count() > 0) option_named(flag->get_single_name()).set(asked, text, flag->get_name());
  }
  return machine_command(asked.workers, asked.placement);
}

/// The table of options knows only its own names; what a command has besides shows when its flags
/// are made.
[[noreturn]] void refuse_name_of_flag(const CLI::OptionAlreadyAdded& error) {
  const std::string_view message = error.what();
  for (const Scheme& scheme : own_schemes()) {
    for (const HyperparameterInfo& p : scheme.hyperparameters) {
      if (message.find(": " + p.name + " ") == std::string_view::npos) continue;
      throw UsageError(fmt::format(
          "scheme '{}': hyperparameter '{}': .name: --{} is a flag of a command already",
          scheme.name, p.name, p.name));
    }
  }
  throw InternalError(error.what());
}

}  // namespace

int dispatch(int argc, char** argv) {
  try {
    return CommandLine().dispatch(argc, argv);
  } catch (const CLI::OptionAlreadyAdded& error) {
    refuse_name_of_flag(error);
  }
}

}  // namespace trainyard::app
