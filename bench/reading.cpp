// How fast a data file becomes rows in memory: the file that TRAINYARD_BENCH_FILE names, whole,
// from the operating system's cache.
//
// What to compare with: scikit-learn's load_svmlight_file reads 0.06 GB/s, liblinear-train 0.1;
// memory is filled at about 10 GB/s a core.
#include <cstdlib>
#include <filesystem>
#include <limits>

#include <benchmark/benchmark.h>
#include <tbb/global_control.h>

#include "trainyard/data/read.hpp"

namespace trainyard {
namespace {

/// The argument is the number of threads; 0: as many as there are cores.
void read_file(benchmark::State& state) {
  const char* file = std::getenv("TRAINYARD_BENCH_FILE");
  if (file == nullptr) {
    state.SkipWithError("TRAINYARD_BENCH_FILE names no file");
    return;
  }
  const auto threads = static_cast<std::size_t>(state.range(0));
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  threads > 0 ? threads : std::numeric_limits<int>::max());
  ReadOptions options;
  options.format = guess_format(file);
  // A virtual machine's host may have taken back the memory that is free, and gives it again page
  // by page: reading 1.1 GB then takes 2.2 s instead of 1.0. Once, untimed, it does so here.
  benchmark::DoNotOptimize(read_dataset(file, options));
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(read_dataset(file, options));
  const auto bytes = static_cast<double>(std::filesystem::file_size(file));
  state.counters["B/s"] = {bytes, benchmark::Counter::kIsIterationInvariantRate};
}
BENCHMARK(read_file)->Arg(1)->Arg(0)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace trainyard
