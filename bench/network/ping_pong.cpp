// Latency of a message between the first two processes of an MPI job: half of a round trip of four
// bytes, the median of a thousand, in seconds.
#include <algorithm>
#include <cstdio>
#include <vector>

#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<double> seconds;
  float number = 0.0F;
  for (int trip = 0; trip < 1000 && rank < 2; ++trip) {
    const double began = MPI_Wtime();
    if (rank == 0) MPI_Send(&number, 1, MPI_FLOAT, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(&number, 1, MPI_FLOAT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(&number, 1, MPI_FLOAT, 0, 0, MPI_COMM_WORLD);
    seconds.push_back((MPI_Wtime() - began) / 2.0);
  }
  std::sort(seconds.begin(), seconds.end());
  if (rank == 0) std::printf("%.9f\n", seconds[seconds.size() / 2]);
  MPI_Finalize();
  return 0;
}
