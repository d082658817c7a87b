// Ranks as processes that MPI has started, over its two-sided messages. In a library of its own,
// trainyard_mpi, built where MPI is found.
//
//   MPI_Init(&argc, &argv);
//   {
//     const auto processes = trainyard::mpi_processes();
//     status = trainyard::run_program(argc, argv, {my_scheme}, processes.get());
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

/// A worker's part in a sum by the library's own MPI_Iallreduce, as all_reduce.hpp has parts:
/// called by all workers at the same point, with equal lengths. What the library sends is out of
/// sight; of each worker one message is counted, of the whole vector, which is what it hands over.
/// Throws UsageError where `comm` is no rank of a run over MPI, as a group of its workers.
void mpi_all_reduce_sum(Communicator& comm, Vector vector);

}  // namespace trainyard
