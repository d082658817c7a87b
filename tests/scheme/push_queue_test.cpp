// --queue: in which order an asynchronous server takes gradients.
#include <cstdint>

#include "support/catch.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::quick;
using test::train;

namespace {

/// Two fast workers keep the server's port busy, the third computes three times as long.
Configuration crowded(const char* scheme, double queue) {
  Configuration c = quick(scheme, 6, 200);
  c.compute_time = std::chrono::milliseconds(1);
  c.network.latency = std::chrono::milliseconds(1);
  c.stragglers = {{.rank = 5, .factor = 3.0}};
  c.hyperparameters["queue"] = queue;
  return c;
}

}  // namespace

TEST_CASE("the stalest first lowers the largest staleness, not the mean, nor the rate",
          "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const char* scheme : {"ps-async", "staleness-aware", "dc-asgd-c", "dc-asgd-a"}) {
    CAPTURE(scheme);
    const Summary arrival = train(crowded(scheme, 0), data).summary;
    const Summary stalest = train(crowded(scheme, 1), data).summary;
    CHECK(stalest.staleness->max < arrival.staleness->max);
    CHECK(stalest.staleness->mean == Approx(arrival.staleness->mean).epsilon(0.02));
    CHECK(stalest.seconds == Approx(arrival.seconds).epsilon(0.02));
    CHECK(stalest.messages == arrival.messages);  // who is ready says so for nothing
    CHECK(stalest.bytes_sent == arrival.bytes_sent);
  }
}

TEST_CASE("workers that are all alike are served in one order, whatever the queue's", "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const int workers : {1, 2, 5}) {
    CAPTURE(workers);
    Configuration c = quick("ps-async", workers, 50);
    c.network.latency = std::chrono::milliseconds(1);
    const RunResult arrival = train(c, data);
    c.hyperparameters["queue"] = 1;
    const RunResult stalest = train(c, data);
    CHECK(stalest.summary.model_hash == arrival.summary.model_hash);
    // With two the port is idle now and then, and who is ready then is asked behind an answer.
    if (workers != 2) CHECK(stalest.summary.seconds == arrival.summary.seconds);
  }
}

TEST_CASE("the stalest first with several servers, and with threads", "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const int servers : {2, 3, 8}) {
    CAPTURE(servers);
    Configuration c = crowded("ps-async", 1);
    c.servers = servers;
    const Summary shards = train(c, data).summary;
    CHECK(shards.steps == 200);
    CHECK(shards.staleness->mean == Approx(5.0).epsilon(0.1));
  }
  Configuration c = quick("ps-async", 3, 30);
  c.time = TimeMode::wall;
  c.servers = 2;
  c.hyperparameters["queue"] = 1;
  CHECK(train(c, data).summary.steps == 30);
}
