// Epochs that end before all of their minibatches are there.
#include "support/catch.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::quick;
using test::train;

namespace {

/// 400 rows, 4 workers, minibatches of 4 rows: an epoch is 25 minibatches of each.
Configuration configuration(double share, std::uint64_t epochs) {
  Configuration c = quick("ps-async-epochs", 4, 25 * epochs);
  c.hyperparameters["epoch-share"] = share;
  return c;
}

}  // namespace

TEST_CASE("with equal workers an epoch's end is no wait, whatever the share", "[scheme]") {
  const LoadedData data = test::dense_problem();
  Configuration c = configuration(1.0, 4);
  const Summary all = train(c, data).summary;
  CHECK(all.seconds == Approx(100e-3));
  c.hyperparameters["epoch-share"] = 0.75;
  const Summary most = train(c, data).summary;
  CHECK(most.seconds == Approx(100e-3));
  c.scheme = "ps-async";  // nobody has done its part when three quarters of all are there
  CHECK(train(c, data).summary.model_hash == most.model_hash);
  CHECK(all.model_hash != most.model_hash);
}

TEST_CASE("an epoch waits for a slow worker only if its share is needed",
          "[scheme][rule:ps-async-epochs]") {
  const LoadedData data = test::dense_problem();
  // Three workers at 1 ms and one at 10 ms.
  const auto seconds = [&](double share) {
    Configuration c = configuration(share, 8);
    c.stragglers = {{2, 10.0}};
    return train(c, data).summary.seconds;
  };
  // The whole epoch lasts as long as the slow one's 25 minibatches. (What is left when the run ends
  // in the middle of an epoch is taken by the others.)
  CHECK(seconds(1.0) == Approx(8 * 0.25).epsilon(0.15));
  // An epoch ends with its 75th minibatch: 25 of each of the others less what the slow one brings.
  CHECK(seconds(0.75) == Approx(800.0 / 77 * 0.025).epsilon(0.05));
}

TEST_CASE("epochs end on threads too, in the middle of one as well", "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const int workers : {1, 3, 7}) {
    for (const std::uint64_t steps : {1U, 24U, 60U}) {
      const int servers = steps == 24 ? 3 : 1;
      CAPTURE(workers, steps, servers);
      Configuration c = quick("ps-async-epochs", workers, steps);
      c.servers = servers;
      c.time = TimeMode::wall;
      c.network = {.latency = std::chrono::microseconds(20), .bytes_per_second = 1e9};
      const Summary s = train(c, data).summary;
      CHECK(s.samples == steps * static_cast<std::uint64_t>(workers) * 4U);
    }
  }
}

TEST_CASE("epochs end for all servers at once: their shards are those of one server", "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const double share : {0.5, 0.75, 1.0}) {
    for (const std::size_t batch : {4U, 100U}) {  // 100: an epoch is one minibatch of each worker
      for (const std::uint64_t seed : {1U, 2U, 3U}) {
        CAPTURE(share, batch, seed);
        Configuration c = configuration(share, 6);
        c.batch = batch;
        c.seed = seed;
        c.stragglers = {{2, 3.7}};
        c.compute_noise.exponential = 0.4;  // no two messages at the same moment
        const Summary one = train(c, data).summary;
        c.servers = 3;
        const Summary three = train(c, data).summary;
        CHECK(three.model_hash == one.model_hash);
        CHECK(three.seconds == one.seconds);
        CHECK(three.staleness->mean == Approx(one.staleness->mean));
      }
    }
  }
}

TEST_CASE("several servers end their epochs on a network that takes time", "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const int servers : {2, 5}) {
    for (const double share : {0.3, 0.75, 1.0}) {
      for (const double microseconds : {1.0, 400.0}) {
        CAPTURE(servers, share, microseconds);
        Configuration c = configuration(share, 5);
        c.servers = servers;
        c.stragglers = {{1, 5.0}};
        c.network = {.latency = seconds(microseconds * 1e-6), .bytes_per_second = 1e6};
        c.network.jitter = {Jitter::Kind::exponential, std::chrono::microseconds(200)};
        const Summary s = train(c, data).summary;
        CHECK(s.samples == 25U * 5U * 4U * 4U);
        CHECK(s.train_loss < 0.69);
      }
    }
  }
}

namespace {

/// 60 rows, and an epoch is one minibatch of each worker.
Configuration one_minibatch_each(int workers, int servers, double share, std::uint64_t seed) {
  Configuration c = quick("ps-async-epochs", workers, 25);
  c.batch = 60 / static_cast<std::size_t>(workers);
  c.servers = servers;
  c.seed = seed;
  c.hyperparameters["epoch-share"] = share;
  return c;
}

}  // namespace

// What the first server says of an epoch's end and the push that is the last of that epoch travel
// apart, and either may come first.
TEST_CASE("an epoch of one minibatch each ends whatever overtakes what", "[scheme]") {
  const LoadedData data = test::dense_problem(60, 20);
  for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
    for (const int workers : {1, 2, 3}) {
      for (const int servers : {2, 3}) {
        for (const double share : {0.4, 0.75, 1.0}) {
          for (const std::uint64_t seed : {1U, 2U}) {
            const bool wall = time == TimeMode::wall;
            CAPTURE(wall, workers, servers, share, seed);
            Configuration c = one_minibatch_each(workers, servers, share, seed);
            c.time = time;
            if (!wall) {
              c.network = {.latency = std::chrono::milliseconds(5), .bytes_per_second = 1e5};
              c.network.ports = PortMode::cutthrough;
              c.network.jitter = {Jitter::Kind::exponential, std::chrono::milliseconds(20)};
              c.network.charge_control = true;  // what the first server says takes time as well
            }
            const Summary s = train(c, data).summary;
            CHECK(s.samples == 25U * 60U);
            if (workers == 1) CHECK(s.staleness->mean == 0.0);  // nobody else changes a shard
          }
        }
      }
    }
  }
}
