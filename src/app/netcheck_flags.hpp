// The flags of `trainyard netcheck`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "trainyard/analysis/netcheck.hpp"

#include "app/answer.hpp"

namespace trainyard::app {

class NetcheckFlags {
 public:
  explicit NetcheckFlags(CLI::App& command);

  /// Throw UsageError.
  NetcheckOptions options() const;
  std::vector<std::string> collectives() const;
  AnswerOutput output() const;

  /// "note: --X has no effect: REASON" for each flag that is given in vain.
  std::vector<std::string> notes() const;

 private:
  std::vector<CLI::Option*> options_;  // each named as in the table of options
  CLI::Option* size_;
  CLI::Option* repetitions_;
  CLI::Option* collectives_;
  std::optional<AnswerFlags> output_;  // last in the help
};

}  // namespace trainyard::app
