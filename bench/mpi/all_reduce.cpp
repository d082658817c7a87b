// Time of an all-reduce by Trainyard's own collective over MPI: trainyard_mpi_all_reduce NAME TIMES
// BYTES...
//
// Prints what bench/peers/openmpi.cpp prints of MPI_Allreduce, and times it alike: some to warm up,
// a barrier, then so many in a row that they take about 50 ms; their mean in the slowest rank; the
// median of TIMES such.
#include "trainyard/collective/all_reduce.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <mpi.h>

#include "trainyard/app/mpi_program.hpp"
#include "trainyard/base/aligned_buffer.hpp"
#include "trainyard/collective/own_all_reduce.hpp"
#include "trainyard/runtime/mpi.hpp"

namespace trainyard {
namespace {

double seconds_each(Rank& rank, const AllReduce& way, std::size_t length, int repetitions) {
  auto vector = AlignedBuffer<float>::zeroed(length);
  for (int i = 0; i < 1 + repetitions / 10; ++i) way.sum(rank, vector.span());
  rank.barrier();
  const double began = MPI_Wtime();
  for (int i = 0; i < repetitions; ++i) way.sum(rank, vector.span());
  const double took = MPI_Wtime() - began;
  double longest = 0.0;
  MPI_Allreduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return longest / repetitions;
}

void measure(Rank& rank, const AllReduce& way, int times, const std::vector<long>& sizes) {
  rank.begin();
  for (const long bytes : sizes) {
    const double likely_us = 1.0 + static_cast<double>(bytes) * rank.workers() / 20000.0;
    const int repetitions = std::clamp(static_cast<int>(50000.0 / likely_us), 5, 20000);
    std::vector<double> seconds;
    for (int i = 0; i < times; ++i) {
      seconds.push_back(
          seconds_each(rank, way, static_cast<std::size_t>(bytes) / sizeof(float), repetitions));
    }
    std::ranges::sort(seconds);
    if (rank.rank() == 0) std::printf("%ld %.9f\n", bytes, seconds[seconds.size() / 2]);
  }
}

void run(const AllReduce& way, int times, const std::vector<long>& sizes) {
  const auto processes = mpi_processes();
  RuntimeSetup setup;
  setup.workers = processes->size();
  processes->divide(setup.workers, setup.workers);
  RunState state(ModelLayout{.workers = setup.workers});
  const StepRule rule{.workers = setup.workers};
  const std::atomic<bool> interrupted{false};
  const auto look = [](const Snapshot&) { return false; };
  const auto process =
      processes->join(setup, rule, state, look, {.flag = interrupted, .interrupt = {}});
  (void)process->run([&](Rank& rank) { measure(rank, way, times, sizes); });
}

}  // namespace
}  // namespace trainyard

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  trainyard::add_all_reduce(trainyard::library_all_reduce(), trainyard::SpeaksTo::all_workers);
  std::vector<long> sizes;
  for (int a = 3; a < argc; ++a) sizes.push_back(std::atol(argv[a]));
  trainyard::run(trainyard::find_all_reduce(argc > 1 ? argv[1] : "ring"),
                 argc > 2 ? std::max(1, std::atoi(argv[2])) : 1, sizes);
  MPI_Finalize();
}
