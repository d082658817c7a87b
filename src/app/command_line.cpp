#include "app/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "app/commands.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/experiment/options.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard::app {

namespace {

/// What a subcommand that trains was given: a file, and flags that win over it.
struct TrainingFlags {
  std::string file;
  std::deque<std::string> values;  // one for each option; addresses stay
  std::deque<bool> switches;
  std::vector<CLI::Option*> flags;
  bool json = false;
  std::string schemes;
};

void add_training_flags(CLI::App& command, TrainingFlags& flags, bool one_scheme) {
  command.add_option("CONFIG", flags.file, "TOML file with sections [run], [data], …; flags win");
  for (const Option& option : options()) {
    flags.values.emplace_back();
    flags.switches.emplace_back(false);
    if (option.name == "scheme" && !one_scheme) {
      flags.flags.push_back(nullptr);
      continue;
    }
    CLI::Option* added =
        option.argument.empty()
            ? command.add_flag("--" + option.name, flags.switches.back(), option.help)
            : command.add_option("--" + option.name, flags.values.back(), option.help)
                  ->type_name(option.argument);
    added->group("[" + option.section + "]");
    flags.flags.push_back(added);
  }
  command.add_flag("--json", flags.json, "short for --format json")->group("[output]");
  command.allow_extras();  // so that the complaint about them is ours
}

/// A word that no flag took: complain, naming the nearest flag.
void refuse_extras(const CLI::App& command) {
  const std::vector<std::string> extras = command.remaining();
  if (extras.empty()) return;
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_lnames().empty()) known.push_back("--" + option->get_lnames().front());
  }
  for (const std::string& word : extras) {
    if (word.starts_with("-")) throw_unknown("flag", word.substr(0, word.find('=')), known);
  }
  throw UsageError(fmt::format("'{}' is left over; {} takes flags and one CONFIG file",
                               extras.front(), command.get_name()));
}

Configuration read_flags(const TrainingFlags& flags, Configuration configuration) {
  if (!flags.file.empty()) read_configuration(flags.file, configuration);
  for (std::size_t i = 0; i < options().size(); ++i) {
    const Option& option = options()[i];
    if (flags.flags[i] == nullptr || flags.flags[i]->count() == 0) continue;
    const std::string text =
        option.argument.empty() ? (flags.switches[i] ? "true" : "false") : flags.values[i];
    option.set(configuration, text, "--" + option.name);
  }
  if (flags.json) configuration.format = "json";
  return configuration;
}

/// The network of a comparison in which none is given: one where the schemes differ.
Configuration comparison_defaults() {
  Configuration configuration;
  configuration.network.latency = std::chrono::milliseconds(1);
  configuration.network.bytes_per_second = 125e6;  // 1 Gbps
  return configuration;
}

std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    names.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

std::vector<std::string> schemes_to_compare(const std::string& text) {
  std::vector<std::string> names;
  if (text.empty()) {
    for (const Scheme& scheme : schemes()) names.push_back(scheme.name);
    return names;
  }
  for (const std::string& name : split_names(text)) names.push_back(find_scheme(name).name);
  return names;
}

std::vector<std::string> subcommand_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

/// CLI11's own complaints (a missing value, a flag given twice) as ours.
void parse(CLI::App& program, int argc, char** argv) {
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success&) {
    throw;  // --help, --version
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
}

}  // namespace

int dispatch(int argc, char** argv) {
  CLI::App program{"Trainyard trains one model with many workers and shows what each way of making them "
                   "talk costs."};
  program.name("trainyard");
  program.set_version_flag("--version", "trainyard 0.1.0");
  program.allow_extras();

  TrainingFlags run_flags;
  CLI::App& run = *program.add_subcommand("run", "one training run");
  add_training_flags(run, run_flags, true);

  TrainingFlags compare_flags;
  CLI::App& compare = *program.add_subcommand(
      "compare", "the same run under several schemes, in one table (latency 1ms, bandwidth 1Gbps "
                 "unless given)");
  compare.add_option("--schemes", compare_flags.schemes, "which; all of them if not given")
      ->type_name("A,B,…");
  add_training_flags(compare, compare_flags, false);

  std::string list_what;
  CLI::App& list = *program.add_subcommand("list", "what there is to choose from");
  list.add_option("WHAT", list_what, "schemes, topologies, models or datasets")->required();

  int ranks = 0;
  std::string placement = "compact";
  CLI::App& machine =
      *program.add_subcommand("machine", "cores, NUMA nodes, and where ranks would go");
  machine.add_option("--workers", ranks, "number of ranks to place; one a core if not given");
  machine.add_option("--placement", placement, "compact, scatter or none");

  try {
    parse(program, argc, argv);
  } catch (const CLI::Success& success) {
    return program.exit(success);
  }
  if (program.get_subcommands().empty()) {
    const auto words = program.remaining();
    if (!words.empty()) throw_unknown("command", words.front(), subcommand_names(program));
    fmt::print(stderr, "{}", program.help());
    return exit_usage;
  }
  if (run.parsed()) {
    refuse_extras(run);
    return run_command(read_flags(run_flags, {}));
  }
  if (compare.parsed()) {
    refuse_extras(compare);
    return compare_command(read_flags(compare_flags, comparison_defaults()),
                           schemes_to_compare(compare_flags.schemes));
  }
  if (list.parsed()) return list_command(list_what);
  return machine_command(ranks, parse_placement(placement, "--placement:"));
}

}  // namespace trainyard::app
