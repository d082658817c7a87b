// Ranks as processes that MPI has started, over its two-sided messages. In a library of its own,
// trainyard_mpi, built where MPI is found.
//
//   MPI_Init(&argc, &argv);
//   {
//     const auto processes = trainyard::mpi_processes();
//     status = trainyard::run_program(argc, argv, {my_scheme()}, processes.get());
//   }
//   MPI_Finalize();
//
// Threads: the main one of each process.
#pragma once

#include <memory>

#include "trainyard/runtime/processes.hpp"

namespace trainyard {

/// All processes of MPI_COMM_WORLD. REQUIRES: MPI is initialised, and is finalised after what is
/// returned is destroyed. Called by all.
std::unique_ptr<Processes> mpi_processes();

}  // namespace trainyard
