#include "trainyard/app/mpi_program.hpp"

int main(int argc, char** argv) {
  return trainyard::run_mpi_program(argc, argv);
}
