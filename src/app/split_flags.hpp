// The flags of `trainyard split`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/answer.hpp"
#include "app/commands.hpp"

namespace trainyard::app {

class SplitFlags {
 public:
  explicit SplitFlags(CLI::App& command);

  /// Throws UsageError.
  SplitRequest request() const;

  /// "note: --X has no effect: REASON" for each flag that is given in vain.
  std::vector<std::string> notes() const;

 private:
  Configuration configuration() const;

  std::vector<CLI::Option*> options_;
  CLI::Option* out_;
  CLI::Option* force_;
  std::optional<AnswerFlags> output_;
};

}  // namespace trainyard::app
