// Time of MPI_Allreduce (float, sum) by size: openmpi REPETITIONS BYTES...
// Prints a line a size: bytes, median in seconds. A repetition is timed from the first rank's
// beginning to the last one's end, after a barrier, as `trainyard netcheck` does it.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int most = std::atoi(argv[1]);
  for (int a = 2; a < argc; ++a) {
    const long bytes = std::atol(argv[a]);
    const int count = static_cast<int>(bytes / static_cast<long>(sizeof(float)));
    // Long vectors: fewer, about 2 GB in all.
    const int repetitions = static_cast<int>(std::clamp(2'000'000'000L / bytes, 20L, static_cast<long>(most)));
    std::vector<float> vector(static_cast<std::size_t>(count), 0.0F);
    std::vector<double> seconds;
    for (int r = -2; r < repetitions; ++r) {
      MPI_Barrier(MPI_COMM_WORLD);
      // One machine, one clock: MPI_Wtime is the same in all ranks.
      const double began = MPI_Wtime();
      MPI_Allreduce(MPI_IN_PLACE, vector.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
      const double ended = MPI_Wtime();
      double first = 0.0, last = 0.0;
      MPI_Reduce(&began, &first, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
      MPI_Reduce(&ended, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
      if (r >= 0) seconds.push_back(last - first);
    }
    std::sort(seconds.begin(), seconds.end());
    if (rank == 0) std::printf("%ld %.9f\n", bytes, seconds[seconds.size() / 2]);
  }
  MPI_Finalize();
}
