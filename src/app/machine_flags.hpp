// The flags of `trainyard machine`.
#pragma once

#include <CLI/CLI.hpp>

#include "app/answer.hpp"
#include "app/commands.hpp"

namespace trainyard::app {

class MachineFlags {
 public:
  explicit MachineFlags(CLI::App& command);

  /// Throws UsageError.
  MachineQuestion question() const;

 private:
  CLI::Option *workers_, *placement_, *measure_;
  AnswerFlags output_;  // last in the help
};

}  // namespace trainyard::app
