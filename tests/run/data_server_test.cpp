// Rows that come from a data server: what they cost, and that they change nothing else.
#include "trainyard/runtime/data_server.hpp"

#include <array>
#include <cstdint>

#include "trainyard/configuration/options.hpp"
#include "trainyard/network/links.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/left_out.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::quick;
using test::train;

namespace {

constexpr std::size_t features = 20;
/// A row of as many floats, and its label.
constexpr std::uint64_t row_bytes = 4 * features + 4;

Configuration over_network(const std::string& scheme, int workers, std::uint64_t steps) {
  Configuration c = quick(scheme, workers, steps);
  c.network = {.latency = std::chrono::milliseconds(1), .bytes_per_second = 1e6};
  return c;
}

RunResult with_data_server(Configuration c, const LoadedData& data) {
  c.data_source = DataSource::server;
  return train(c, data);
}

bool takes_data_server(const Scheme& scheme) {
  const Cast cast = cast_of(scheme, 4, 2, {}, with_fallbacks(scheme, {}, 4));
  return cast.model != ModelHome::shared && cast.holds == nullptr;
}

}  // namespace

TEST_CASE("every scheme's rows can come from a data server, and are counted", "[run]") {
  const LoadedData data = test::dense_problem(400, features);
  int of_equal_bits = 0;
  for (const Scheme& scheme : schemes()) {
    if (!takes_data_server(scheme)) continue;
    CAPTURE(scheme.name);
    Configuration c = over_network(scheme.name, 4, 12);
    c.servers = 2;
    const RunResult near = train(c, data), far = with_data_server(c, data);
    CHECK(far.summary.servers == near.summary.servers + 1);
    const RankAccount& server = far.accounts.back();
    CHECK(server.bytes_sent > 0);
    CHECK(server.bytes_sent % row_bytes == 0);
    CHECK(server.bytes_received == 0);
    CHECK(far.summary.seconds > near.summary.seconds);
    if (!test::is_synchronous(scheme) || scheme.order.pace != Pace::lockstep) continue;
    if (scheme.family == SchemeFamily::bounded) continue;
    ++of_equal_bits;
    CHECK(far.summary.model_hash == near.summary.model_hash);
    CHECK(server.bytes_sent == far.summary.samples_computed * row_bytes);
    CHECK(far.summary.bytes_sent == near.summary.bytes_sent + server.bytes_sent);
  }
  CHECK(of_equal_bits > 15);
}

// Rows leave the data server one minibatch after the other, in T; a push takes M ≤ T, so that each
// worker's is over before the next one's gradient is there; then the server answers all.
TEST_CASE("a step with a data server takes n messages with rows more", "[run]") {
  const LoadedData data = test::dense_problem(400, features);
  constexpr double rows_s = 1e-3 + 4 * row_bytes / 1e6, model_s = 1e-3 + 4 * features / 1e6;
  constexpr double compute_s = 1e-3;
  for (const int n : {1, 2, 3, 8}) {
    CAPTURE(n);
    Configuration c = over_network("ps-sync", n, 1);
    CHECK(with_data_server(c, data).summary.seconds ==
          Approx(n * rows_s + compute_s + (1 + n) * model_s).epsilon(1e-9));
    // The model's server shares worker 0's machine, and the data server none.
    c.network.server_placement = ServerPlacement::colocated;
    if (n > 1) {
      CHECK(with_data_server(c, data).summary.seconds ==
            Approx(n * rows_s + compute_s + n * model_s).epsilon(1e-9));
    }
    // One rank takes the rows of all in one message.
    c = over_network("sequential", n, 5);
    CHECK(with_data_server(c, data).summary.seconds ==
          Approx(5 * (1e-3 + n * 4 * row_bytes / 1e6 + n * compute_s)).epsilon(1e-9));
  }
}

TEST_CASE("of sparse rows the nonzeros are sent", "[run]") {
  const LoadedData data = test::sparse_problem(400, 300);
  const Configuration c = over_network("ring", 4, 25);  // of 4 · 4 rows: one pass
  CHECK(with_data_server(c, data).accounts.back().bytes_sent ==
        400 * (4 + 4) + 8 * data.train.nonzeros());

  const RowRange some{&data.train, 7, 3};
  std::uint64_t nonzeros = 0;
  for (std::size_t row = 7; row < 10; ++row) {
    nonzeros += data.train.sparse_row(row).values.size();
  }
  CHECK(bytes_of_rows({&some, 1}) == 3 * 8 + 8 * nonzeros);
}

TEST_CASE("threads get their rows from a data server as fibers do", "[run]") {
  const LoadedData data = test::dense_problem(400, features);
  for (const char* scheme : {"ring", "ps-sync", "gossip", "ps-async"}) {
    CAPTURE(scheme);
    Configuration c = quick(scheme, 3, 12);
    const RunResult fibers = with_data_server(c, data);
    c.time = TimeMode::wall;
    const RunResult threads = with_data_server(c, data);
    CHECK(threads.accounts.back().bytes_sent == 3 * 12 * 4 * row_bytes);
    if (std::string(scheme) != "ps-async") {
      CHECK(threads.summary.model_hash == fibers.summary.model_hash);
    }
  }
}

TEST_CASE("a data server has a machine of its own", "[run]") {
  using Hosts = std::vector<int>;
  const auto colocated = ServerPlacement::colocated;
  CHECK(hosts_of({.workers = 4, .servers = 2, .data_servers = 1}, colocated) ==
        Hosts{0, 1, 2, 3, 0, 2, own_machine});
  CHECK(hosts_of({.workers = 4, .data_servers = 1}, colocated) == Hosts{0, 1, 2, 3, own_machine});

  // Ranks 4 and 6 have machines of their own, rank 5 shares worker 1's.
  const std::array hosts{0, 1, 2, 3, own_machine, 1, own_machine};
  const Links links({}, 4, 3, hosts);
  CHECK(links.within_machine(5, 1));
  for (const auto& [from, to] : {std::pair{4, 0}, {4, 6}, {6, 4}, {5, 0}, {0, 6}}) {
    CAPTURE(from, to);
    CHECK_FALSE(links.within_machine(from, to));
    const PortPair ports = links.ports_of(from, to), back = links.ports_of(to, from);
    CHECK(ports.send == back.receive);
    CHECK(ports.receive == back.send);
    CHECK(std::max(ports.send, ports.receive) < links.ports());
  }
  CHECK(links.ports_of(4, 0).send != links.ports_of(6, 0).send);
  CHECK(links.ports_of(4, 0).send != links.ports_of(1, 1).send);
}

TEST_CASE("a data server is refused where rows lie in shared memory or layers are divided",
          "[run]") {
  const LoadedData data{"blobs", generate_blobs(100, 12, 4, 1.0, 3), {}};
  Configuration c = quick("hogwild", 2, 4);
  CHECK_THROWS_WITH(with_data_server(c, data), ContainsSubstring("hogwild has its workers in one"));
  c = quick("gpipe", 2, 4);
  c.model = "mlp:10,8";
  CHECK_THROWS_WITH(with_data_server(c, data), ContainsSubstring("gpipe divides the model"));
  CHECK_THROWS_WITH(option_named("data-source").set(c, "serve", "--data-source"),
                    ContainsSubstring("partitioned"));
}
