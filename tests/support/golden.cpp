#include "support/golden.hpp"

#include "support/catch.hpp"
#include "support/oracles.hpp"

namespace trainyard::test {

Json golden_trajectories() {
  return read_oracle("golden_trajectories");
}

Dataset golden_data(const Json& golden) {
  return quadratic_data(golden["_problem"]["h"], golden["_problem"]["b"]);
}

Configuration golden_configuration(const Json& golden, const std::string& scheme) {
  Configuration c;
  c.scheme = scheme;
  c.workers = golden["_problem"]["n"];
  c.optimizer.lr = golden["_problem"]["gamma"];
  return c;
}

void check_close(const std::vector<double>& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t j = 0; j < found.size(); ++j) {
    CAPTURE(j);
    CHECK(found[j] == Approx(expected[j]).epsilon(1e-12).margin(1e-12));
  }
}

void check_synchronous(const Json& golden, Configuration c, const char* name) {
  const Dataset data = golden_data(golden);
  for (const auto& [t, state] : golden[name]["states"].items()) {
    CAPTURE(name, c.scheme, ingredient_name(c.ingredients, "collective"), t);
    c.steps = std::stoull(t);
    const Replicas found = run_on_quadratic(c, data);
    for (const std::vector<double>& replica : found.workers) check_close(replica, state);
  }
}

void check_replicas(const Json& golden, Configuration c, const char* name) {
  const Dataset data = golden_data(golden);
  for (const auto& [t, states] : golden[name]["states"].items()) {
    CAPTURE(name, t);
    c.steps = std::stoull(t);
    const Replicas found = run_on_quadratic(c, data);
    REQUIRE(found.workers.size() == states.size());
    for (std::size_t i = 0; i < found.workers.size(); ++i) {
      CAPTURE(i);
      check_close(found.workers[i], states[i]);
    }
  }
}

}  // namespace trainyard::test
