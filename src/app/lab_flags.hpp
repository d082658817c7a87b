// The flags of `lab`.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/commands.hpp"

namespace trainyard::app {

class LabFlags {
 public:
  /// Adds the flags to `command`.
  explicit LabFlags(CLI::App& command);

  /// The lab that the command line asks for. Throws UsageError.
  LabPlace place() const;

  /// "note: --X has no effect: REASON" for each flag that is given in vain.
  std::vector<std::string> notes() const;

 private:
  CLI::Option *name_, *port_, *network_, *export_, *untold_, *force_, *quiet_;
};

}  // namespace trainyard::app
