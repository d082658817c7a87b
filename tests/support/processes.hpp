// Runs of trainyard-mpi, and the same ones in simulated time.
#pragma once

#include <filesystem>
#include <string>

#include <nlohmann/json.hpp>

#include "support/shell.hpp"

namespace trainyard::test {

/// Whether trainyard-mpi was built and mpirun is there; warns where not, for a test to return.
bool has_processes();

/// mpirun with so many processes, whatever the number of cores. Errors come with the output.
ShellOutcome run_processes(int processes, const std::string& arguments);

/// One of them is killed once that file has so many lines, and the others are waited for a minute.
ShellOutcome run_processes_losing(int processes, int lost, const std::filesystem::path& file,
                                  int lines, const std::string& arguments);

/// The summary that it prints. Fails the test where there is none.
nlohmann::json summary_of_processes(int processes, const std::string& arguments);
/// Of `trainyard run --time virtual`, on a perfect network.
nlohmann::json summary_of_simulation(const std::string& arguments);

}  // namespace trainyard::test
