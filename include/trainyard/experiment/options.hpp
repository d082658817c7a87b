// The one table of options: each row is a flag, a TOML key and a line of --help.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/experiment/configuration.hpp"

namespace trainyard {

struct Option {
  std::string section;   // of the TOML file
  std::string name;      // "target-loss": the flag is --target-loss, the key target-loss
  std::string argument;  // how the value is written, for --help; empty for a switch (true or false)
  std::string help;
  /// Throws UsageError beginning with `what`, which says where the text comes from.
  std::function<void(Configuration&, std::string_view text, std::string_view what)> set;
  /// The text that set() reads back to the same value; empty when the option is not set.
  std::function<std::string(const Configuration&)> get;
  /// TOML writes it bare (a number, true) instead of in quotes.
  bool bare = false;
  /// Where results go, and whether they may overwrite others, is no part of what was run: a
  /// resolved configuration that is fed back must not fall over the results beside it.
  bool describes_run = true;
};

const std::vector<Option>& options();
/// REQUIRES: there is one.
const Option& option_named(std::string_view name);

/// Reads a TOML file into `configuration`. Throws UsageError: "FILE:LINE: what was found; what is
/// accepted".
void read_configuration(const std::filesystem::path& file, Configuration& configuration);

/// The configuration as TOML: every option that is set and describes the run. Reading it back gives
/// the same run.
std::string configuration_text(const Configuration& configuration);

}  // namespace trainyard
