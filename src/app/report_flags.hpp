// The flags of `trainyard report`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/answer.hpp"
#include "app/commands.hpp"

namespace trainyard::app {

class ReportFlags {
 public:
  explicit ReportFlags(CLI::App& command);

  /// Throws UsageError.
  ReportQuestion question() const;

  /// "note: --X has no effect: REASON" for each flag that is given in vain.
  std::vector<std::string> notes() const;

 private:
  CLI::Option* folders_;
  std::optional<AnswerFlags> output_;
};

}  // namespace trainyard::app
