// A command of the shell, for tests of scripts and of what is installed.
#pragma once

#include <filesystem>
#include <string>

namespace trainyard::test {

struct ShellOutcome {
  int status;
  std::string output;  // standard output and standard error
};

ShellOutcome shell(const std::string& command);

std::string quoted_path(const std::filesystem::path& path);

}  // namespace trainyard::test
