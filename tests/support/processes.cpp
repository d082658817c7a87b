#include "support/processes.hpp"

#include <cstdlib>

#include <fmt/format.h>

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard::test {

namespace {

/// OpenMPI's: tests run as root in a container, and on fewer cores than there are ranks, and to
/// look for fast networks takes a fifth of a short run. It leaves 3,000 allocations of its own to
/// the end of a process, which AddressSanitizer takes for leaks.
constexpr const char* environment =
    "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
    "OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_pml=ob1 "
    "ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0";

/// When it has lost a rank it kills the others a second after it has told them, whether they have
/// put down what there is or not, and a second may not do where others want the machine too. It
/// sleeps for all of that time. By OpenMPI 4's name, and by 5's.
constexpr const char* time_to_put_down =
    "OMPI_MCA_odls_base_sigkill_timeout=5 PRTE_MCA_odls_base_sigkill_timeout=5";

std::string set_or(const char* variable, const char* otherwise) {
  const char* set = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe): nobody sets it
  return set != nullptr ? set : otherwise;
}

// Of this build; or of another one, to test another MPI.
std::string program() {
  return set_or("TRAINYARD_MPI_PROGRAM", TRAINYARD_MPI_PROGRAM);
}
std::string launcher() {
  return set_or("TRAINYARD_MPIRUN", "mpirun");
}

std::string command(int processes, const std::string& arguments) {
  return fmt::format("{} timeout 120 {} -np {} '{}' {}", environment, launcher(), processes,
                     program(), arguments);
}

/// Once the file has so many lines, those processes get the signal of which a variable of their
/// environment, whole, is like `which`. (A signal to mpirun has it kill them all a second later.)
ShellOutcome run_processes_signalled(int processes, const std::filesystem::path& file, int lines,
                                     const std::string& arguments, const char* signal,
                                     const std::string& which) {
  // Environments tell the processes of this run from others, and one rank from another.
  return shell(fmt::format(
      "export {} {} TRAINYARD_TEST_RUN=$$; timeout 60 {} -np {} '{}' {} & run=$!; "
      "until [ $(cat '{}' 2>/dev/null | wc -l) -ge {} ] || ! kill -0 $run; do sleep 0.1; done; "
      "for pid in $(pgrep -x trainyard-mpi); do "
      "[ $(tr '\\0' '\\n' < /proc/$pid/environ | grep -cxE '{}|TRAINYARD_TEST_RUN='$$) != 2 ] || "
      "kill -{} $pid; done; wait $run",
      environment, time_to_put_down, launcher(), processes, program(), arguments, file.string(),
      lines, which, signal));
}

constexpr const char* is_any_rank = "OMPI_COMM_WORLD_RANK=.*|PMI_RANK=.*";

std::string is_rank(int rank) {
  return fmt::format("OMPI_COMM_WORLD_RANK={0}|PMI_RANK={0}", rank);
}

nlohmann::json summary(const std::string& command) {
  const TemporaryFolder folder;
  const auto errors = folder.write("errors", "");
  const ShellOutcome outcome = shell(command + " --json 2>" + quoted_path(errors));
  INFO(command << " ended with " << outcome.status << " and printed " << outcome.output << " and "
               << shell("cat " + quoted_path(errors)).output);
  auto printed = nlohmann::json::parse(outcome.output, nullptr, false);
  REQUIRE_FALSE(printed.is_discarded());
  return printed;
}

}  // namespace

bool has_processes() {
  const bool there = !program().empty() && shell("command -v " + launcher()).status == 0;
  if (!there) WARN("skipped: no trainyard-mpi; scripts/install_dependencies.sh --mpi");
  return there;
}

ShellOutcome run_processes(int processes, const std::string& arguments) {
  return shell(command(processes, arguments));
}

ShellOutcome run_unlike_processes(const std::vector<std::string>& command_lines) {
  std::string processes;
  for (const std::string& line : command_lines) {
    processes += fmt::format("{} -np 1 '{}' {}", processes.empty() ? "" : " :", program(), line);
  }
  return shell(fmt::format("{} timeout 120 {} {}", environment, launcher(), processes));
}

ShellOutcome run_pair_without_memory(int short_of_it, int megabytes, const std::string& arguments) {
  const std::string full = fmt::format("-np 1 '{}' {}", program(), arguments);
  const std::string limited = fmt::format("-np 1 sh -c 'ulimit -v {}; exec \"{}\" {}'",
                                          megabytes * 1000, program(), arguments);
  return shell(fmt::format("{} timeout 90 {} {} : {}", environment, launcher(),
                           short_of_it == 0 ? limited : full, short_of_it == 0 ? full : limited));
}

ShellOutcome run_processes_losing(int processes, int lost, const std::filesystem::path& file,
                                  int lines, const std::string& arguments) {
  return run_processes_signalled(processes, file, lines, arguments, "KILL", is_rank(lost));
}

ShellOutcome run_processes_killed(int processes, const std::filesystem::path& file, int lines,
                                  const std::string& arguments) {
  return run_processes_signalled(processes, file, lines, arguments, "KILL", is_any_rank);
}

ShellOutcome run_processes_interrupted(int processes, const std::filesystem::path& file,
                                       const std::string& arguments) {
  return run_processes_signalled(processes, file, 1, arguments, "TERM", is_any_rank);
}

ShellOutcome run_processes_interrupted_at(int rank, int processes,
                                          const std::filesystem::path& file,
                                          const std::string& arguments) {
  return run_processes_signalled(processes, file, 1, arguments, "TERM", is_rank(rank));
}

std::optional<ShellOutcome> run_processes_with_clocks(const std::vector<int>& ahead,
                                                      const std::string& arguments) {
  if (shell("unshare --time --monotonic 1 --fork true").status != 0) return std::nullopt;
  std::string processes;
  for (const int seconds : ahead) {
    processes += fmt::format("{} -np 1 unshare --time --monotonic {} --fork '{}' {}",
                             processes.empty() ? "" : " :", seconds, program(), arguments);
  }
  return shell(fmt::format("{} timeout 120 {} {}", environment, launcher(), processes));
}

nlohmann::json summary_of_processes(int processes, const std::string& arguments) {
  return summary(command(processes, "run " + arguments));
}

nlohmann::json summary_of_simulation(const std::string& arguments, const std::string& times) {
  return summary(fmt::format("'{}' run --time virtual {} {}", TRAINYARD_PROGRAM, times, arguments));
}

}  // namespace trainyard::test
