#include "trainyard/app/mpi_program.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trainyard/app/program.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/standard_streams.hpp"
#include "trainyard/collective/own_all_reduce.hpp"
#include "trainyard/runtime/mpi.hpp"

namespace trainyard {

namespace {

/// All processes have the same command line, and would all complain: what this one says is kept,
/// for when nobody else can say it.
class Silence {
 public:
  /// REQUIRES: standard streams are open.
  Silence() : error_(dup(STDERR_FILENO)), kept_(memfd_create("trainyard says", MFD_CLOEXEC)) {
    std::fflush(nullptr);
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    dup2(nowhere, STDOUT_FILENO);
    dup2(kept_ >= 0 ? kept_ : nowhere, STDERR_FILENO);
    close(nowhere);
  }
  ~Silence() {
    close(kept_);
    close(error_);
  }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

  /// The last of it, on the standard error that there was before.
  void end(const Processes& processes) {
    std::array<char, 1024> kept{};
    const off_t size = lseek(kept_, 0, SEEK_END);
    const off_t from = std::max<off_t>(0, size - static_cast<off_t>(kept.size()));
    const ssize_t read = std::max<ssize_t>(0, pread(kept_, kept.data(), kept.size(), from));
    dup2(error_, STDERR_FILENO);
    constexpr std::string_view program = "trainyard: ";
    std::string_view text(kept.data(), static_cast<std::size_t>(read));
    if (text.starts_with(program)) text.remove_prefix(program.size());
    const auto rank = static_cast<std::size_t>(processes.rank());
    say(fmt::format("{}rank {} on {}: {}", program, rank, processes.hosts().names[rank], text));
  }

 private:
  int error_, kept_;
};

int no_servers(int /*workers*/, int /*wanted*/) {
  return 0;
}

Duration no_closed_form(int /*workers*/, int /*wanted*/, std::size_t /*length*/,
                        MessageTime /*message*/) {
  throw OptionError("collective", "mpi", "what the MPI library sends is its own, and not known");
}

}  // namespace

AllReduce library_all_reduce() {
  return {.name = "mpi",
          .summary = "what the MPI library takes for its MPI_Iallreduce",
          .time = "the library's own",
          .source = "MPI 3.0",
          .sum = mpi_all_reduce_sum,
          .servers = no_servers,
          .duration = no_closed_form};
}

int run_mpi_program(int argc, char** argv, const std::vector<SchemeMaker>& own_schemes) {
  keep_standard_streams_open();
  MPI_Init(&argc, &argv);
  int status = 0;
  bool leads = true;
  add_all_reduce(library_all_reduce(), SpeaksTo::all_workers);
  {
    const auto processes = mpi_processes();
    leads = processes->leads();
    std::optional<Silence> silence;
    if (!leads) silence.emplace();
    status = run_program(argc, argv, own_schemes, processes.get());
    const ProcessState state = processes->state();
    if (state == ProcessState::waited_for && silence) silence->end(*processes);
    // Nothing that all of them do together would ever end.
    if (state != ProcessState::together) MPI_Abort(MPI_COMM_WORLD, status);
  }
  MPI_Finalize();
  return leads ? status : 0;
}

}  // namespace trainyard
