// Runs that are cut into legs (checkpoint_test.cpp has what goes from one to the next).
#include <chrono>

#include "run/small_runs.hpp"
#include "support/catch.hpp"

namespace trainyard {

using namespace std::chrono_literals;

TEST_CASE("a clock that stands still is said to in legs as well", "[run][legs]") {
  // It would send for the first time after 100,000 steps, in its 143rd leg.
  Configuration c = small_configuration("local-sgd");
  c.compute_time = Duration{0};
  c.network.latency = 1ms;
  c.hyperparameters["period"] = 100'000.0;
  c.checkpoint_every = 700.0 / 15.0;
  c.epochs.reset();
  c.seconds = 1s;
  CHECK_THROWS_WITH(run_small(c), ContainsSubstring("the clock stands still"));
}

}  // namespace trainyard
