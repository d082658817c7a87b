#include "trainyard/analysis/netcheck.hpp"

#include <algorithm>
#include <optional>

#include "trainyard/base/aligned_buffer.hpp"
#include "trainyard/collective/own_all_reduce.hpp"
#include "trainyard/hardware/machine.hpp"
#include "trainyard/hardware/processor_quota.hpp"
#include "trainyard/runtime/rank_wrapper.hpp"

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

/// Sends and receives lengths without contents. In simulated time that is all that matters, and
/// eight workers' vectors of 400 MB, each sent a dozen times, took 40 seconds and 3 GB. Vectors are
/// spoken of and never looked at.
class LengthsAlone final : public RankWrapper {
 public:
  using RankWrapper::RankWrapper;

  std::uint64_t receive_into(int from, Vector /*into*/) override { return receive(from).tag(); }
  void receive_add(int from, Vector /*sum*/) override { (void)receive(from); }
  void lend(int to, ConstVector payload) override { send(to, payload); }
  void reclaim(bool /*in_distress*/) noexcept override {}

 private:
  void post(int to, std::span<const std::byte> bytes, Payload payload, std::uint64_t tag) override {
    constexpr const std::byte* nowhere = nullptr;
    RankWrapper::post(to, {nowhere, bytes.size()}, payload, tag);
  }
};

/// One timed operation, which all workers begin at the same time.
struct Exchange {
  std::string name;
  int servers = 0;
  FunctionRef<void(Rank&, Vector)> part;
  FunctionRef<void(Rank&)> serve;
  Duration closed_form;
  bool looks_at_vectors = false;  // beyond their lengths
};

NetcheckRow time_exchange(const Exchange& exchange, const NetcheckOptions& options) {
  const int n = options.workers;
  const bool wall = options.time == TimeMode::wall;
  RuntimeSetup setup;
  setup.workers = n;
  setup.servers = exchange.servers;
  setup.network = options.network;
  if (wall) {
    const Machine machine = this_machine();
    setup.pinned_to = place_ranks(machine, n + setup.servers, options.placement);
    setup.cores_are_shared =
        !has_core_for_each(n + setup.servers, machine.cores, processor_quota());
  }
  const auto repetitions = static_cast<std::size_t>(wall ? options.repetitions : 1);
  Stopwatch watch{std::vector<Time>(repetitions * static_cast<std::size_t>(n)), {}};
  watch.ended = watch.began;

  const bool lengths_alone = !wall && !exchange.looks_at_vectors;
  AlignedBuffer<float> never_touched(lengths_alone ? options.length : 0);
  const auto program = [&](Rank& bare) {
    std::optional<LengthsAlone> weightless;
    if (lengths_alone) weightless.emplace(bare);
    Rank& rank = weightless ? *weightless : bare;
    const bool has_own = !lengths_alone && rank.rank() < n;
    auto own = AlignedBuffer<float>::zeroed(has_own ? options.length : 0);
    rank.begin();
    if (rank.rank() >= n) {
      exchange.serve(rank);
      return;
    }
    const Vector vector = lengths_alone ? never_touched.span() : own.span();
    for (std::size_t r = 0; r < repetitions; ++r) {
      const std::size_t place =
          r * static_cast<std::size_t>(n) + static_cast<std::size_t>(rank.rank());
      rank.barrier();
      watch.began[place] = rank.now();
      exchange.part(rank, vector);
      watch.ended[place] = rank.now();
    }
  };
  const RuntimeReport report = wall ? run_wall(setup, program) : run_virtual(setup, program);

  NetcheckRow row;
  row.collective = exchange.name;
  row.workers = n;
  for (int w = 0; w < n; ++w) {
    const RankAccount& account = report.accounts[static_cast<std::size_t>(w)];
    row.messages_per_rank = std::max(row.messages_per_rank, account.messages_sent / repetitions);
    row.bytes_per_rank = std::max(row.bytes_per_rank, account.bytes_sent / repetitions);
  }
  const std::vector<double> seconds = durations(watch, n);
  row.closed_form_s = to_seconds(exchange.closed_form);
  row.measured_s = seconds[seconds.size() / 2];
  row.measured_p99_s = seconds[(seconds.size() - 1) * 99 / 100];
  if (row.closed_form_s > 0.0 || row.measured_s > 0.0) {
    row.ratio = row.measured_s / row.closed_form_s;
  }
  return row;
}

}  // namespace

bool depends_on_servers(std::string_view collective) {
  if (find_primitive(collective) != nullptr) return false;
  const AllReduce& way = find_all_reduce(collective);
  return way.servers(2, 1) != way.servers(2, 2);
}

NetcheckRow netcheck(const AllReduce& way, const NetcheckOptions& options) {
  const int n = options.workers;
  return time_exchange(
      {.name = way.name,
       .servers = way.servers(n, options.servers),
       .part = [&](Rank& rank, Vector vector) { all_reduce_sum(rank, vector, way); },
       .serve = [&](Rank& rank) { way.serve(rank, Scalar::float32, options.length); },
       .closed_form =
           way.duration(n, options.servers, options.length, FloatMessages{options.network}),
       // One that somebody brought may look at what it receives.
       .looks_at_vectors = !is_published(way)},
      options);
}

NetcheckRow netcheck(const Primitive& primitive, const NetcheckOptions& options) {
  NetcheckOptions charged = options;
  charged.network.charge_control = options.network.charge_control || primitive.control;
  return time_exchange({.name = primitive.name,
                        .part = [&](Rank& rank, Vector vector) { primitive.run(rank, vector); },
                        .serve = [](Rank& /*rank*/) {},
                        .closed_form = primitive.duration(options.workers, options.length,
                                                          FloatMessages{charged.network})},
                       charged);
}

}  // namespace trainyard
