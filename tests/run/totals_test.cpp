// What a summary counts, however the run ended.
#include <chrono>
#include <string>
#include <vector>

#include "trainyard/runtime/rank.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "run/small_runs.hpp"
#include "support/catch.hpp"

namespace trainyard {
namespace {

using namespace std::chrono_literals;

void check_totals(const RunResult& run) {
  const RankAccount all = total_traffic(run.accounts);
  CHECK(run.summary.messages == all.messages_sent);
  CHECK(run.summary.bytes_sent == all.bytes_sent);
  CHECK(run.summary.messages_dropped == all.messages_sent - all.messages_received);
  CHECK(run.summary.samples_computed >= run.summary.samples);
  for (std::size_t i = 1; i < run.metrics.size(); ++i) {
    CHECK(run.metrics[i].step >= run.metrics[i - 1].step);
    CHECK(run.metrics[i].samples >= run.metrics[i - 1].samples);
    CHECK(run.metrics[i].seconds >= run.metrics[i - 1].seconds);
  }
}

Configuration on_a_network(const std::string& scheme) {
  Configuration c = small_configuration(scheme);
  c.network.latency = 100us;
  c.network.bytes_per_second = 1e6;
  c.line_time = Duration{0};
  return c;
}

}  // namespace

TEST_CASE("totals add up where a target ends a run, and where its clock does", "[run]") {
  for (const Scheme& scheme : schemes()) {
    INFO(scheme.name);
    Configuration c = on_a_network(scheme.name);
    c.evaluate_every = 0.1;
    c.target_loss = 0.45;
    check_totals(run_small(c));
    c.target_loss.reset();
    c.seconds = 17ms;
    check_totals(run_small(c));
  }
}

TEST_CASE("who has nothing to train may send a last word, and it is counted", "[run]") {
  std::uint64_t words = 0;
  for (const Scheme& scheme : schemes()) {
    INFO(scheme.name);
    Configuration c = on_a_network(scheme.name);
    c.target_loss = 100.0;
    const RunResult run = run_small(c);
    CHECK(run.metrics.size() == 1);
    check_totals(run);
    words += run.summary.messages;
  }
  CHECK(words > 0);
}

TEST_CASE("a run in teams that its clock ends does not go back", "[run]") {
  Configuration c = on_a_network("downpour");
  c.model = "mlp:6,12";
  c.hyperparameters["tensor-size"] = 2;
  c.network.bytes_per_second = 1e5;
  c.evaluate_every = 0.1;
  c.epochs.reset();
  for (int ms = 20; ms <= 400; ms += 19) {
    INFO(ms << " ms");
    c.seconds = std::chrono::milliseconds(ms);
    check_totals(run_small(c));
  }
}

}  // namespace trainyard
