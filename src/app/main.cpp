#include "trainyard/app/program.hpp"

int main(int argc, char** argv) {
  return trainyard::run_program(argc, argv);
}
