// Ports that send and receive at different speeds.
#include <utility>
#include <vector>

#include "trainyard/network/links.hpp"
#include "trainyard/network/network.hpp"
#include "trainyard/network/switch.hpp"

#include "support/catch.hpp"

using namespace trainyard;

namespace {

/// Two workers and a server, 1 s a message: the server has 8 B/s, workers send 2 and receive 4.
Network unequal() {
  Network network{.latency = seconds(1), .bytes_per_second = 8.0};
  network.up_bytes_per_second = 2.0;
  network.down_bytes_per_second = 4.0;
  return network;
}

double alone(const Network& network, int from, int to, std::span<const int> hosts = {}) {
  Switch sw(network, 2, 1, hosts);
  double end = -1.0;
  sw.post(from, to, 8, Time{0});
  sw.advance(Time::max() - Time{1}, [&](const Transfer& t) { end = to_seconds(t.end); });
  return end;
}

}  // namespace

TEST_CASE("a message goes at the speed of the slower of its two ports", "[network]") {
  constexpr int server = 2;
  CHECK(alone(unequal(), 0, server) == 1.0 + 8.0 / 2.0);
  CHECK(alone(unequal(), server, 0) == 1.0 + 8.0 / 4.0);
  CHECK(alone(unequal(), 0, 1) == 1.0 + 8.0 / 2.0);
  Network network = unequal();
  network.up_bytes_per_second.reset();  // as --bandwidth
  CHECK(alone(network, 0, server) == 1.0 + 8.0 / 8.0);
  CHECK(alone(network, 0, 1) == 1.0 + 8.0 / 4.0);
  network.down_bytes_per_second = 16.0;  // faster than the server sends
  CHECK(alone(network, server, 0) == 1.0 + 8.0 / 8.0);
  CHECK(alone(network, 0, 1) == 1.0 + 8.0 / 8.0);
}

TEST_CASE("a server on a worker's machine has its ports", "[network]") {
  const std::vector<int> hosts{0, 1, 0};
  CHECK(alone(unequal(), 1, 2, hosts) == 1.0 + 8.0 / 2.0);
  CHECK(alone(unequal(), 2, 1, hosts) == 1.0 + 8.0 / 2.0);
  const std::vector<int> apart{0, 1, own_machine};
  CHECK(alone(unequal(), 2, 1, apart) == 1.0 + 8.0 / 4.0);
}

TEST_CASE("links and windows that are narrower than the ports say how fast it goes", "[network]") {
  Network network = unequal();
  network.tcp_window = 6;  // 3 B/s in a round trip of 2 s
  CHECK(alone(network, 2, 0) == Approx(1.0 + 8.0 / 3.0));
  CHECK(alone(network, 0, 2) == 1.0 + 8.0 / 2.0);
  network = unequal();
  network.links.named = {{.from = 0, .to = 2, .link = {seconds(3), 1.0}},
                         {.from = 2, .to = 0, .link = {seconds(3), 100.0}}};
  CHECK(alone(network, 0, 2) == 3.0 + 8.0);
  CHECK(alone(network, 2, 0) == 3.0 + 8.0 / 4.0);
  network = unequal();
  network.racks = 2;
  network.between_bytes_per_second = 1.0;
  CHECK(alone(network, 0, 1) == 1.0 + 8.0);
  network.between_bytes_per_second.reset();
  network.between_latency = seconds(5);
  CHECK(alone(network, 0, 1) == 5.0 + 8.0 / 2.0);
}

TEST_CASE("unequal ports are no perfect network, and no link like any other", "[network]") {
  Network network;
  network.up_bytes_per_second = 1.0;
  CHECK_FALSE(network.perfect());
  CHECK_FALSE(network.equal_links());
  CHECK(to_seconds(network.message_time(8)) == 8.0);  // from worker to worker
}

TEST_CASE("a smaller model takes as long on unequal ports that are as much slower", "[network]") {
  for (const std::uint64_t window : {0, 6}) {
    Network network = unequal();
    network.tcp_window = window;
    Network slower = network;
    slow_down(slower, 0.5);
    for (const auto& [from, to] : {std::pair(0, 2), std::pair(2, 0), std::pair(0, 1)}) {
      CAPTURE(window, from, to);
      const Link link = Links(network, 2, 1).between(from, to);
      const Link other = Links(slower, 2, 1).between(from, to);
      CHECK(other.bytes_per_second == Approx(link.bytes_per_second / 2.0));
      CHECK(other.latency == link.latency);
    }
  }
}
