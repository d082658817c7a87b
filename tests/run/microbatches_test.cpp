// Which microbatch a message carries, checked by how many rows there are in it.
#include "trainyard/run/microbatches.hpp"

#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "trainyard/scheme/pipeline.hpp"

#include "support/catch.hpp"
#include "support/training.hpp"

namespace trainyard {

namespace {

using Numbers = std::vector<std::optional<std::uint64_t>>;
using Edge = std::pair<int, int>;

/// A scheme on a model of five layers; each worker has five rows of a minibatch.
Configuration layered(const std::string& scheme, int workers, Hyperparameters hyperparameters) {
  Configuration c = test::quick(scheme, workers, 3);
  c.model = "mlp:10,8,6,4";
  c.batch = 5;
  c.network.latency = std::chrono::microseconds(50);
  c.network.bytes_per_second = 1e6;
  c.hyperparameters = std::move(hyperparameters);
  return c;
}

struct Recorded {
  RunResult run;
  std::optional<Microbatches> found;

  const Trace& trace() const { return *run.trace; }
};

Recorded recorded(const Configuration& c) {
  const LoadedData data{"blobs", generate_blobs(400, 12, 4, 1.0, 3), {}};
  TraceRecorder recorder({.first = 0, .last = 1'000'000});
  RunHooks hooks;
  hooks.recorder = &recorder;
  Recorded recorded{run_experiment(plan_run(resolve(c, {c.scheme}, data, {}), data), hooks), {}};
  recorded.found = microbatches_of(recorded.trace(), recorded.run.resolved);
  return recorded;
}

/// The numbers that go from one rank to another, in the order of the posts.
std::map<Edge, Numbers> by_edge(const Recorded& recorded) {
  std::map<Edge, Numbers> edges;
  for (const Transfer& m : recorded.trace().messages) {
    edges[{m.from, m.to}].push_back(recorded.found->of_messages[m.id]);
  }
  return edges;
}

}  // namespace

TEST_CASE("a message is as long as its microbatch has rows", "[run]") {
  for (const char* scheme : {"gpipe", "1f1b"}) {
    for (const int stages : {2, 4}) {
      CAPTURE(scheme, stages);
      constexpr std::size_t microbatches = 3;
      const Recorded recorded_run =
          recorded(layered(scheme, 4, {{"stages", stages}, {"microbatches", microbatches}}));
      REQUIRE(recorded_run.found);
      CHECK(recorded_run.found->word == "microbatch");
      const std::size_t rows = 5 * static_cast<std::size_t>(stages);
      std::map<Edge, std::uint64_t> bytes_of_row;
      std::size_t numbered = 0;
      for (const Transfer& m : recorded_run.trace().messages) {
        const std::optional<std::uint64_t> number = recorded_run.found->of_messages[m.id];
        const bool beside = m.from / stages == m.to / stages && std::abs(m.from - m.to) == 1;
        REQUIRE(number.has_value() == beside);
        if (!number) continue;
        ++numbered;
        // 10 rows are 4, 3 and 3, and 20 are 7, 7 and 6.
        const std::size_t own = rows_of_part(rows, *number, microbatches);
        REQUIRE(m.bytes % own == 0);
        const auto [of_edge, is_new] = bytes_of_row.try_emplace({m.from, m.to}, m.bytes / own);
        CHECK(of_edge->second == m.bytes / own);
      }
      // Up and down over each border, in three steps.
      CHECK(numbered == 3 * microbatches * 2 * static_cast<std::size_t>(4 - 4 / stages));
    }
  }
}

TEST_CASE("parts of a stage send each other none, and the next stage one a microbatch", "[run]") {
  const Recorded run =
      recorded(layered("gpipe", 4, {{"stages", 2}, {"tensor-size", 2}, {"microbatches", 2}}));
  REQUIRE(run.found);
  const Numbers in_three_steps{0, 1, 0, 1, 0, 1};
  for (const auto& [edge, numbers] : by_edge(run)) {
    CAPTURE(edge.first, edge.second);
    if (std::abs(edge.first - edge.second) == 2) {
      CHECK(numbers == in_three_steps);
    } else {
      CHECK(numbers == Numbers(numbers.size()));
    }
  }
}

TEST_CASE("a pipeline that never drains has minibatches on their way", "[run]") {
  const Recorded run = recorded(layered("pipedream", 3, {{"stages", 3}}));
  REQUIRE(run.found);
  CHECK(run.found->word == "minibatch");
  std::map<Edge, Numbers> edges = by_edge(run);
  REQUIRE(edges.size() == 4);
  CHECK(edges[{0, 1}] == Numbers{0, 1, 2, 3, 4});  // two are ahead of the third step
  CHECK(edges[{1, 0}] == Numbers{0, 1, 2});
}

TEST_CASE("there are no microbatches without stages, nor where steps are begun anew", "[run]") {
  CHECK_FALSE(recorded(layered("ring", 4, {{"stages", 2}})).found);
  CHECK_FALSE(recorded(layered("gpipe", 4, {{"stages", 1}})).found);
  Recorded run = recorded(layered("gpipe", 4, {{"stages", 2}}));
  Configuration crashing = run.run.resolved;
  crashing.network.faults.crashes.push_back({});
  CHECK_FALSE(microbatches_of(run.trace(), crashing));
  Trace later = run.trace();
  later.from = Time{1};
  CHECK_FALSE(microbatches_of(later, run.run.resolved));
}

}  // namespace trainyard
