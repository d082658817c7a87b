// Every scheme on threads under pressure: channels of few messages, a slow network, small steps,
// and interrupts at any moment. A run that hangs fails with who waits for whom. No scheme is left
// out. More runs, drawn at random:
//
//   TRAINYARD_SEED=7 TRAINYARD_RUNS=1000 trainyard_tests '[pressure]'
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/training.hpp"

using namespace trainyard;
using namespace std::chrono_literals;
using test::quick;

namespace {

using Clock = std::chrono::steady_clock;

struct Pressure {
  std::size_t channel_capacity = 1;
  std::optional<std::chrono::microseconds> interrupt_after{};  // the first evaluation
  std::optional<bool> cores_are_shared{};                      // else as the machine has it
};

/// An interrupt that comes some time after it was armed.
class Interrupt {
 public:
  explicit Interrupt(std::optional<std::chrono::microseconds> after) : after_(after) {}
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  ~Interrupt() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
  }

  const std::atomic<bool>& flag() const { return flag_; }
  void arm() {
    if (!after_ || thread_.joinable()) return;
    thread_ = std::jthread([this] {
      std::unique_lock lock(mutex_);
      if (changed_.wait_for(lock, *after_, [this] { return over_; })) return;
      came_ = Clock::now();
      flag_ = true;
    });
  }
  /// How long ago it came; 0 where it has not.
  Duration age() {
    const std::lock_guard lock(mutex_);
    return came_ ? Clock::now() - *came_ : Duration{0};
  }

 private:
  const std::optional<std::chrono::microseconds> after_;
  std::atomic<bool> flag_{false};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::optional<Clock::time_point> came_;
  std::jthread thread_;
};

/// How long it took to end after its interrupt.
Duration run_under(const Pressure& pressure, const Configuration& c, const LoadedData& data) {
  Interrupt interrupt(pressure.interrupt_after);
  RunHooks hooks;
  hooks.evaluated = [&](const Metrics&) { interrupt.arm(); };
  hooks.interrupted = &interrupt.flag();
  hooks.set_up = [&](RuntimeSetup& setup) {
    setup.channel_capacity = pressure.channel_capacity;
    setup.cores_are_shared = pressure.cores_are_shared.value_or(setup.cores_are_shared);
    setup.hang_patience = 5s;
  };
  const RunResult result = run_experiment(plan_run(resolve(c, {c.scheme}, data, {}), data), hooks);
  const Duration age = interrupt.age();
  // L-BFGS may be there before.
  CHECK((result.summary.interrupted || !pressure.interrupt_after || c.scheme == "sandblaster"));
  REQUIRE_FALSE(result.metrics.empty());
  CHECK(std::isfinite(result.summary.train_loss));
  CHECK(result.model.size() > 0);
  const double split = result.summary.compute_s + result.summary.transfer_s + result.summary.wait_s;
  CHECK(split == Approx(result.summary.seconds).epsilon(1e-9));
  return age;
}

/// Everybody says as much as the scheme lets him.
Hyperparameters talkative(const Scheme& scheme) {
  Hyperparameters given;
  for (const auto& [name, value] : Hyperparameters{{"send-probability", 1.0},
                                                   {"period", 1.0},
                                                   {"push-period", 1.0},
                                                   {"fetch-period", 1e6},
                                                   {"staleness", 20.0},
                                                   {"participation", 1.0}}) {
    const bool takes = std::ranges::any_of(
        scheme.hyperparameters, [&, &its = name](const auto& p) { return p.name == its; });
    if (takes) given[name] = value;
  }
  return given;
}

Configuration on_threads(const Scheme& scheme, int workers, std::uint64_t steps) {
  Configuration c = quick(scheme.name, workers, steps);
  c.time = TimeMode::wall;
  c.compute_time.reset();
  c.batch = 1;
  c.servers = 2;
  c.optimizer.lr = 0.001;
  c.hyperparameters = talkative(scheme);
  return c;
}

const LoadedData& problem() {
  static const LoadedData data = test::dense_problem(60, 4);
  return data;
}

/// Empty: no such run.
std::optional<Duration> drawn_run(std::mt19937_64& random) {
  const auto one_of = [&](auto... values) {
    const std::array all{values...};
    return all[random() % all.size()];
  };
  const Scheme& scheme = schemes()[random() % schemes().size()];
  const bool is_interrupted = random() % 4 != 0;
  Configuration c = on_threads(scheme, one_of(2, 3, 4, 6), is_interrupted ? 10'000'000 : 12);
  if (random() % 2 == 0) c.hyperparameters.clear();
  c.servers = one_of(1, 3);
  c.seed = random();
  c.network.latency = one_of(Duration{0}, Duration{1ms}, Duration{20ms});
  c.network.bytes_per_second = one_of(std::numeric_limits<double>::infinity(), 1e5);
  if (random() % 3 == 0)
    c.stragglers = {{static_cast<int>(random() % 2), is_interrupted ? 1e6 : 10.0}};
  Pressure pressure{.channel_capacity = static_cast<std::size_t>(one_of(1, 2, 7, 256))};
  if (is_interrupted) pressure.interrupt_after = std::chrono::microseconds(random() % 200'000);
  if (random() % 3 == 0) pressure.cores_are_shared = random() % 2 == 0;
  CAPTURE(scheme.name, c.workers, c.servers, to_seconds(c.network.latency),
          c.network.bytes_per_second, c.seed, pressure.channel_capacity, is_interrupted,
          c.stragglers.size(), c.hyperparameters.size());
  try {
    return run_under(pressure, c, problem());
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

}  // namespace

TEST_CASE("no scheme hangs where a channel holds one message", "[scheme]") {
  for (const Scheme& scheme : schemes()) {
    CAPTURE(scheme.name);
    Configuration c = on_threads(scheme, 2, 4);
    c.network.latency = 50us;
    run_under({}, c, problem());
  }
}

TEST_CASE("an interrupt ends every scheme on threads, whatever its ranks wait for", "[scheme]") {
  for (const Scheme& scheme : schemes()) {
    CAPTURE(scheme.name);
    Configuration c = on_threads(scheme, 2, 10'000'000);
    c.network.latency = 1s;
    c.stragglers = {{1, 1e6}};
    CHECK(run_under({.interrupt_after = 1ms}, c, problem()) < 60s);
  }
}

TEST_CASE("no scheme hangs on slow networks, by channels of few messages", "[scheme][slow]") {
  for (const Scheme& scheme : schemes()) {
    for (const auto& [latency, capacity] :
         {std::pair<Duration, std::size_t>{1ms, 1}, {1ms, 256}, {5ms, 3}}) {
      CAPTURE(scheme.name, to_seconds(latency), capacity);
      Configuration c = on_threads(scheme, 3, latency == 1ms ? 6 : 2);
      c.network.latency = latency;
      run_under({.channel_capacity = capacity}, c, problem());
      c.steps = 10'000'000;
      run_under({.channel_capacity = capacity, .interrupt_after = 8ms}, c, problem());
    }
  }
}

TEST_CASE("a thousand runs under pressure end, drawn from the seed TRAINYARD_SEED",
          "[.][scheme][pressure]") {
  const char* given = std::getenv("TRAINYARD_SEED");
  const char* count = std::getenv("TRAINYARD_RUNS");
  const std::uint64_t seed =
      given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  const int runs = count != nullptr ? std::atoi(count) : 1000;
  fmt::print("seed {}\n", seed);
  std::mt19937_64 random(seed);
  std::vector<Duration> after;
  int no_run = 0;
  for (int run = 0; run < runs; ++run) {
    CAPTURE(run);
    if (const auto age = drawn_run(random)) {
      after.push_back(*age);
    } else {
      ++no_run;
    }
  }
  std::ranges::sort(after);
  REQUIRE_FALSE(after.empty());
  const auto interrupted = std::ranges::count_if(after, [](Duration d) { return d.count() > 0; });
  fmt::print(
      "{} runs, {} of them interrupted; {} could not be asked for. From the interrupt to the end "
      "{:.3f} s at most, {:.3f} s of 99 in 100\n",
      after.size(), interrupted, no_run, to_seconds(after.back()),
      to_seconds(after[after.size() * 99 / 100]));
  CHECK(no_run * 10 < runs);
}
