// Gossip while somebody is gone, or the network is cut: what mixes, at what rate, and what stays.
#include <chrono>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "trainyard/topology/spectrum.hpp"
#include "trainyard/topology/topology.hpp"

#include "run/small_runs.hpp"
#include "support/catch.hpp"

namespace trainyard {
namespace {

using namespace std::chrono_literals;

constexpr double steps_an_epoch = 15.0;

/// Eight workers with steps of a millisecond, looked at after each. After `learning` steps the step
/// size is nothing, and all that still happens is that replicas mix.
Configuration mixing(const std::string& topology, int learning, const std::string& faults) {
  Configuration c = small_configuration("gossip");
  c.workers = 8;
  c.batch = 5;
  c.epochs.reset();
  c.steps = 60;
  c.evaluate_every = 1.0 / steps_an_epoch;
  c.optimizer.lr_schedule =
      parse_lr_schedule("step:" + std::to_string(learning / steps_an_epoch) + ":1e-30", "lr");
  c.ingredients["topology"] = topology;
  parse_faults(faults, "--fault", c.network.faults);
  c.network.faults.on_failure = OnFailure::shrink;
  c.network.faults.detection = 1ms;
  c.network.faults.retransmission.timeout = 1ms;
  return c;
}

double rho_of(const std::string& topology, int workers) {
  return analyse(make_topology(topology, workers, 1)).rho;
}

/// By what the distance of replicas from their mean shrinks a step, from evaluation `first` to
/// evaluation `last`. JSON has its square.
double rate(const RunResult& result, std::size_t first, std::size_t last) {
  const double ratio =
      *result.metrics.at(last).consensus_distance / *result.metrics.at(first).consensus_distance;
  return std::pow(ratio, 0.5 / static_cast<double>(last - first));
}

/// The loss of the mean of all replicas, which W has no part in where it is doubly stochastic.
void check_mean_stays(const RunResult& result, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i <= last; ++i) {
    CAPTURE(i);
    CHECK(result.metrics.at(i).train_loss ==
          Approx(result.metrics.at(first).train_loss).epsilon(1e-6));
  }
}

}  // namespace

// Metropolis and Hastings' weights: on a star of n each link has 1/n, and ρ = 1 − 1/n.
TEST_CASE("gossip mixes at the rate of the graph of who is there", "[run][membership]") {
  for (const char* topology : {"ring", "star"}) {
    CAPTURE(topology);
    // Steps 1 to 24 are of all, then 13 of seven; the eighth is back in the midst of the 37th.
    const RunResult result = run_small(mixing(topology, 8, "crash:3@24500us-37600us"));
    REQUIRE(result.metrics.size() == 61);
    const double of_all = rho_of(topology, 8), of_seven = rho_of(topology, 7);
    CHECK(of_seven < of_all - 0.015);
    CHECK(rate(result, 18, 24) == Approx(of_all).epsilon(0.001));
    CHECK(rate(result, 31, 37) == Approx(of_seven).epsilon(0.001));
    CHECK(rate(result, 46, 52) == Approx(of_all).epsilon(0.001));
    check_mean_stays(result, 8, 24);
    check_mean_stays(result, 25, 37);
    check_mean_stays(result, 38, 60);
  }
}

TEST_CASE("after a cut replicas come together at the rate that they had", "[run][faults]") {
  const Configuration c = mixing("ring", 8, "partition:0-3|4-7@20ms-40ms");
  const RunResult cut = run_small(c);
  Configuration joined = c;
  joined.network.faults = {};
  const RunResult whole = run_small(joined);
  REQUIRE(cut.metrics.size() == 61);
  CHECK(cut.summary.model_hash == whole.summary.model_hash);
  const double rho = rho_of("ring", 8);
  std::size_t held_up = 0;  // the evaluation that had to wait
  for (std::size_t i = 1; i < cut.metrics.size(); ++i) {
    if (cut.metrics[i].seconds - cut.metrics[i - 1].seconds > 0.010) held_up = i;
  }
  CHECK(held_up == 20);
  CHECK(cut.metrics[held_up].seconds == Approx(0.040));
  CHECK(rate(cut, held_up - 5, held_up) == Approx(rho).epsilon(0.001));
  CHECK(rate(cut, held_up, held_up + 10) == Approx(rho).epsilon(0.001));
  check_mean_stays(cut, 8, 60);
}

}  // namespace trainyard
