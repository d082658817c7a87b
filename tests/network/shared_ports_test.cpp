// Ranks that share a machine and its two ports.
#include <array>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/base/random.hpp"
#include "trainyard/network/links.hpp"
#include "trainyard/network/switch.hpp"

#include "support/catch.hpp"

using namespace trainyard;

namespace {

struct Post {
  int from = 0, to = 0;
  Time at{0};
  std::uint64_t bytes = 8;
};

/// When each has started and arrived.
std::vector<std::pair<double, double>> played(Switch sw, const std::vector<Post>& posts) {
  std::vector<std::pair<double, double>> times(posts.size());
  const auto keep = [&](const Transfer& t) {
    times[t.id] = {to_seconds(t.start), to_seconds(t.end)};
  };
  for (const Post& post : posts) {
    sw.advance(post.at - Time{1}, keep);
    sw.post(post.from, post.to, post.bytes, post.at);
  }
  sw.advance(Time::max() - Time{1}, keep);
  return times;
}

/// 1 s and 4 B/s: 8 bytes take 3 s.
Network slow(PortMode ports = PortMode::circuit) {
  return {.latency = seconds(1), .bytes_per_second = 4.0, .ports = ports};
}

using Times = std::vector<std::pair<double, double>>;

}  // namespace

TEST_CASE("a worker and its server share one port each way by hand", "[network]") {
  const std::array hosts{0, 1, 0, 1};  // servers 2 and 3 on the machines of workers 0 and 1
  // 0→3 and 2→1 want the same two ports. 0→2 and 1→3 stay inside. 3→0 has the way back to itself.
  const std::vector<Post> posts{{0, 3}, {2, 1}, {0, 2}, {3, 0}, {1, 3}};
  CHECK(played(Switch(slow(), 2, 2, hosts), posts) ==
        Times{{0, 3}, {3, 6}, {0, 0}, {0, 3}, {0, 0}});
  // The send port is held for 2 s, and the first bit comes after 1 s, when the last reception ends.
  CHECK(played(Switch(slow(PortMode::cutthrough), 2, 2, hosts), posts) ==
        Times{{0, 3}, {2, 5}, {0, 0}, {0, 3}, {0, 0}});
  // With ports of their own only what is addressed to one rank waits, and here nothing is.
  CHECK(played(Switch(slow(), 2, 2), posts) == Times{{0, 3}, {0, 3}, {3, 6}, {0, 3}, {3, 6}});
}

TEST_CASE("a machine's messages are one queue whoever of it posts them", "[network]") {
  const std::array hosts{0, 1, 2, 0, 1, 2};
  // 2→1 holds machine 1; 0→1 waits for it, and so does what server 3 posts behind it.
  const std::vector<Post> posts{{2, 1}, {0, 1, seconds(1)}, {3, 5, seconds(1)}, {3, 0, seconds(2)}};
  CHECK(played(Switch(slow(), 3, 3, hosts), posts) == Times{{0, 3}, {3, 6}, {6, 9}, {2, 2}});
}

TEST_CASE("ranks that share ports are one rank of a plain switch to the others", "[network]") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    RandomStream random(seed, Purpose::network);
    const int n = 2 + static_cast<int>(random.below(5));
    const int servers = static_cast<int>(random.below(7));
    std::vector<int> machine;  // of each rank; workers may share one, too
    for (int w = 0; w < n; ++w) {
      const bool shares = w > 0 && random.below(3) == 0;
      machine.push_back(shares ? machine[random.below(static_cast<std::uint64_t>(w))] : w);
    }
    for (int s = 0; s < servers; ++s) {
      machine.push_back(static_cast<int>(random.below(static_cast<std::uint64_t>(n))));
    }
    const Network network = slow(random.below(2) == 0 ? PortMode::circuit : PortMode::cutthrough);
    std::vector<Post> all, between_machines;
    std::vector<bool> leaves;
    Time at{0};
    const auto rank = [&] {
      return static_cast<int>(random.below(static_cast<std::uint64_t>(n + servers)));
    };
    for (int i = 0; i < 60; ++i) {
      const int from = rank(), to = rank();
      if (from == to) continue;
      at += seconds(static_cast<double>(random.below(3)));
      all.push_back({from, to, at, 1 + random.below(20)});
      const Post seen{machine[static_cast<std::size_t>(from)],
                      machine[static_cast<std::size_t>(to)], at, all.back().bytes};
      leaves.push_back(seen.from != seen.to);
      if (leaves.back()) between_machines.push_back(seen);
    }
    const Times times = played(Switch(network, n, servers, machine), all);
    const Times plain = played(Switch(network, n), between_machines);
    std::size_t next = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double posted = to_seconds(all[i].at);
      REQUIRE(times[i] == (leaves[i] ? plain[next++] : std::pair(posted, posted)));
    }
  }
}

TEST_CASE("a server stands in its worker's rack", "[network]") {
  Network network = slow();
  network.racks = 2;
  network.between_latency = seconds(10);
  const std::array hosts{0, 1, 2, 3, 3, 0, 1};
  const Links links(network, 4, 3, hosts);  // racks {0, 1, 5, 6} and {2, 3, 4}
  const std::array rack{0, 0, 1, 1, 1, 0, 0};
  for (std::size_t from = 0; from < rack.size(); ++from) {
    for (std::size_t to = 0; to < rack.size(); ++to) {
      CAPTURE(from, to);
      CHECK(to_seconds(links.between(static_cast<int>(from), static_cast<int>(to)).latency) ==
            (rack[from] == rack[to] ? 1 : 10));
    }
  }
  CHECK(links.within_machine(3, 4));
  CHECK(!links.within_machine(2, 4));
  CHECK(!Links(network, 4, 3).within_machine(0, 0));  // nobody shares one
}

TEST_CASE("neither jitter nor charged control traffic touches what stays within a machine",
          "[network]") {
  Network network = slow();
  network.charge_control = true;
  network.jitter = {Jitter::Kind::uniform, seconds(1)};
  const std::array hosts{0, 1, 0, 1};
  const auto times = played(Switch(network, 2, 2, hosts), {{0, 2, Time{0}, 0}, {2, 0}, {0, 1}});
  CHECK(times[0] == std::pair(0.0, 0.0));
  CHECK(times[1] == std::pair(0.0, 0.0));
  CHECK(times[2].second > 3.0);
}

TEST_CASE("every rank has the machine of a worker", "[network]") {
  CHECK_THROWS_AS(Links(slow(), 2, 2, std::array{0, 1, 0}), InternalError);
  CHECK_THROWS_AS(Links(slow(), 2, 1, std::array{0, 1, 2}), InternalError);
  CHECK_THROWS_AS(Links(slow(), 2, 1, std::array{0, 1, -1}), InternalError);
}
