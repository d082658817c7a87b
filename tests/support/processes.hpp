// Runs of trainyard-mpi, and the same ones in simulated time.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/shell.hpp"

namespace trainyard::test {

/// Whether trainyard-mpi was built and mpirun is there; warns where not, for a test to return.
bool has_processes();

/// mpirun with so many processes, whatever the number of cores. Errors come with the output.
ShellOutcome run_processes(int processes, const std::string& arguments);

/// A process for each command line.
ShellOutcome run_unlike_processes(const std::vector<std::string>& command_lines);

/// Two, of which that one may have so much memory. They are waited for 30 s.
ShellOutcome run_pair_without_memory(int short_of_it, int megabytes, const std::string& arguments);

/// One of them is killed once that file has so many lines, and the others are waited for a minute.
ShellOutcome run_processes_losing(int processes, int lost, const std::filesystem::path& file,
                                  int lines, const std::string& arguments);

/// All of them are, once that file has so many lines.
ShellOutcome run_processes_killed(int processes, const std::filesystem::path& file, int lines,
                                  const std::string& arguments);

/// Interrupted, as by mpirun, or that one alone, once that file has a line; they are waited for a
/// minute.
ShellOutcome run_processes_interrupted(int processes, const std::filesystem::path& file,
                                       const std::string& arguments);
ShellOutcome run_processes_interrupted_at(int rank, int processes,
                                          const std::filesystem::path& file,
                                          const std::string& arguments);

/// A process for each of these: its steady clock is ahead of this machine's by so many seconds.
/// Empty where that takes a right that these tests do not have.
std::optional<ShellOutcome> run_processes_with_clocks(const std::vector<int>& ahead,
                                                      const std::string& arguments);

/// The summary that it prints. Fails the test where there is none.
nlohmann::json summary_of_processes(int processes, const std::string& arguments);
/// Of `trainyard run --time virtual`; on a perfect network, if nothing else is said.
nlohmann::json summary_of_simulation(
    const std::string& arguments,
    const std::string& times = "--compute-time 1ms --latency 0us --bandwidth infinite");

}  // namespace trainyard::test
