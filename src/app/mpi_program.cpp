#include "trainyard/app/mpi_program.hpp"

#include <cstdio>
#include <utility>

#include <mpi.h>

#include "trainyard/app/program.hpp"
#include "trainyard/runtime/mpi.hpp"

namespace trainyard {

namespace {

/// All processes have the same command line, and would all complain.
void be_silent() {
  for (std::FILE* stream : {stdout, stderr}) {
    if (std::freopen("/dev/null", "w", stream) == nullptr) return;
  }
}

}  // namespace

int run_mpi_program(int argc, char** argv, std::vector<Scheme> own_schemes) {
  MPI_Init(&argc, &argv);
  int status = 0;
  bool leads = true;
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
