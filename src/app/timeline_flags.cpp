#include "app/timeline_flags.hpp"

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "app/scheme_help.hpp"
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
         "  a scheme       a step of it, on a model of 96 kB: ring, gossip:torus, "
         "ddp{bucket=1MiB}, …;\n"
         "                 of one whose workers meet every so many steps, as many: a round\n"
         "  a collective   one all-reduce of 96 kB (list collectives)\n"
         "  a file         a message a line, 'time from to bytes': seconds, ranks from 0, bytes;\n"
         "                 or a schedule in GOAL, as --goal writes it: what it takes here\n"
         "\n"
         "Without flags, examples and lists have a network of 1.5 s a message and 5 s a megabyte;\n"
         "schedules, schemes and collectives have 1.5 ms a message, 160 Mbps. Schemes and\n"
         "collectives have 4 workers, who compute for 3 ms, in pipelines 24 ms; schemes that send\n"
         "by layers compute for 30 ms, in five layers, with 300 us a message.";
}

}  // namespace

TimelineFlags::TimelineFlags(CLI::App& command) {
  what_ = command.add_option("WHAT", "example-1.1 … example-1.4, a scheme, a collective or a file")
              ->type_name("");
  for (const Option* option : options_taken_by(taker::timeline)) {
    const std::string help = option->name == "workers"
                                 ? fmt::format("number of workers, 1 to {}", most_timeline_workers)
                                 : option->help;
    options_.push_back(option->argument.empty()
                           ? add_switch(command, option->name, help)
                           : add_value_flag(command, option->name, option->argument, help));
    if (option->section == "scheme") options_.back()->group("[scheme]");
  }
  output_.emplace(command, "makespan and messages as JSON", AnswerFiles::page_figure_and_schedules);
  command.footer(scheme_help_note("timeline ssp") + footer());
}

std::string TimelineFlags::what() const {
  if (what_->count() == 0) {
    throw UsageError("timeline of what? 'trainyard timeline --help' says what there is");
  }
  return only_word(*what_);
}

std::vector<OptionText> TimelineFlags::options() const {
  std::vector<OptionText> given;
  for (const CLI::Option* flag : options_) {
    const std::string name = flag->get_single_name();
    const std::string text = option_text(option_named(name), *flag);
    if (flag->count() > 0) given.push_back({name, text});
  }
  return given;
}

AnswerOutput TimelineFlags::output() const {
  return output_->read();
}

std::vector<std::string> TimelineFlags::notes() const {
  return output_->notes();
}

}  // namespace trainyard::app
