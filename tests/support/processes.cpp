#include "support/processes.hpp"

#include <fmt/format.h>

#include "support/catch.hpp"

namespace trainyard::test {

namespace {

/// OpenMPI's: tests run as root in a container, and on fewer cores than there are ranks. It leaves
/// 3,000 allocations of its own to the end of a process, which AddressSanitizer takes for leaks.
constexpr const char* environment =
    "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
    "OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none "
    "ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0";

std::string command(int processes, const std::string& arguments) {
  return fmt::format("{} timeout 120 mpirun -np {} '{}' {}", environment, processes,
                     TRAINYARD_MPI_PROGRAM, arguments);
}

nlohmann::json summary(const std::string& command) {
  const ShellOutcome outcome = shell(command + " --json 2>/dev/null");
  INFO(command << " ended with " << outcome.status << " and printed " << outcome.output);
  const auto printed = nlohmann::json::parse(outcome.output, nullptr, false);
  REQUIRE_FALSE(printed.is_discarded());
  return printed;
}

}  // namespace

bool has_processes() {
  const bool built = std::string(TRAINYARD_MPI_PROGRAM) != "";
  const bool there = built && shell("command -v mpirun").status == 0;
  if (!there) WARN("skipped: no trainyard-mpi; scripts/install_dependencies.sh --mpi");
  return there;
}

ShellOutcome run_processes(int processes, const std::string& arguments) {
  return shell(command(processes, arguments));
}

ShellOutcome run_processes_losing(int processes, int lost, const std::filesystem::path& file,
                                  int lines, const std::string& arguments) {
  // Environments tell the processes of this run from others, and one rank from another.
  return shell(fmt::format(
      "export {} TRAINYARD_TEST_RUN=$$; timeout 60 mpirun -np {} '{}' {} & run=$!; "
      "until [ $(cat '{}' 2>/dev/null | wc -l) -ge {} ] || ! kill -0 $run; do sleep 0.1; done; "
      "for pid in $(pgrep -x trainyard-mpi); do "
      "[ $(tr '\\0' '\\n' < /proc/$pid/environ | grep -cx -e OMPI_COMM_WORLD_RANK={} "
      "-e TRAINYARD_TEST_RUN=$$) != 2 ] || kill -9 $pid; done; wait $run",
      environment, processes, TRAINYARD_MPI_PROGRAM, arguments, file.string(), lines, lost));
}

nlohmann::json summary_of_processes(int processes, const std::string& arguments) {
  return summary(command(processes, "run " + arguments));
}

nlohmann::json summary_of_simulation(const std::string& arguments) {
  return summary(fmt::format(
      "'{}' run --time virtual --compute-time 1ms --latency 0us --bandwidth infinite {}",
      TRAINYARD_PROGRAM, arguments));
}

}  // namespace trainyard::test
