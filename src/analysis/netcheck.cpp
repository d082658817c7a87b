#include "trainyard/analysis/netcheck.hpp"

#include <algorithm>

#include "trainyard/base/aligned_buffer.hpp"
#include "trainyard/hardware/machine.hpp"
#include "trainyard/runtime/rank.hpp"

namespace trainyard {

namespace {

/// When each worker began and ended each repetition.
struct Stopwatch {
  std::vector<Time> began, ended;  // [repetition × worker]
};

/// From the first worker's beginning to the last one's end, for each repetition, in order of
/// length.
std::vector<double> durations(const Stopwatch& watch, int workers) {
  std::vector<double> seconds;
  const auto n = static_cast<std::ptrdiff_t>(workers);
  for (std::size_t i = 0; i < watch.began.size(); i += static_cast<std::size_t>(workers)) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    const Time first = *std::min_element(watch.began.begin() + at, watch.began.begin() + at + n);
    const Time last = *std::max_element(watch.ended.begin() + at, watch.ended.begin() + at + n);
    seconds.push_back(to_seconds(last - first));
  }
  std::ranges::sort(seconds);
  return seconds;
}

}  // namespace

NetcheckRow netcheck(const AllReduce& way, const NetcheckOptions& options) {
  const int n = options.workers;
  const bool wall = options.time == TimeMode::wall;
  RuntimeSetup setup;
  setup.workers = n;
  setup.servers = way.servers(n, options.servers);
  setup.network = options.network;
  if (wall) {
    const Machine machine = this_machine();
    setup.pinned_to = place_ranks(machine, n + setup.servers, options.placement);
    setup.cores_are_shared = n + setup.servers > machine.cores;
  }
  const auto repetitions = static_cast<std::size_t>(wall ? options.repetitions : 1);
  Stopwatch watch{std::vector<Time>(repetitions * static_cast<std::size_t>(n)), {}};
  watch.ended = watch.began;

  const auto program = [&](Rank& rank) {
    auto vector = AlignedBuffer<float>::zeroed(rank.rank() < n ? options.length : 0);
    rank.begin();
    if (rank.rank() >= n) {
      way.serve(rank, Scalar::float32, options.length);
      return;
    }
    for (std::size_t r = 0; r < repetitions; ++r) {
      const std::size_t place =
          r * static_cast<std::size_t>(n) + static_cast<std::size_t>(rank.rank());
      rank.barrier();
      watch.began[place] = rank.now();
      all_reduce_sum(rank, vector.span(), way);
      watch.ended[place] = rank.now();
    }
  };
  const RuntimeReport report = wall ? run_wall(setup, program) : run_virtual(setup, program);

  NetcheckRow row;
  row.collective = way.name;
  row.workers = n;
  for (int w = 0; w < n; ++w) {
    const RankAccount& account = report.accounts[static_cast<std::size_t>(w)];
    row.messages_per_rank = std::max(row.messages_per_rank, account.messages_sent / repetitions);
    row.bytes_per_rank = std::max(row.bytes_per_rank, account.bytes_sent / repetitions);
  }
  const std::vector<double> seconds = durations(watch, n);
  row.closed_form_s =
      to_seconds(way.duration(n, options.servers, options.length, FloatMessages{options.network}));
  row.measured_s = seconds[seconds.size() / 2];
  row.measured_p99_s = seconds[(seconds.size() - 1) * 99 / 100];
  if (row.closed_form_s > 0.0 || row.measured_s > 0.0) {
    row.ratio = row.measured_s / row.closed_form_s;
  }
  return row;
}

}  // namespace trainyard
