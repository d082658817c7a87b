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

TEST_CASE("where the time goes adds up for many workers and many hours", "[scheme]") {
  Configuration c = quick("gossip", 256, 20);
  c.ingredients["topology"] = "one-peer-exp";
  c.compute_time = std::chrono::hours(1);
  const Summary s = train(c, test::dense_problem()).summary;  // 213 days of computing in all
  CHECK(s.compute_s == Approx(72000));
  CHECK(s.compute_s + s.transfer_s + s.wait_s == Approx(s.seconds));
}

TEST_CASE("hogwild's step decays with what all have done, as the server's does", "[scheme]") {
  const LoadedData data = test::sparse_problem();
  Configuration c = quick("ps-async", 2, 1000);
  c.optimizer.lr_decay = 10;
  c.optimizer.lr = 4;
  c.stragglers = {{1, 100.0}};
  const double server = train(c, data).summary.train_loss;
  c.scheme = "hogwild";
  CHECK(train(c, data).summary.train_loss == Approx(server).epsilon(0.01));
}
