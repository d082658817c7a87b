#include "trainyard/app/mpi_program.hpp"

#include <cstdio>
#include <utility>

#include <mpi.h>

#include "trainyard/app/program.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/collective/own_all_reduce.hpp"
#include "trainyard/runtime/mpi.hpp"

namespace trainyard {

namespace {

/// All processes have the same command line, and would all complain.
void be_silent() {
  for (std::FILE* stream : {stdout, stderr}) {
    if (std::freopen("/dev/null", "w", stream) == nullptr) return;
  }
}

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

int run_mpi_program(int argc, char** argv, std::vector<Scheme> own_schemes) {
  MPI_Init(&argc, &argv);
  int status = 0;
  bool leads = true;
  add_all_reduce(library_all_reduce(), SpeaksTo::all_workers);
  {
    const auto processes = mpi_processes();
    leads = processes->leads();
    if (!leads) be_silent();
    status = run_program(argc, argv, std::move(own_schemes), processes.get());
    // One is gone, and nothing that all of them do together would ever end.
    if (processes->is_broken()) MPI_Abort(MPI_COMM_WORLD, status);
  }
  MPI_Finalize();
  return leads ? status : 0;
}

}  // namespace trainyard
