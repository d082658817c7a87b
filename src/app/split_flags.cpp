#include "app/split_flags.hpp"

#include <array>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/configuration/defaults.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "app/training_flags.hpp"

namespace trainyard::app {

SplitFlags::SplitFlags(CLI::App& command) {
  const Configuration defaults = default_configuration();
  const auto add = [&](const Option& option, const std::string& help) {
    if (option.argument.empty()) return add_switch(command, option.name, help);
    const std::string value = option.get(defaults);
    return add_value_flag(command, option.name, option.argument,
                          value.empty() ? help : fmt::format("{} [{}]", help, value));
  };
  for (const Option* option : options_taken_by(taker::split)) {
    options_.push_back(add(*option, option->help));
  }
  options_.push_back(add(option_named("model"),
                         "of the runs; with least-squares labels are read as real numbers"));
  out_ = add_value_flag(command, "out", "FILE", "what is written; has to be given");
  force_ = add_switch(command, "force", "overwrite a file that --out names");
  output_.emplace(command, "what was written as JSON", AnswerFiles::none);
  command.footer(
      "Writes the data set with its rows in the order of the workers' parts. A run takes FILE as\n"
      "--dataset, and the parts with --partition split and as many --workers. It starts at once,\n"
      "and gives the model of a run that divides the rows itself by the same rule and seed, but "
      "for\n"
      "--order file, which is FILE's now. Of trainyard-mpi each process reads its own part alone,\n"
      "and that of rank 0 all, to evaluate.\n"
      "FILE is for machines of this byte order.\n"
      "\n"
      "  trainyard split --dataset rcv1.txt --workers 64 --partition shards --out rcv1-64.split\n"
      "  mpirun -np 64 trainyard-mpi run --scheme ring --workers 64 --dataset rcv1-64.split "
      "--partition split");
}

Configuration SplitFlags::configuration() const {
  Configuration c = default_configuration();
  for (const CLI::Option* flag : options_) {
    const std::string name = flag->get_single_name();
    const Option& option = option_named(name);
    const std::string text = option.argument.empty() ? switch_value(*flag) : only_value(*flag);
    if (flag->count() == 0) continue;
    option.set(c, text, flag->get_name());
    c.given.push_back(name);
  }
  return c;
}

SplitRequest SplitFlags::request() const {
  SplitRequest request{.configuration = configuration(), .out = only_value(*out_), .force = false};
  request.force = is_given(*force_);
  request.output = output_->read();
  request.output.notes = notes();
  if (request.out.empty()) {
    throw UsageError("--out: a split is written into a file; expected its name, like rows.split");
  }
  return request;
}

std::vector<std::string> SplitFlags::notes() const {
  const Configuration c = configuration();
  // No option of data depends on the scheme.
  const std::array settings{OptionSetting{c, find_scheme(c.scheme)}};
  return idle_notes(settings, c.given);
}

}  // namespace trainyard::app
