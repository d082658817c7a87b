// Every scheme's rule against trajectories that were worked out elsewhere, in double precision, on
// five quadratics of four coordinates.
#include "support/golden.hpp"

#include <string>
#include <vector>

#include "trainyard/collective/all_reduce.hpp"

#include "support/catch.hpp"

using namespace trainyard;
using test::Json;

TEST_CASE("synchronous schemes follow x ← x − γ · mean of the gradients",
          "[scheme][rule:sequential][rule:ps-sync][rule:ring][rule:all-reduce]") {
  const auto golden = test::golden_trajectories();
  for (const char* scheme : {"sequential", "ps-sync", "ring"}) {
    test::check_synchronous(golden, test::golden_configuration(golden, scheme), "psgd_mean");
  }
  for (const AllReduce& way : all_reduces()) {
    Configuration c = test::golden_configuration(golden, "all-reduce");
    c.ingredients["collective"] = way.name;
    c.servers = 2;
    test::check_synchronous(golden, c, "psgd_mean");
  }
}

TEST_CASE("local-sgd steps apart and averages every τ steps", "[scheme][rule:local-sgd]") {
  const auto golden = test::golden_trajectories();
  for (const AllReduce& way : all_reduces()) {
    Configuration c = test::golden_configuration(golden, "local-sgd");
    c.ingredients["collective"] = way.name;
    c.hyperparameters["period"] = 4;
    test::check_replicas(golden, c, "local_sgd_tau4");
    c.hyperparameters["period"] = 1;
    test::check_synchronous(golden, c, "psgd_mean");
  }
}

TEST_CASE("asynchronous servers with equal workers apply their gradients in turn",
          "[scheme][rule:ps-async][rule:staleness-aware][rule:dc-asgd-c]") {
  const auto golden = test::golden_trajectories();
  const Dataset data = test::golden_data(golden);
  struct Row {
    const char* scheme;
    const char* name;
    Hyperparameters hyperparameters;
  };
  for (const Row& row : {Row{"ps-async", "asgd_roundrobin_plain", {}},
                         Row{"dc-asgd-c", "asgd_roundrobin_plain", {{"lambda", 0.0}}},
                         Row{"dc-asgd-a", "asgd_roundrobin_plain", {{"lambda0", 0.0}}},
                         Row{"dc-asgd-c", "asgd_roundrobin_dc", {{"lambda", 0.5}}},
                         Row{"staleness-aware", "asgd_roundrobin_sa", {}}}) {
    Configuration c = test::golden_configuration(golden, row.scheme);
    c.hyperparameters = row.hyperparameters;
    for (const auto& [t, state] : golden[row.name]["states"].items()) {
      CAPTURE(row.scheme, row.name, t);
      test::check_close(test::run_on_quadratic(c, data, std::stoull(t)).model, state);
    }
  }
}

TEST_CASE("ssp-strict without staleness is synchronous SGD on the sum",
          "[scheme][rule:ssp-strict]") {
  const auto golden = test::golden_trajectories();
  const Dataset data = test::golden_data(golden);
  for (const int servers : {1, 2}) {
    Configuration c = test::golden_configuration(golden, "ssp-strict");
    c.servers = servers;
    c.hyperparameters["staleness"] = 0;
    for (const auto& [t, state] : golden["psgd_sum"]["states"].items()) {
      CAPTURE(servers, t);
      c.steps = std::stoull(t);
      test::check_close(test::run_on_quadratic(c, data).model, state);
    }
  }
}

TEST_CASE("elastic averaging follows its rule, replicas and centre",
          "[scheme][rule:easgd][rule:easgd-async]") {
  const auto golden = test::golden_trajectories();
  const Dataset data = test::golden_data(golden);
  struct Row {
    const char* scheme;
    const char* name;
    double period;
    bool counts_minibatches;
  };
  for (const Row& row : {Row{"easgd", "easgd_sync_alpha0.18", 1, false},
                         Row{"easgd-async", "easgd_async_roundrobin_tau2", 2, true}}) {
    Configuration c = test::golden_configuration(golden, row.scheme);
    c.hyperparameters["period"] = row.period;
    for (const auto& [t, states] : golden[row.name]["states"].items()) {
      CAPTURE(row.name, t);
      c.steps = std::stoull(t);
      const test::Replicas found = row.counts_minibatches
                                       ? test::run_on_quadratic(c, data, std::stoull(t))
                                       : test::run_on_quadratic(c, data);
      REQUIRE(states.size() == found.workers.size() + 1);
      for (std::size_t i = 0; i < found.workers.size(); ++i) {
        CAPTURE(i);
        test::check_close(found.workers[i], states[i]);
      }
      test::check_close(found.model, states.back());
    }
  }
}

TEST_CASE("gossip follows X ← W(X − γG) over each topology", "[scheme][rule:gossip]") {
  const auto golden = test::golden_trajectories();
  struct Row {
    const char* name;
    const char* topology;
  };
  for (const Row& row : {Row{"dsgd_atc_ring", "ring"}, Row{"dsgd_atc_static_exp", "static-exp"},
                         Row{"dsgd_atc_one_peer_exp", "one-peer-exp"},
                         Row{"dsgd_atc_base_2", "base:2"}, Row{"dsgd_atc_full", "full"}}) {
    Configuration c = test::golden_configuration(golden, "gossip");
    c.ingredients["topology"] = row.topology;
    test::check_replicas(golden, c, row.name);
  }
}
