#include "report/first_at_target.hpp"

#include <string>
#include <vector>

#include "report/results.hpp"
#include "support/catch.hpp"

using Catch::Matchers::StartsWith;

namespace trainyard {

namespace {

struct There {
  const char* scheme;
  double seconds, epochs;
  std::vector<OptionText> varied{};
  std::uint64_t seed = 1;
};

/// Who talks, in simulated time, looked at each second.
std::string said_of(const std::vector<There>& all, const char* time = "virtual") {
  std::vector<RunResult> runs;
  for (const There& one : all) {
    runs.push_back(bare_result(one.scheme));
    Summary& s = runs.back().summary;
    s.time = time;
    s.seed = one.seed;
    s.varied = one.varied;
    s.messages = 8;
    s.seconds_to_target = one.seconds;
    s.epochs_to_target = one.epochs;
    s.target_interval_s = 1.0;
  }
  return first_at_target(seed_statistics(runs), runs);
}

}  // namespace

TEST_CASE("one measurement each tells no order of what is less than twice apart", "[report]") {
  const std::vector<There> near{{"ring", 4.0, 2.0}, {"gossip", 7.0, 2.0}};
  CHECK(
      said_of(near, "wall") ==
      "not told apart by one seed's measurements at the target: ring after 4 s; gossip after 7 s; "
      "--seeds 5 measures five times.\n"
      "Until there ring took 0.571 times as long for a pass over the data as gossip, and as many "
      "passes.\n\n");
  CHECK_THAT(said_of({{"ring", 4.0, 2.0}, {"gossip", 9.0, 2.0}}, "wall"),
             StartsWith("first at the target: ring after 4 s; then gossip after 9 s; with one "
                        "seed.\n"));
  CHECK_THAT(said_of(near), StartsWith("first at the target: ring after 4 s; then gossip after 7 "
                                       "s; with one seed.\n"));
}

TEST_CASE("seeds that do not bear out an order, however far apart, are said", "[report]") {
  std::vector<There> seeds;
  for (std::uint64_t seed : {1, 2, 3}) {
    seeds.push_back({"ring", 4.0 + static_cast<double>(seed), 2.0, {}, seed});
    seeds.push_back({"gossip", seed == 2 ? 1.0 : 90.0, 2.0, {}, seed});
  }
  CHECK_THAT(said_of(seeds), StartsWith("not told apart by these seeds at the target: ring after 6 "
                                        "s; gossip after 60.33 s; "));
  for (std::uint64_t seed : {1, 2, 3}) {
    seeds.push_back({"ps-sync", 4.0 + static_cast<double>(seed), 2.0, {}, seed});
  }
  CHECK_THAT(said_of(seeds),
             StartsWith("at the target together: ring, ps-sync, after 6 s.\n"
                        "Beside them, not told apart by these seeds: gossip after 60.33 s; "));
}

TEST_CASE("seeds do not tell what lies between two evaluations", "[report]") {
  std::vector<There> near, rough;
  for (std::uint64_t seed : {1, 2, 3}) {
    const double jitter = 0.001 * static_cast<double>(seed);
    near.push_back({"ring", 4.0 + jitter, 2.0, {}, seed});
    near.push_back({"gossip", 4.5 + jitter, 2.2, {}, seed});
    rough.push_back({"ring", 0.5 + jitter, 0.2, {}, seed});
    rough.push_back({"gossip", 8.0 + jitter, 2.2, {}, seed});
  }
  CHECK_THAT(said_of(near), StartsWith("about as soon at the target: ring after 4.002 s; gossip "
                                       "after 4.502 s; less than one evaluation apart, over 3 "
                                       "seeds.\n"));
  CHECK_THAT(said_of(rough), StartsWith("first at the target: ring after 502 ms; then gossip after "
                                        "8.002 s; 16 times as long over 3 seeds, roughly: within "
                                        "an evaluation.\n"));
}

TEST_CASE("a contestant is not ranked against itself", "[report]") {
  std::vector<There> all;
  for (const char* topology : {"ring", "full"}) {
    const std::vector<OptionText> point{{"topology", topology}};
    all.push_back({"ring", 4.0, 2.0, point});
    all.push_back({"gossip", topology[0] == 'r' ? 9.0 : 7.0, 2.0, point});
  }
  CHECK_THAT(said_of(all), StartsWith("first at the target: ring after 4 s; then gossip, topology "
                                      "full after 7 s; with one seed.\n"));
}

TEST_CASE("what was measured again is one contestant, with the mean of its measurements",
          "[report]") {
  std::vector<There> all;
  for (const char* topology : {"ring", "full"}) {
    const std::vector<OptionText> point{{"topology", topology}};
    all.push_back({"ring", topology[0] == 'r' ? 4.0 : 2.0, 2.0, point});
    all.push_back({"gossip", 9.0, 2.0, point});
  }
  CHECK_THAT(said_of(all, "wall"),
             StartsWith("first at the target: ring after 3 s; then gossip, "));
}

TEST_CASE("each network has its first, whose name does not say it again", "[report]") {
  std::vector<There> all;
  for (const char* latency : {"0us", "1ms"}) {
    const std::vector<OptionText> point{{"latency", latency}, {"batch", "8"}};
    all.push_back({"ring", 4.0, 2.0, point});
    all.push_back({"gossip", latency[0] == '0' ? 9.0 : 2.0, 2.0, point});
  }
  CHECK(said_of(all) ==
        "latency 0us: first at the target: ring, batch 8 after 4 s; then gossip, batch 8 after 9 "
        "s; with one seed.\n"
        "latency 1ms: first at the target: gossip, batch 8 after 2 s; then ring, batch 8 after 4 "
        "s; with one seed.\n\n");
}

}  // namespace trainyard
