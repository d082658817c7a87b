// The flags of `trainyard export`.
#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/commands.hpp"

namespace trainyard::app {

class ExportFlags {
 public:
  explicit ExportFlags(CLI::App& command);

  /// Throws UsageError.
  ExportQuestion question() const;

 private:
  CLI::Option *folder_, *to_, *out_, *force_;
};

}  // namespace trainyard::app
