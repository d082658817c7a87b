#include "support/catch.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::quick;
using test::train;

TEST_CASE("one worker of 8 ten times as slow: synchronous schemes wait, asynchronous ones hardly",
          "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const char* scheme : {"ps-sync", "ring", "gossip", "ps-async", "hogwild"}) {
    CAPTURE(scheme);
    Configuration c = quick(scheme, 8, 100);
    const double even = train(c, data).summary.seconds;
    c.stragglers = {{3, 10.0}};
    const double uneven = train(c, data).summary.seconds;
    const bool synchronous = std::string(scheme) != "ps-async" && std::string(scheme) != "hogwild";
    if (synchronous) {
      CHECK(uneven == Approx(10 * even).epsilon(1e-9));
    } else {
      CHECK(uneven < 1.25 * even);  // 8 workers do the work of 7.1
    }
  }
}
