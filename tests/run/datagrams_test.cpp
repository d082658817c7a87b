// Runs on a network that loses messages for good, --retransmit never: who goes on, and with what.
#include <chrono>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "trainyard/network/links.hpp"
#include "trainyard/run/resolve.hpp"
#include "trainyard/scheme/scheme.hpp"
#include "trainyard/topology/spectrum.hpp"
#include "trainyard/topology/topology.hpp"

#include "run/small_runs.hpp"
#include "support/catch.hpp"

namespace trainyard {
namespace {

using namespace std::chrono_literals;

constexpr double steps_an_epoch = 15.0;

/// Eight workers with steps of a millisecond, looked at after each, of which `learning` have a step
/// size of something.
Configuration lossy(const std::string& scheme, int learning, const std::string& faults) {
  Configuration c = small_configuration(scheme);
  c.workers = 8;
  c.batch = 5;
  c.epochs.reset();
  c.steps = 200;
  c.evaluate_every = 1.0 / steps_an_epoch;
  c.optimizer.lr_schedule = parse_lr_schedule(
      "step:" + std::to_string((learning - 0.5) / steps_an_epoch) + ":1e-30", "lr");
  c.network.faults.retransmission.never = true;
  parse_faults(faults, "--fault", c.network.faults);
  return c;
}

double distance(const Metrics& at) {
  return std::sqrt(*at.consensus_distance);
}

}  // namespace

TEST_CASE("messages are lost for good in schemes that take datagrams alone", "[run][datagrams]") {
  int takers = 0;
  for (const Scheme& scheme : schemes()) {
    CAPTURE(scheme.name);
    Configuration c = small_configuration(scheme.name);
    c.network.latency = 100us;
    c.network.bytes_per_second = 1e7;
    c.line_time = Duration{0};
    c.network.faults.retransmission.never = true;
    parse_faults("loss:0.2+partition:0-1|2-3@22ms-26ms", "--fault", c.network.faults);
    const Cast cast = cast_of(scheme, c);
    if (cast.ranks() == 1 || cast.model == ModelHome::shared) {  // it sends nothing
      CHECK(run_small(c).summary.tries_lost.value_or(0) == 0U);
      continue;
    }
    if (!scheme.order.takes_datagrams) {
      CHECK_THROWS_WITH(run_small(c), ContainsSubstring("--retransmit never: " + scheme.name) &&
                                          ContainsSubstring("gossip"));
      c.network.faults.losses.clear();  // nothing that could lose any
      c.network.faults.partitions.clear();
      CHECK_NOTHROW(run_small(c));
      continue;
    }
    ++takers;
    c.hyperparameters = {{"push-sum", 1.0}};  // shares that are lost make steps longer
    const RunResult once = run_small(c), again = run_small(c);
    check_adds_up(once);
    CHECK(once.summary.model_hash == again.summary.model_hash);
    CHECK(once.summary.tries_lost > 20U);
    CHECK(says(once, "lost for good"));
    Configuration whole = c;
    whole.network.faults = {};
    const RunResult without = run_small(whole);
    CHECK(once.summary.model_hash != without.summary.model_hash);
    CHECK(once.summary.messages == without.summary.messages);
    CHECK(once.summary.messages_dropped == without.summary.messages_dropped);
    CHECK(once.summary.seconds == without.summary.seconds);  // nobody waits for another try
    CHECK(once.summary.train_loss < 0.9 * once.metrics.front().train_loss);
  }
  CHECK(takers == 8);
}

// What came from a neighbour across the cut is one's own then: two doubly stochastic graphs.
TEST_CASE("gossip goes on as two graphs while the network is cut", "[run][datagrams]") {
  const auto apart_within_sides = [](const MixingMatrix& whole) {
    std::vector<MixingEdge> edges;
    for (int to = 0; to < 8; ++to) {
      for (const auto& [from, weight] : whole[static_cast<std::size_t>(to)].receives) {
        if ((to < 3) == (from < 3)) edges.push_back({to, from, weight});
      }
    }
    return mixing_matrix(8, edges);
  };
  const Topology ring = make_topology("ring", 8, 1);
  const Topology sides{"sides", {apart_within_sides(ring.matrices.front())}};
  // Eigenvalue 1 twice, once for each side; the next is that of a path of five, of weights 1/3.
  const double within = 1.0 - 2.0 / 3.0 * (1.0 - std::cos(std::acos(-1.0) / 5.0));
  const double joined = analyse(ring).rho;
  REQUIRE(std::abs(within - joined) > 0.01);
  CHECK(analyse(sides).rho == Approx(1.0));

  const Configuration c = lossy("gossip", 8, "partition:0-2|3-7@40ms-140ms");
  const RunResult cut = run_small(c);
  REQUIRE(cut.metrics.size() == 201);
  CHECK(cut.summary.seconds == Approx(0.2));  // nobody waits
  // The sides come to their own means, which stay apart.
  const double stays = distance(cut.metrics[139]);
  CHECK(stays > 0.1 * distance(cut.metrics[40]));
  CHECK(distance(cut.metrics[130]) == Approx(stays).epsilon(1e-4));
  std::vector<double> above;  // (d² − d∞²)^½: what is left within the sides
  for (std::size_t at : {60, 70}) {
    above.push_back(std::sqrt(*cut.metrics[at].consensus_distance - stays * stays));
  }
  CHECK(std::pow(above[1] / above[0], 0.1) == Approx(within).epsilon(0.003));
  // Together again at the ring's own rate, and the mean of all was never moved.
  CHECK(std::pow(distance(cut.metrics[162]) / distance(cut.metrics[150]), 1.0 / 12) ==
        Approx(joined).epsilon(0.002));
  for (std::size_t at = 8; at < cut.metrics.size(); at += 8) {
    CAPTURE(at);
    CHECK(cut.metrics[at].train_loss == Approx(cut.metrics[8].train_loss).epsilon(1e-6));
  }
}

// One step along gradients at the model that all begin with, and then averages alone: whoever keeps
// the mean comes to the model of gossip without losses.
TEST_CASE("running sums keep the mean that losses move", "[run][datagrams]") {
  Configuration whole = lossy("gossip", 1, "none");
  whole.network.faults = {};
  const double kept = run_small(whole).metrics.back().train_loss;
  const auto moved = [&](const std::string& scheme, double running_sums) {
    Configuration c = lossy(scheme, 1, "loss:0.3");
    if (scheme == "sgp") c.hyperparameters = {{"push-sum", running_sums}};
    const RunResult result = run_small(c);
    CHECK(distance(result.metrics.back()) < 1e-3 * distance(result.metrics[1]));
    return std::abs(result.metrics.back().train_loss - kept);
  };
  const double sums = moved("sgp", 1);
  CHECK(sums < 1e-6);
  CHECK(moved("sgp", 0) > 100.0 * sums);
  for (const double running_sums : {0.0, 1.0}) {
    Configuration c = lossy("sgp", 1, "loss:0.3");
    c.hyperparameters = {{"push-sum", running_sums}};
    std::string said;
    (void)resolve(c, {"sgp"}, small_data(), [&](const std::string& text) { said += text; });
    const bool warned =
        said.find("note: sgp loses weight with each share that is lost") != std::string::npos;
    CHECK(warned == (running_sums == 0.0));
  }
  CHECK(moved("gossip", 0) > 100.0 * sums);
}

TEST_CASE("running sums without losses are push-sum", "[run][datagrams]") {
  for (const char* scheme : {"sgp", "sgp-overlap"}) {
    for (const char* topology : {"ring", "one-peer-exp", "od-equidyn"}) {
      CAPTURE(scheme, topology);
      Configuration c = small_configuration(scheme);
      c.ingredients["topology"] = topology;
      const RunResult shares = run_small(c);
      c.hyperparameters = {{"push-sum", 1.0}};
      const RunResult sums = run_small(c);
      CHECK(sums.summary.train_loss == Approx(shares.summary.train_loss).epsilon(1e-4));
      CHECK(sums.summary.bytes_sent == shares.summary.bytes_sent);
      CHECK(sums.summary.seconds == shares.summary.seconds);
    }
  }
}

TEST_CASE("threads lose the same messages for good", "[run][datagrams]") {
  for (const char* scheme : {"gossip", "sgp", "clipped-gossip"}) {
    CAPTURE(scheme);
    Configuration c = small_configuration(scheme);
    c.network.latency = 100us;
    c.network.faults.retransmission.never = true;
    parse_faults("loss:0.2", "--fault", c.network.faults);
    const RunResult simulated = run_small(c);
    c.time = TimeMode::wall;
    const RunResult threads = run_small(c);
    CHECK(threads.summary.model_hash == simulated.summary.model_hash);
    CHECK(threads.summary.tries_lost == simulated.summary.tries_lost);
  }
}

}  // namespace trainyard
