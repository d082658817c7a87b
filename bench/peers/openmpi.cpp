// Time of MPI_Allreduce (float, sum, in place), or of MPI_Iallreduce that is polled:
// openmpi waited|polled TIMES BYTES...
//
// Prints a line a size: bytes, seconds. As in bench/collectives.cpp: some to warm up, a barrier,
// then so many in a row that they take about 50 ms; their mean in the slowest rank; the median of
// TIMES such.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <mpi.h>

namespace {

void all_reduce(std::vector<float>& vector, bool polled) {
  const int length = static_cast<int>(vector.size());
  if (!polled) {
    MPI_Allreduce(MPI_IN_PLACE, vector.data(), length, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    return;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(MPI_IN_PLACE, vector.data(), length, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request);
  for (int done = 0; done == 0;) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
}

double seconds_each(std::vector<float>& vector, bool polled, int repetitions) {
  for (int i = 0; i < 1 + repetitions / 10; ++i) all_reduce(vector, polled);
  MPI_Barrier(MPI_COMM_WORLD);
  const double began = MPI_Wtime();
  for (int i = 0; i < repetitions; ++i) all_reduce(vector, polled);
  const double took = MPI_Wtime() - began;
  double longest = 0.0;
  MPI_Allreduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return longest / repetitions;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const bool polled = argc > 1 && std::strcmp(argv[1], "polled") == 0;
  const int times = argc > 2 ? std::max(1, std::atoi(argv[2])) : 1;
  for (int a = 3; a < argc; ++a) {
    const long bytes = std::atol(argv[a]);
    std::vector<float> vector(static_cast<std::size_t>(bytes) / sizeof(float), 0.0F);
    const double likely_us = 1.0 + static_cast<double>(bytes) * ranks / 20000.0;
    const int repetitions = std::clamp(static_cast<int>(50000.0 / likely_us), 5, 20000);
    std::vector<double> seconds;
    for (int i = 0; i < times; ++i) seconds.push_back(seconds_each(vector, polled, repetitions));
    std::sort(seconds.begin(), seconds.end());
    if (rank == 0) std::printf("%ld %.9f\n", bytes, seconds[seconds.size() / 2]);
  }
  MPI_Finalize();
}
