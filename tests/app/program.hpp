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
  std::string processor{};  // as qemu-x86_64 -cpu names it, which then runs it; empty: this one
};

Outcome run_program(const std::vector<std::string>& arguments, const ProgramOptions& options = {});

}  // namespace trainyard
