// The flags of `trainyard score`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/commands.hpp"

namespace trainyard::app {

class ScoreFlags {
 public:
  explicit ScoreFlags(CLI::App& command);

  /// Throws UsageError.
  ScoreQuestion question() const;

  /// "note: --X has no effect: REASON" for each flag that is given in vain.
  std::vector<std::string> notes() const;

 private:
  CLI::Option *folder_, *file_, *format_, *labels_, *without_labels_, *weight_column_, *out_,
      *html_, *force_, *json_;
};

}  // namespace trainyard::app
