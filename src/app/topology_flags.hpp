// The flags of `trainyard topology` and `trainyard consensus`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/answer.hpp"
#include "app/commands.hpp"

namespace trainyard::app {

class TopologyFlags {
 public:
  explicit TopologyFlags(CLI::App& command);

  /// Throws UsageError.
  TopologyQuestion question() const;

  /// "note: --X has no effect: REASON" for each flag that is given in vain.
  std::vector<std::string> notes() const;

 private:
  CLI::Option *name_, *workers_, *seed_, *size_;
  std::optional<AnswerFlags> output_;  // last in the help
};

class ConsensusFlags {
 public:
  explicit ConsensusFlags(CLI::App& command);

  /// Throws UsageError.
  ConsensusQuestion question() const;

  /// As TopologyFlags::notes().
  std::vector<std::string> notes() const;

 private:
  CLI::Option *topology_, *workers_, *seed_, *rounds_, *from_;
  std::optional<AnswerFlags> output_;
};

}  // namespace trainyard::app
