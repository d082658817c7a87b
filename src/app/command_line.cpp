#include "app/command_line.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/standard_streams.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/base/version.hpp"
#include "trainyard/configuration/defaults.hpp"
#include "trainyard/runtime/processes.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "app/advise_flags.hpp"
#include "app/commands.hpp"
#include "app/compare_flags.hpp"
#include "app/export_flags.hpp"
#include "app/habits.hpp"
#include "app/help_texts.hpp"
#include "app/lab_flags.hpp"
#include "app/machine_flags.hpp"
#include "app/netcheck_flags.hpp"
#include "app/predict_flags.hpp"
#include "app/report_flags.hpp"
#include "app/reproduce_flags.hpp"
#include "app/scheme_help.hpp"
#include "app/score_flags.hpp"
#include "app/split_flags.hpp"
#include "app/timeline_flags.hpp"
#include "app/topology_flags.hpp"
#include "app/training_flags.hpp"

namespace trainyard::app {

namespace {

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

/// CLI11 takes the word after `--out=` for the value of --out.
void refuse_empty_values(const CLI::App& program, int argc, char** argv) {
  const CLI::App* command = nullptr;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (command == nullptr) {
      for (const CLI::App* one : program.get_subcommands({})) {
        if (one->get_name() == word) command = one;
      }
      continue;
    }
    if (!word.starts_with("--") || word.find('=') + 1 != word.size()) continue;
    const std::string name = word.substr(0, word.size() - 1);
    const CLI::Option* flag = command->get_option_no_throw(name);
    if (flag != nullptr) refuse_empty(name, flag->get_type_name());
  }
}

/// Elsewhere "predict" is what `score` does.
void refuse_folder_of_run(const CLI::App& predict) {
  const std::vector<std::string> words = predict.remaining();
  std::error_code error;
  if (words.empty() || !std::filesystem::is_directory(words.front(), error)) return;
  throw UsageError(fmt::format(
      "predict is about the time that steps take; 'trainyard score {} FILE' says what a trained "
      "model predicts",
      printable(words.front())));
}

using Call = std::function<int()>;

/// Notes on standard error, and then the command.
Call after_notes(std::vector<std::string> notes, Call call) {
  if (notes.empty()) return call;
  return [notes = std::move(notes), call = std::move(call)] {
    for (const std::string& note : notes) say(note + "\n");
    return call();
  };
}

}  // namespace

/// The commands, as CLI11 parses them.
class CommandLine::Commands {
 public:
  explicit Commands(Processes* processes);
  Call parse(int argc, char** argv);

 private:
  CLI::App& add_command(const std::string& name, const std::string& help) {
    CLI::App& command = *program_.add_subcommand(name, help);
    command.allow_extras();  // so that the complaint about them is ours
    return command;
  }
  Call call_without_command() const;
  Call call_of(const CLI::App& command) const;
  Call compare_call() const;
  Call predict_call() const;

  void offer_what_processes_do();

  Processes* const processes_;
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
  CLI::App& advise_ = add_command("advise", "what limits my workers, and what would change it");
  CLI::App& reproduce_ = add_command("reproduce", "published results, and ours beside them");
  CLI::App& topology_ =
      add_command("topology", "a gossip graph: its matrix, how fast it mixes, what it sends");
  CLI::App& consensus_ = add_command("consensus", "partial averaging alone, round by round");
  CLI::App& report_ = add_command("report", "saved runs on one page, to look at and to send");
  CLI::App& lab_ = add_command("lab", "pages to play with, in a browser on this machine");
  CLI::App& score_ = add_command("score", "what a trained model says of the rows of a file");
  CLI::App& export_ = add_command("export", "a trained model in a format that others read");
  CLI::App& split_ = add_command("split", "a data set divided among workers beforehand, in a file");
  CLI::App& list_ = add_command("list", "what there is to choose from");
  CLI::App& machine_ = add_command(
      "machine", "cores, NUMA nodes, where ranks would go; what a shared cache line costs");
  TrainingFlags run_flags_{
      run_, processes_ == nullptr ? default_configuration() : process_defaults(), true};
  CompareFlags compare_flags_{compare_};
  TimelineFlags timeline_flags_{timeline_};
  NetcheckFlags netcheck_flags_{netcheck_};
  PredictFlags predict_flags_{predict_};
  AdviseFlags advise_flags_{advise_};
  ReproduceFlags reproduce_flags_{reproduce_};
  TopologyFlags topology_flags_{topology_};
  ConsensusFlags consensus_flags_{consensus_};
  ReportFlags report_flags_{report_};
  LabFlags lab_flags_{lab_};
  ScoreFlags score_flags_{score_};
  ExportFlags export_flags_{export_};
  SplitFlags split_flags_{split_};
  MachineFlags machine_flags_{machine_};
  CLI::Option *list_what_ = nullptr, *list_name_ = nullptr, *list_json_ = nullptr;
};

CommandLine::Commands::Commands(Processes* processes) : processes_(processes) {
  program_.name("trainyard");
  program_.set_version_flag("--version", fmt::format("trainyard {}", version()));
  program_.allow_extras();
  program_.add_option("--load", load_help)->type_name("FILE");  // read before (load_plug_ins.hpp)
  program_.footer(examples);
  for (CLI::App* command : {&run_, &compare_, &predict_, &timeline_}) {
    command->set_help_all_flag("--help-all",
                               "This help, with the flags of every scheme's own rule");
  }
  run_.footer(built_in_note + scheme_help_note("run --scheme ssp"));
  compare_.footer(std::string(built_in_comparison_note) +
                  scheme_help_note("compare --schemes ssp,local-sgd") + comparison_note);
  list_what_ = list_
                   .add_option("WHAT",
                               "schemes, presets, topologies, collectives, codecs, aggregates, "
                               "attacks, models, datasets or labs")
                   ->type_name("");
  list_name_ = list_.add_option("NAME", "a scheme, preset or lab, of which everything is told")
                   ->type_name("");
  list_json_ = add_switch(list_, "json", "all that the table knows as JSON");
  if (processes_ != nullptr) offer_what_processes_do();
}

/// Runs, and what knows the collectives of processes.
void CommandLine::Commands::offer_what_processes_do() {
  program_.name("trainyard-mpi");
  program_.description(
      "Trainyard's runs with a process for each rank, which MPI starts: on one machine or many.");
  program_.footer(process_examples);
  run_.footer("");
  for (const Option* refused : options_taken_by(taker::one_process)) {
    run_.get_option("--" + refused->name)->group("");  // read, to say why, and not listed
  }
  run_.get_option("--force")->description("overwrite what --out names");
  for (CLI::App* command : program_.get_subcommands({})) {
    const bool stays = command == &run_ || command == &report_ || command == &list_;
    if (!stays) program_.remove_subcommand(command);
  }
}

Call CommandLine::Commands::call_without_command() const {
  refuse_extras(program_);
  return [this] {
    say(program_.help());
    return exit_usage;
  };
}

Call CommandLine::Commands::parse(int argc, char** argv) {
  refuse_empty_values(program_, argc, argv);
  try {
    app::parse(program_, argc, argv);
  } catch (const CLI::Success& success) {
    const bool everything = dynamic_cast<const CLI::CallForAllHelp*>(&success) != nullptr;
    for (CLI::App* command : program_.get_subcommands()) {
      if (!everything) show_flags_of_named_schemes(*command);
    }
    // CLI11 would print to std::cout, and whether it could be written would be lost.
    return [this, success] {
      std::ostringstream text;
      program_.exit(success, text, text);
      fmt::print("{}", text.str());
      return exit_done;
    };
  }
  const auto chosen = program_.get_subcommands();
  if (chosen.empty()) {
    std::vector<std::string> names;
    for (const CLI::App* command : program_.get_subcommands({}))
      names.push_back(command->get_name());
    const auto words = program_.remaining();
    if (!words.empty() && !words.front().starts_with("-")) {
      if (const std::string meant = command_meant(words.front()); !meant.empty()) {
        throw UsageError(fmt::format("no command named {}; did you mean '{} {}'?",
                                     echoed(words.front()), program_.get_name(), meant));
      }
      throw_unknown("command", words.front(), names);
    }
    return call_without_command();
  }
  refuse_extras(program_);
  if (chosen.front() == &predict_) refuse_folder_of_run(predict_);
  refuse_extras(*chosen.front());
  return call_of(*chosen.front());
}

Call CommandLine::Commands::call_of(const CLI::App& command) const {
  if (&command == &run_) {
    return [asked = run_flags_.asked(), processes = processes_] {
      return run_command(asked, processes);
    };
  }
  if (processes_ != nullptr && !processes_->leads()) {
    return [] { return exit_done; };
  }
  if (&command == &compare_) return compare_call();
  if (&command == &timeline_) {
    return after_notes(
        timeline_flags_.notes(),
        [what = timeline_flags_.what(), options = timeline_flags_.options(),
         output = timeline_flags_.output()] { return timeline_command(what, options, output); });
  }
  if (&command == &netcheck_) {
    return after_notes(netcheck_flags_.notes(), [options = netcheck_flags_.options(),
                                                 collectives = netcheck_flags_.collectives(),
                                                 output = netcheck_flags_.output()] {
      return netcheck_command(options, collectives, output);
    });
  }
  if (&command == &predict_) return after_notes(predict_flags_.notes(), predict_call());
  if (&command == &advise_) {
    return after_notes(advise_flags_.notes(),
                       [request = advise_flags_.request()] { return advise_command(request); });
  }
  if (&command == &reproduce_) {
    return after_notes(reproduce_flags_.notes(), [question = reproduce_flags_.question()] {
      return reproduce_command(question);
    });
  }
  if (&command == &topology_) {
    return after_notes(topology_flags_.notes(), [question = topology_flags_.question()] {
      return topology_command(question);
    });
  }
  if (&command == &consensus_) {
    return after_notes(consensus_flags_.notes(), [question = consensus_flags_.question()] {
      return consensus_command(question);
    });
  }
  if (&command == &report_) {
    return after_notes(report_flags_.notes(),
                       [question = report_flags_.question()] { return report_command(question); });
  }
  if (&command == &lab_) {
    return after_notes(lab_flags_.notes(),
                       [place = lab_flags_.place()] { return lab_command(place); });
  }
  if (&command == &score_) {
    return after_notes(score_flags_.notes(),
                       [question = score_flags_.question()] { return score_command(question); });
  }
  if (&command == &export_) {
    return [question = export_flags_.question()] { return export_command(question); };
  }
  if (&command == &split_) {
    return after_notes(split_flags_.notes(),
                       [request = split_flags_.request()] { return split_command(request); });
  }
  if (&command == &list_) {
    return [what = only_word(*list_what_), name = only_word(*list_name_),
            json = is_given(*list_json_)] { return list_command(what, name, json); };
  }
  return [question = machine_flags_.question()] { return machine_command(question); };
}

Call CommandLine::Commands::compare_call() const {
  if (compare_flags_.is_map()) {
    return [request = compare_flags_.map()] { return map_command(request); };
  }
  ComparisonRequest request = compare_flags_.comparison();
  const Picture picture = compare_flags_.take_picture(request);
  return [request = std::move(request), picture, goes_on = compare_flags_.goes_on()] {
    return compare_command(request, goes_on, picture);
  };
}

Call CommandLine::Commands::predict_call() const {
  if (predict_flags_.compute_share()) {
    return [question = predict_flags_.compute_share_question(),
            output = predict_flags_.output_without_page("--compute-share")] {
      return compute_share_command(question, output);
    };
  }
  if (predict_flags_.training_time()) {
    return [task = predict_flags_.training_task(),
            output = predict_flags_.output_without_page("--training-time")] {
      return training_time_command(task, output);
    };
  }
  if (predict_flags_.all_splits()) {
    return [c = predict_flags_.setting().configuration,
            output = predict_flags_.output_without_page("--split all")] {
      return split_search_command(c, output);
    };
  }
  if (const auto noise_ratio = predict_flags_.noise_ratio()) {
    return [setting = predict_flags_.setting(), ratio = *noise_ratio,
            output = predict_flags_.output_without_page("--noise-ratio")] {
      return optimal_time_command(setting, ratio, output);
    };
  }
  if (predict_flags_.checkpoints()) {
    return
        [question = predict_flags_.checkpoint_question()] { return checkpoint_command(question); };
  }
  if (predict_flags_.break_even()) {
    return
        [setting = predict_flags_.setting(), schemes = predict_flags_.coded_schemes(),
         output = predict_flags_.output()] { return break_even_command(setting, schemes, output); };
  }
  return [question = predict_flags_.question()] { return predict_command(question); };
}

namespace {

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

CommandLine::CommandLine(Processes* processes) {
  try {
    commands_ = std::make_unique<Commands>(processes);
  } catch (const CLI::OptionAlreadyAdded& error) {
    refuse_name_of_flag(error);
  }
}

CommandLine::~CommandLine() = default;

std::function<int()> CommandLine::parse(int argc, char** argv) {
  return commands_->parse(argc, argv);
}

}  // namespace trainyard::app
