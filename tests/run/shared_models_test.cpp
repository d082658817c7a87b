// Which workers may share a model where each is a process, by the hosts that they are on.
#include <functional>

#include "trainyard/run/processes.hpp"

#include "support/catch.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

/// As many processes, of which these are the first ones of their hosts.
Hosts hosts_of(std::vector<int> firsts) {
  Hosts hosts;
  hosts.firsts = std::move(firsts);
  for (const int first : hosts.firsts) hosts.names.push_back("node" + std::to_string(first));
  return hosts;
}

void check(const std::string& scheme, const Hyperparameters& hyperparameters, const Hosts& hosts) {
  const LoadedData data = test::sparse_problem();
  Configuration c = test::quick(scheme, 4, 12);
  c.hyperparameters = hyperparameters;
  check_hosts(plan_run(resolve(c, {scheme}, data, {}), data), hosts);
}

const Hosts one_host = hosts_of({0, 0, 0, 0, 0});
const Hosts two_halves = hosts_of({0, 0, 2, 2, 2});

}  // namespace

TEST_CASE("workers of one host may share a model", "[run]") {
  for (const char* scheme : {"hogwild", "hogwild-split", "hogwild-numa", "hogwild++", "buckwild"}) {
    CAPTURE(scheme);
    CHECK_NOTHROW(check(scheme, {}, one_host));
  }
}

TEST_CASE("workers of several hosts may not share a model, and are told why", "[run]") {
  CHECK_THROWS_WITH(check("hogwild", {}, two_halves),
                    "--scheme hogwild: its workers write to one model in memory, which only "
                    "processes of one host share, and worker 2 on node2 shares none with worker 0 "
                    "on node0; all of them on one host are accepted, and on several hosts the "
                    "schemes whose workers send messages");
  // Each group on a host of its own: they look at each other's models.
  for (const char* scheme : {"hogwild-numa", "hogwild++"}) {
    CAPTURE(scheme);
    CHECK_THROWS_WITH(check(scheme, {{"groups", 2.0}}, two_halves), ContainsSubstring("--scheme"));
  }
}

TEST_CASE("threads of a machine are on one host, and other machines' and servers where they will",
          "[run]") {
  CHECK_NOTHROW(check("ps-async-epochs", {{"machine-threads", 2.0}}, two_halves));
  CHECK_NOTHROW(check("ps-async-epochs", {{"machine-threads", 2.0}}, hosts_of({0, 0, 2, 2, 4})));
  CHECK_THROWS_WITH(
      check("ps-async-epochs", {{"machine-threads", 2.0}}, hosts_of({0, 0, 0, 3, 3})),
      "--machine-threads 2: so many neighbouring workers write to one model in memory, which only "
      "processes of one host share, and worker 3 on node3 shares none with worker 2 on node0; each "
      "2 of them on one host are accepted, or --machine-threads 1");
  // Who shares no model is where he will.
  for (const char* scheme : {"ps-async-epochs", "ring"}) {
    CHECK_NOTHROW(check(scheme, {}, hosts_of({0, 1, 2, 3, 4})));
  }
}
