// Schemes whose servers run on the workers' machines and share their ports.
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/left_out.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::quick;
using test::train;

namespace {

Configuration colocated(const std::string& scheme, int workers, int servers, std::uint64_t steps) {
  Configuration c = quick(scheme, workers, steps);
  c.servers = servers;
  c.network.server_placement = ServerPlacement::colocated;
  return c;
}

/// α = 1.5 s; the whole model of 840 parameters takes t = 5 s.
void make_slow(Configuration& c) {
  c.network.latency = seconds(1.5);
  c.network.bytes_per_second = 840 * 4 / 5.0;
  c.compute_time = seconds(3.0);
}

std::uint64_t bytes_received(const RunResult& result) {
  std::uint64_t bytes = 0;
  for (const RankAccount& account : result.accounts) bytes += account.bytes_received;
  return bytes;
}

}  // namespace

// Worker w pushes shard w + r in round r; round 0 is to itself, and free. So is round 0 of the
// answers. What is left is what ps-colocated sends: the same messages over the same ports.
TEST_CASE("ps-sync on the workers' ports takes what an all-reduce over ps-colocated does",
          "[scheme]") {
  for (const std::size_t parameters : {std::size_t{840}, std::size_t{29}}) {  // 29: uneven shards
    const LoadedData data = test::dense_problem(50, parameters);
    for (int n = 1; n <= 9; ++n) {
      CAPTURE(parameters, n);
      Configuration c = colocated("ps-sync", n, n, 1);
      make_slow(c);
      const Summary server = train(c, data).summary;
      c.scheme = "all-reduce";
      c.ingredients["collective"] = "ps-colocated";
      const Summary all_reduce = train(c, data).summary;
      CHECK(server.seconds == all_reduce.seconds);
      CHECK(server.bytes_sent == all_reduce.bytes_sent);
      CHECK(server.bytes_sent == 2U * static_cast<unsigned>(n - 1) * parameters * 4);
      CHECK(server.messages == all_reduce.messages);
      CHECK(server.train_loss == Approx(all_reduce.train_loss).epsilon(1e-5));
      if (parameters == 840 && 840 % n == 0) {
        CHECK(server.seconds == Approx(3.0 + 2 * (n - 1) * (1.5 + 5.0 / n)).epsilon(1e-12));
      }
    }
  }
}

TEST_CASE("one server beside a worker saves that worker's messages", "[scheme]") {
  const LoadedData data = test::dense_problem(50, 840);
  for (int n = 1; n <= 5; ++n) {
    CAPTURE(n);
    Configuration c = colocated("ps-sync", n, 1, 1);
    make_slow(c);
    const Summary s = train(c, data).summary;
    CHECK(s.seconds == Approx(3.0 + 2 * (n - 1) * 6.5).epsilon(1e-12));
    CHECK(s.messages == 2U * static_cast<unsigned>(n - 1));
  }
}

TEST_CASE("where servers run changes no bit of what synchronous schemes compute", "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const char* scheme : {"ps-sync", "double-squeeze", "ps-hierarchical", "fedavg"}) {
    Configuration c = colocated(scheme, 4, 4, 12);
    c.network.latency = std::chrono::microseconds(10);
    const std::string hash = train(c, data).summary.model_hash;
    for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
      for (const auto placement : {ServerPlacement::dedicated, ServerPlacement::colocated}) {
        CAPTURE(scheme, time_mode_text(time), server_placement_text(placement));
        c.time = time;
        c.network.server_placement = placement;
        CHECK(train(c, data).summary.model_hash == hash);
      }
    }
  }
}

// c = 3 s, a message takes 1.25 s. Worker 0 has the server at home: its steps end at 3 and 6, and
// cost it nothing more. Worker 1's first gradient is there at 4.25, and its model at 5.5; then it
// takes the fourth and last minibatch, whose model is there at 5.5 + 3 + 2 · 1.25 = 11.
TEST_CASE("ps-async: who has the server at home waits for nobody", "[scheme]") {
  const LoadedData data = test::dense_problem(50, 840);
  Configuration c = colocated("ps-async", 2, 1, 2);
  c.compute_time = seconds(3.0);
  c.network.latency = seconds(0.25);
  c.network.bytes_per_second = 840 * 4.0;
  const RunResult result = train(c, data);
  CHECK(result.summary.seconds == Approx(11.0).epsilon(1e-12));
  CHECK(result.summary.messages == 4);
  CHECK(result.summary.bytes_sent == 4U * 840 * 4);
  // Applied at 3 (new), 4.25 (one late), 6 (one late) and 9.75 (one late).
  CHECK(result.staleness.mean() == Approx(0.75));
}

// Two groups of four: a proxy hears three members, 3m. Proxy 0 is at home with the root; proxy 1's
// sum takes m, and so does its answer, which goes out before proxy 0's three and delays them.
TEST_CASE("a proxy runs on a machine of its group", "[scheme]") {
  const LoadedData data = test::dense_problem(50, 840);
  Configuration c = colocated("ps-hierarchical", 8, 2, 1);
  make_slow(c);
  CHECK(train(c, data).summary.seconds == Approx(3.0 + (3 + 1 + 1 + 3) * 6.5).epsilon(1e-12));
}

TEST_CASE("colocated servers stand in their workers' racks", "[scheme]") {
  const LoadedData data = test::dense_problem(50, 840);
  Configuration c = colocated("ps-sync", 4, 4, 1);
  c.network.racks = 2;
  c.network.latency = seconds(1.0);
  c.network.between_latency = seconds(10.0);
  c.compute_time = Duration{0};
  // Each way: in round 1 workers 0 and 2 stay in their racks and 1 and 3 cross, all cross in round
  // 2, and in round 3 those who stayed before. The next round waits for ports that are still
  // receiving from afar, so each takes 10 s.
  CHECK(train(c, data).summary.seconds == 60.0);
}

TEST_CASE("every scheme with servers runs with them on the workers' machines", "[scheme]") {
  const LoadedData data = test::dense_problem();
  for (const Scheme& scheme : schemes()) {
    Configuration c = colocated(scheme.name, 4, 4, 24);  // easgd exchanges every tenth step
    c.hyperparameters = with_fallbacks(scheme, {}, 4);
    if (cast_of(scheme, c).servers == 0) continue;
    c.network.latency = std::chrono::microseconds(20);
    c.network.bytes_per_second = 1e8;
    for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
      CAPTURE(scheme.name, time_mode_text(time));
      c.time = time;
      const RunResult result = train(c, data);
      CHECK(!result.summary.diverged);
      // What nobody waits for may be under way when a run ends.
      CHECK(bytes_received(result) <= result.summary.bytes_sent);
      if (test::is_synchronous(scheme) && scheme.order.pace == Pace::lockstep) {
        CHECK(bytes_received(result) == result.summary.bytes_sent);
      }
    }
    c.time = TimeMode::simulated;
    const RunResult together = train(c, data);
    CHECK(train(c, data).summary.model_hash == together.summary.model_hash);
    c.network.server_placement = ServerPlacement::dedicated;
    const std::uint64_t apart = train(c, data).summary.bytes_sent;
    CAPTURE(scheme.name);
    if (scheme.name == "fused-all-reduce") {  // its coordinator is sent no bytes anywhere
      CHECK(together.summary.bytes_sent == apart);
    } else {
      CHECK(together.summary.bytes_sent < apart);
    }
  }
}

TEST_CASE("with servers on the workers' machines a step takes the closed form that there is",
          "[scheme]") {
  const LoadedData data = test::dense_problem(50, 840);
  int known = 0;
  for (const Scheme& scheme : schemes()) {
    if (scheme.cost.time_colocated == nullptr) continue;
    for (int n = 1; n <= 9; ++n) {
      for (int k = 1; k <= n; ++k) {
        Configuration c = colocated(scheme.name, n, k, 1);
        make_slow(c);
        c.hyperparameters = with_fallbacks(scheme, {}, n);
        for (int backups = 0; backups < (scheme.name == "ps-backup" ? n : 1); ++backups) {
          if (scheme.name == "ps-backup") c.hyperparameters["backups"] = backups;
          const auto time = scheme.cost.time_colocated({.workers = n,
                                                        .servers = k,
                                                        .parameters = 840,
                                                        .compute = *c.compute_time,
                                                        .message = FloatMessages{c.network},
                                                        .message_of_bytes = ByteMessages{c.network},
                                                        .ingredients = {},
                                                        .hyperparameters = c.hyperparameters});
          CHECK(time.has_value() == (k == 1 || (scheme.name == "ps-sync" && k == n)));
          if (!time) continue;
          ++known;
          CAPTURE(scheme.name, n, k, backups);
          CHECK(to_seconds(*time) == Approx(train(c, data).summary.seconds).epsilon(1e-9));
        }
      }
    }
  }
  CHECK(known >= 5 * 9);
}

TEST_CASE("the proxies' and the servers' hosts", "[scheme]") {
  using Hosts = std::vector<int>;
  const auto colocated = [](const Cast& cast) {
    return hosts_of(cast, ServerPlacement::colocated);
  };
  CHECK(colocated({.workers = 4, .servers = 4}) == Hosts{0, 1, 2, 3, 0, 1, 2, 3});
  CHECK(colocated({.workers = 8, .servers = 3}) == Hosts{0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 5});
  CHECK(colocated({.workers = 2, .servers = 4}) == Hosts{0, 1, 0, 0, 1, 1});
  CHECK(colocated({.workers = 7, .servers = 4, .proxies = 3}) ==
        Hosts{0, 1, 2, 3, 4, 5, 6, 0, 2, 4, 0});
  CHECK(colocated({.workers = 3}) == Hosts{0, 1, 2});
  CHECK(hosts_of({.workers = 4, .servers = 4}, ServerPlacement::dedicated).empty());
}
