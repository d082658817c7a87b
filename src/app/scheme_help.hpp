// Which flags a command's help shows of those that belong to schemes' own rules: 70 of them stand
// in nobody's way when it is asked for all others.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace trainyard::app {

/// Beneath the flags of a command that has such flags; `named`: how a scheme is named to it.
std::string scheme_help_note(const std::string& named);

/// Makes help that is asked for beside schemes show their flags, and no other scheme's. Which those
/// are is what was given so far for --scheme, --schemes or WHAT, where it is understood.
void show_flags_of_named_schemes(CLI::App& command);

}  // namespace trainyard::app
