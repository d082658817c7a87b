// The flags of `trainyard advise`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "trainyard/analysis/advice.hpp"

#include "app/answer.hpp"

namespace trainyard::app {

class AdviseFlags {
 public:
  explicit AdviseFlags(CLI::App& command);

  // Both throw UsageError.
  AdviceQuestion question() const;
  AnswerOutput output() const;

  /// What is assumed where nothing was said, and "note: --X has no effect: REASON".
  std::vector<std::string> notes() const;

 private:
  std::vector<CLI::Option*> options_;  // each named as in the table of options
  CLI::Option *size_, *measured_, *scheme_, *noise_scale_;
  std::optional<AnswerFlags> output_;  // last in the help
};

}  // namespace trainyard::app
