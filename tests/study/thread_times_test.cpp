// Advice for one machine: which way to share its memory, with how many threads.
#include "trainyard/study/thread_times.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "trainyard/report/thread_times_text.hpp"

#include "run/small_runs.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

using namespace std::chrono_literals;

ThreadTime way(const std::string& name, int threads, std::optional<double> seconds,
               std::optional<double> half_width = {}) {
  ThreadTime made{.way = name, .threads = threads, .step_size = 0.5, .rate = 1e6};
  made.seconds = seconds;
  if (seconds) made.passes = 2.0;
  made.half_width = half_width;
  return made;
}

ThreadTimes times_of(std::vector<ThreadTime> ways, int seeds = 3) {
  return {.target = "training loss 0.35",
          .machine = "a box",
          .cores = 16,
          .seeds = seeds,
          .most_passes = 20.0,
          .ways = std::move(ways)};
}

std::string sentence(const ThreadTimes& times) {
  const std::string text = thread_times_text(times);
  const std::string said = text.substr(0, text.find('\n'));
  CHECK(nlohmann::json::parse(thread_times_json(times)).at("sentence") == said);
  return said;
}

}  // namespace

TEST_CASE("threads are doubled up to all cores", "[study]") {
  CHECK(thread_counts(1) == std::vector<int>{1});
  CHECK(thread_counts(2) == std::vector<int>{1, 2});
  CHECK(thread_counts(12) == std::vector<int>{1, 2, 4, 8, 12});
  CHECK(thread_counts(16) == std::vector<int>{1, 2, 4, 8, 16});
}

TEST_CASE("ways to share memory run without a network, with as many threads", "[study]") {
  Configuration c = small_configuration("");  // in simulated time
  c.network.latency = 1ms;
  c.stragglers = {{0, 3.0}};
  const ComparisonRequest runs = thread_runs(c, 6, 2);
  CHECK(runs.contestants.size() == 1 + 3 * ways_to_share().size());
  CHECK(runs.configuration.time == TimeMode::wall);
  CHECK(runs.configuration.network.perfect());
  CHECK_FALSE(runs.configuration.compute_time);
  CHECK(runs.configuration.stragglers.empty());
  CHECK(runs.contestants.front().label == "sequential{workers=1}");
  CHECK(runs.contestants.back().label == ways_to_share().back().substr(0, 29) + ",workers=6}");
}

TEST_CASE("ways to share memory are told by their time to the target", "[study]") {
  Configuration c = small_configuration("");
  c.target_loss = 0.4;
  c.epochs = 20.0;
  c.evaluate_every = 0.25;
  const ThreadTimes times = thread_times(thread_runs(c, 2, 2), small_data(), {});
  REQUIRE(times.ways.size() == 1 + ways_to_share().size());
  CHECK(times.left_out.empty());
  CHECK_FALSE(times.interrupted);
  CHECK(times.target == "training loss 0.4");
  REQUIRE(times.alone() != nullptr);
  CHECK(times.alone()->way == "sequential");
  REQUIRE(times.alone()->seconds);
  CHECK(std::ranges::is_sorted(times.ways, {},
                               [](const ThreadTime& one) { return one.seconds.value_or(1e99); }));
  for (const std::string& name : ways_to_share()) {
    CAPTURE(name);
    const auto found = std::ranges::find(times.ways, name, &ThreadTime::way);
    REQUIRE(found != times.ways.end());
    CHECK(found->threads == 2);
    CHECK(found->rate > 0.0);
    CHECK(found->step_size > 0.0);
    CHECK(found->seconds.has_value() == found->passes.has_value());
  }
  Configuration momentum = c;
  momentum.optimizer.momentum = 0.9;
  const ThreadTimes fewer = thread_times(thread_runs(momentum, 2, 1), small_data(), {});
  CHECK(std::ranges::any_of(fewer.left_out, [](const std::string& one) {
    return one.starts_with("hogwild{workers=2}: --momentum");
  }));
}

TEST_CASE("the sentence on one machine says who is first, and whether that is known", "[study]") {
  const ThreadTime alone = way("sequential", 1, 0.5, 0.01);
  CHECK(
      sentence(times_of({way("hogwild", 16, 0.1, 0.005), way("ring", 8, 0.2, 0.01), alone})) ==
      "hogwild with 16 threads is first at a training loss 0.35, after 100 ms: 5 times as soon as "
      "one thread; then ring with 8 threads after 200 ms.");
  CHECK_THAT(sentence(times_of({way("hogwild", 16, 0.1, 0.05), way("ring", 8, 0.14, 0.01), alone})),
             ContainsSubstring("after 140 ms, which these seeds do not tell apart."));
  CHECK_THAT(sentence(times_of({way("hogwild", 16, 0.1), way("ring", 8, 0.14), alone}, 1)),
             ContainsSubstring("after 140 ms, with one seed."));
  CHECK(sentence(times_of({alone, way("hogwild", 2, 0.7, 0.01)})) ==
        "One thread is first at a training loss 0.35, after 500 ms: no way to share its memory is "
        "sooner here; then hogwild with 2 threads after 700 ms.");
  CHECK(sentence(times_of({way("sequential", 1, 0.69, 0.01), way("hogwild", 2, 0.7, 0.01)})) ==
        "One thread is first at a training loss 0.35, after 690 ms; then hogwild with 2 threads "
        "after 700 ms, which these seeds do not tell apart.");
  CHECK(sentence(times_of({alone})) ==
        "One thread is first at a training loss 0.35, after 500 ms.");
  CHECK(
      sentence(times_of({way("hogwild", 2, 0.7, 0.01), way("sequential", 1, {})})) ==
      "hogwild with 2 threads is first at a training loss 0.35, after 700 ms; one thread does not "
      "come there.");
  CHECK(sentence(times_of({way("hogwild", 2, {}), way("sequential", 1, {})})) ==
        "None came to a training loss 0.35 within 20 passes with all seeds.");
  ThreadTimes cut = times_of({});
  cut.interrupted = true;
  CHECK(sentence(cut) == "It was interrupted before any way was through with all seeds.");
  ThreadTimes there = times_of({alone});
  there.at_start = true;
  CHECK_THAT(sentence(there), ContainsSubstring("there is nothing to rank"));
}

}  // namespace trainyard
