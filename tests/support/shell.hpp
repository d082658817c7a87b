// A command of the shell, for tests of scripts and of what is installed.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace trainyard::test {

struct ShellOutcome {
  int status;
  std::string output;  // standard output and standard error
};

/// Throws std::runtime_error where there is no shell; may be called by any thread.
ShellOutcome shell(const std::string& command);

/// The outcomes of commands that wait more than they compute, four at a time, in their order. They
/// check nothing: Catch2 counts on one thread.
std::vector<ShellOutcome> at_once(const std::vector<std::function<ShellOutcome()>>& commands);

std::string quoted_path(const std::filesystem::path& path);

}  // namespace trainyard::test
