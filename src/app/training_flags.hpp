// The flags of the commands that train. They, and nothing else, are made from the table of options.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "trainyard/configuration/options.hpp"

namespace trainyard::app {

/// Throws UsageError for a word that no flag or argument of `command` took, naming the nearest
/// flag.
void refuse_extras(const CLI::App& command);

/// The value of a flag that takes one, empty when it was not given. Throws UsageError when it was
/// given without a value, with an empty one, or twice.
std::string only_value(const CLI::Option& flag);

/// The values of a flag that may be given several times. Throws as only_value().
std::vector<std::string> values_of(const CLI::Option& flag);

/// The word that an argument without a flag is, empty when there is none. Throws UsageError when it
/// is there and empty.
std::string only_word(const CLI::Option& argument);

/// The value of a switch: "true", unless it was given with another.
std::string switch_value(const CLI::Option& flag);

/// Whether a switch was given that has no other value than that. Throws UsageError when it was
/// given with one.
bool is_given(const CLI::Option& flag);

/// "a,b,c" → a, b, c.
std::vector<std::string> split_names(const std::string& text);

/// The text that a flag has for its option. Throws as only_value().
std::string option_text(const Option& option, const CLI::Option& flag);

/// Adds a flag that takes one value, for only_value().
CLI::Option* add_value_flag(CLI::App& command, const std::string& name, const std::string& argument,
                            const std::string& help);

/// Adds a flag without a value, for switch_value().
CLI::Option* add_switch(CLI::App& command, const std::string& name, const std::string& help);

/// A configuration file and the flags that win over it.
class TrainingFlags {
 public:
  /// Adds to `command` a flag for each option, except --scheme unless the command runs
  /// `one_scheme`. The help says what each flag is in `defaults` when it is not given.
  TrainingFlags(CLI::App& command, const Configuration& defaults, bool one_scheme);

  /// The configuration that the command line asks for; `defaults` where it is silent. Throws
  /// UsageError.
  Configuration read(const Configuration& defaults,
                     std::vector<ContestantTable>* contestants = nullptr) const;
  /// Reads it over the defaults that the help names or, in simulated time, those of the data set:
  /// the built-in one has its own.
  Configuration asked(std::vector<ContestantTable>* contestants = nullptr) const;

 private:
  /// Throws UsageError where --dataset names one besides `file`.
  void refuse_second_set(const std::string& file) const;
  void take_json(Configuration& configuration) const;

  struct Flag {
    const Option* option;
    CLI::Option* flag;
  };
  const Configuration defaults_;
  CLI::Option* file_;
  CLI::Option* json_;
  std::vector<Flag> flags_;
};

}  // namespace trainyard::app
