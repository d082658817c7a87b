#include "trainyard/analysis/exchange_bounds.hpp"

#include <map>
#include <string>

#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/oracles.hpp"

using namespace trainyard;

namespace {

double bound(const char* name, ExchangeCosts costs, int servers = 1) {
  costs.servers = servers;
  for (const ExchangeBound& row : exchange_bounds()) {
    if (row.name == name) return row.seconds(costs);
  }
  FAIL("no bound named " << name);
  return 0.0;
}

}  // namespace

TEST_CASE("lower bounds of ResNet-152 on 1 GbE with 8 workers", "[analysis]") {
  const ExchangeCosts costs = exchange_costs(8, 1, 223.0 * (1U << 20U), 125e6);
  CHECK(bound("one server, synchronous", costs) == Approx(30.19).margin(0.005));
  CHECK(bound("server at the root of a tree", costs) == Approx(15.14).margin(0.005));
  CHECK(bound("scatter-reduce to a server, broadcast", costs) == Approx(7.14).margin(0.005));
  CHECK(bound("all-reduce by doubling", costs) == Approx(5.79).margin(0.005));
  CHECK(bound("ring all-reduce", costs) == Approx(3.40).margin(0.005));
}

TEST_CASE("lower bounds as the reference has them", "[analysis]") {
  const auto cases = test::read_oracle("cost_reference")["nam_lower_bounds"];
  REQUIRE(cases.size() > 40);
  for (const auto& [name, expected] : cases.items()) {
    CAPTURE(name);
    const ExchangeCosts costs{.workers = std::stoi(name.substr(name.find("n=") + 2)),
                              .servers = 1,
                              .transmit_s = expected["T_w"],
                              .reduce_s = expected["R_w"],
                              .update_s = expected["U_w"]};
    const auto same = [&expected = expected](const char* key) {
      return Approx(expected[key].get<double>()).epsilon(1e-9);
    };
    CHECK(bound("one server, synchronous", costs) == same("naive_sync_k1"));
    CHECK(bound("k servers, synchronous", costs, 4) == same("naive_sync_k4"));
    CHECK(bound("server at the root of a tree", costs) == same("binomial"));
    CHECK(bound("scatter-reduce to a server, broadcast", costs) == same("scatter_reduce_k1"));
    CHECK(bound("all-reduce by doubling", costs) == same("allreduce_log"));
    CHECK(bound("ring all-reduce", costs) == same("ring"));
    CHECK(bound("one server, asynchronous: a worker", costs) == same("async_per_worker"));
    CHECK(bound("one server, asynchronous: all n", costs) == same("async_full_k1"));
    CHECK(bound("k servers, asynchronous: all n", costs, 4) == same("async_full_k4"));
  }
}

TEST_CASE("the first round of asynchronous servers takes one pull more", "[analysis]") {
  // One server: (n + 1)T, as ps-async's closed form has it without latency; then n of them take nT.
  const Network network{.bytes_per_second = 4000.0};  // 1000 floats a second
  const FloatMessages message{network};
  const Ingredients none;
  const Hyperparameters nothing;
  for (const int n : {2, 3, 8, 31}) {
    ExchangeCosts costs{.workers = n, .servers = 1, .transmit_s = 1.0};
    CHECK(bound("k servers, asynchronous: the first n", costs) == n + 1.0);
    CHECK(bound("k servers, asynchronous: all n", costs) == n);
    const StepSetting setting{.workers = n,
                              .parameters = 1000,
                              .message = message,
                              .message_of_bytes = message,
                              .ingredients = none,
                              .hyperparameters = nothing};
    CHECK(to_seconds(*find_scheme("ps-async").cost.time(setting)) ==
          Approx(bound("k servers, asynchronous: the first n", costs)));
  }
  // Up to as many workers as servers each has a port to itself: T there, T back.
  ExchangeCosts costs{.workers = 3, .servers = 4, .transmit_s = 1.0, .update_s = 2.0};
  CHECK(bound("k servers, asynchronous: the first n", costs, 4) == 2.5);
  CHECK(bound("k servers, asynchronous: all n", costs, 4) == 2.5);
  costs.workers = 16;
  CHECK(bound("k servers, asynchronous: the first n", costs, 4) == 5.5);
  CHECK(bound("k servers, asynchronous: all n", costs, 4) == 4.5);
}

TEST_CASE("lower bounds of servers on the workers and of rare averages", "[analysis]") {
  // Catalogue §1.3: 2(n-1)/n of the model over each port, and 1/τ of it a step.
  ExchangeCosts costs{.workers = 4, .servers = 1, .transmit_s = 1.0};
  CHECK(bound("servers on the workers' own ports", costs) == 1.5);
  CHECK(bound("servers on the workers' own ports", costs) == bound("ring all-reduce", costs));
  costs.update_s = 1.0;  // of which each does a quarter, and in the ring all of it
  CHECK(bound("servers on the workers' own ports", costs) == 1.75);
  CHECK(bound("ring all-reduce", costs) == 2.5);
  costs.period = 8.0;
  CHECK(bound("averaged every τ steps: a local step", costs) == 0.125);
}
