// The flags of `trainyard timeline`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/answer.hpp"
#include "app/commands.hpp"

namespace trainyard::app {

class TimelineFlags {
 public:
  explicit TimelineFlags(CLI::App& command);

  /// Throws UsageError.
  std::string what() const;
  std::vector<OptionText> options() const;
  AnswerOutput output() const;

  /// "note: --X has no effect: REASON" for each flag that is given in vain.
  std::vector<std::string> notes() const;

 private:
  CLI::Option* what_;
  std::vector<CLI::Option*> options_;  // each named as in the table of options
  std::optional<AnswerFlags> output_;  // last in the help
};

}  // namespace trainyard::app
