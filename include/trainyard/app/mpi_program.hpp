// The whole program `trainyard-mpi`, for a main() of one's own that has schemes to add:
//
//   int main(int argc, char** argv) { return trainyard::run_mpi_program(argc, argv, {my_scheme});
//   }
//
// Threads: the main one, once in each process: it initialises and finalises MPI.
#pragma once

#include <vector>

#include "trainyard/app/program.hpp"
#include "trainyard/collective/all_reduce.hpp"

namespace trainyard {

/// The row `mpi` of the table of collectives: the sum that the library itself takes. It has no
/// closed form. For a main() that does not go through run_mpi_program().
AllReduce library_all_reduce();

/// run_program() with the processes that mpirun has started. Returns the exit status of the process
/// of rank 0, which alone says anything; that of the others is 0. The table of collectives has
/// library_all_reduce() besides.
int run_mpi_program(int argc, char** argv, const std::vector<SchemeMaker>& own_schemes = {});

}  // namespace trainyard
