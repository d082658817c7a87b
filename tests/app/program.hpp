// Runs the built program as a user does.
#pragma once

#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

namespace trainyard {

struct Outcome {
  int status = 0;  // as a shell would see it: 128 + signal when killed by one
  std::string output, errors;
};

struct ProgramOptions {
  std::filesystem::path folder{};  // where it runs; empty: here
  std::filesystem::path output{};  // where standard output goes; empty: into Outcome::output
  bool one_core = false;           // bound to the first core that it may use
  std::string signal_after{};      // sends `signal` once standard error holds this; empty: never
  int signal = SIGINT;
  int signals = 1;          // so many of them, at once
  int ignored = 0;          // a signal that is ignored when the program begins, as by nohup
  std::string processor{};  // as qemu-x86_64 -cpu names it, which then runs it; empty: this one
};

Outcome run_program(const std::vector<std::string>& arguments, const ProgramOptions& options = {});

/// Runs lines of the shell in `folder`, in which $P is the program.
Outcome run_script(const std::string& script, const std::filesystem::path& folder);

}  // namespace trainyard
