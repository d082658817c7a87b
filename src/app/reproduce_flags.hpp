// The flags of `trainyard reproduce`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/answer.hpp"
#include "app/commands.hpp"

namespace trainyard::app {

class ReproduceFlags {
 public:
  explicit ReproduceFlags(CLI::App& command);

  /// Throws UsageError.
  ReproduceQuestion question() const;

  /// "note: --X has no effect: REASON".
  std::vector<std::string> notes() const;

 private:
  CLI::Option *name_, *data_dir_;
  std::optional<AnswerFlags> output_;  // last in the help
};

}  // namespace trainyard::app
