#include "trainyard/network/switch.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/base/random.hpp"

#include "support/catch.hpp"
#include "support/oracles.hpp"

using namespace trainyard;

namespace {

struct Post {
  double at;
  int from, to;
  std::uint64_t bytes;
};

/// Runs a prepared list of messages through a switch; transfers by id.
std::vector<Transfer> play(const Network& network, int ranks, const std::vector<Post>& posts) {
  Switch sw(network, ranks);
  std::vector<Transfer> transfers(posts.size());
  const auto keep = [&](const Transfer& transfer) { transfers[transfer.id] = transfer; };
  for (const Post& post : posts) {
    // What is posted at one moment is decided together, when the moment is over.
    if (sw.next_event() < seconds(post.at)) sw.advance(seconds(post.at) - Duration(1), keep);
    sw.post(post.from, post.to, post.bytes, seconds(post.at));
  }
  sw.advance(Time::max() - Duration(1), keep);
  return transfers;
}

// Liu & Zhang, examples 1.1 and 1.2: α = 1.5, 5 (compressed: 2.5−1.5 = 1... i.e. 2.5) a message of
// 1 MB.
constexpr std::uint64_t megabyte = 1'000'000;

Network example_network(double transfer_time, PortMode ports) {
  return {.latency = seconds(1.5), .bytes_per_second = 1e6 / transfer_time, .ports = ports};
}

std::vector<Post> example_posts(int third_receiver) {
  // M1→M2 at 5, M2→M1 at 6, M3→M1 (or M2) at 6; here workers are numbered from 0.
  return {{5, 0, 1, megabyte}, {6, 1, 0, megabyte}, {6, 2, third_receiver, megabyte}};
}

double makespan(const std::vector<Transfer>& transfers) {
  Time end{0};
  for (const Transfer& transfer : transfers) end = std::max(end, transfer.end);
  return to_seconds(end) - 5.0;
}

}  // namespace

TEST_CASE("example 1.1: three messages, makespan 14", "[network]") {
  const auto t = play(example_network(5, PortMode::circuit), 3, example_posts(0));
  CHECK(to_seconds(t[0].start) == 5);
  CHECK(to_seconds(t[0].first_bit) == 6.5);
  CHECK(to_seconds(t[0].end) == 11.5);
  CHECK(to_seconds(t[1].start) == 6);
  CHECK(to_seconds(t[1].end) == 12.5);
  CHECK(to_seconds(t[2].start) == 12.5);  // waits for M1's receive port
  CHECK(to_seconds(t[2].first_bit) == 14);
  CHECK(to_seconds(t[2].end) == 19);
  CHECK(makespan(t) == 14);
}

TEST_CASE("example 1.2: compressed to half, makespan 9", "[network]") {
  const auto t = play(example_network(2.5, PortMode::circuit), 3, example_posts(0));
  CHECK(to_seconds(t[0].end) == 9);
  CHECK(to_seconds(t[1].end) == 10);
  CHECK(to_seconds(t[2].end) == 14);
  CHECK(makespan(t) == 9);
}

TEST_CASE("the readings of the examples that the book excludes give other makespans", "[network]") {
  const auto reference = test::read_oracle("switch_reference")["example_1_1_1_2"];
  struct Row {
    const char* key;
    PortMode ports;
    int third_receiver;
  };
  for (const Row& row :
       {Row{"circuit_M3toM1", PortMode::circuit, 0}, Row{"circuit_M3toM2", PortMode::circuit, 1},
        Row{"cut_M3toM1", PortMode::cutthrough, 0}, Row{"cut_M3toM2", PortMode::cutthrough, 1}}) {
    CAPTURE(row.key);
    CHECK(makespan(play(example_network(5, row.ports), 3, example_posts(row.third_receiver))) ==
          reference[row.key][0].get<double>());
    CHECK(makespan(play(example_network(2.5, row.ports), 3, example_posts(row.third_receiver))) ==
          reference[row.key][1].get<double>());
  }
}

TEST_CASE("a blocked head holds up those behind it, and nothing is reserved for it", "[network]") {
  // Rank 0 sends to 2 (busy with rank 1's long message) and then to 3 (idle).
  const Network network{.bytes_per_second = 1.0};
  const auto t = play(network, 4, {{0, 1, 2, 10}, {1, 0, 2, 1}, {1, 0, 3, 1}, {2, 3, 2, 1}});
  CHECK(to_seconds(t[1].start) == 10);
  CHECK(to_seconds(t[2].start) == 11);  // FIFO: not before the head has gone
  CHECK(to_seconds(t[3].start) == 11);  // posted last, starts when the port frees again
}

TEST_CASE("of those that wait for a port the first posted goes first", "[network]") {
  const Network network{.bytes_per_second = 1.0};
  const auto t = play(network, 4, {{0, 1, 0, 5}, {2, 3, 0, 5}, {3, 2, 0, 5}});
  CHECK(to_seconds(t[1].start) == 5);
  CHECK(to_seconds(t[2].start) == 10);
}

TEST_CASE("a perfect network delivers at once", "[network]") {
  const auto t = play(Network{}, 3, {{1, 0, 1, 1000}, {1, 0, 1, 1000}, {1, 2, 1, 0}});
  for (const Transfer& transfer : t) CHECK(to_seconds(transfer.end) == 1);
}

TEST_CASE("something happens in a switch only while a message is queued", "[network]") {
  const Network network{.latency = seconds(2), .bytes_per_second = 1.0};
  const auto ignore = [](const Transfer&) {};
  Switch sw(network, 3);
  CHECK(sw.next_event() == Time::max());
  sw.post(0, 1, 5, seconds(1));
  CHECK(sw.next_event() == seconds(1));
  sw.advance(seconds(1), ignore);
  CHECK(sw.next_event() == Time::max());  // both ports are busy until 8, and nobody waits for them
  sw.post(0, 2, 5, seconds(3));
  CHECK(sw.next_event() == seconds(8));
  sw.advance(seconds(8), ignore);
  CHECK(sw.next_event() == Time::max());
  sw.advance(seconds(14), ignore);
  sw.post(1, 2, 5, seconds(15));  // as the port frees
  CHECK(sw.next_event() == seconds(15));
}

TEST_CASE("misuse of the switch is caught", "[network]") {
  Switch sw(Network{}, 2);
  CHECK_THROWS_AS(sw.post(0, 0, 1, Time{0}), InternalError);
  CHECK_THROWS_AS(sw.post(0, 2, 1, Time{0}), InternalError);
  sw.post(0, 1, 1, Time{0});
  CHECK_THROWS_AS(sw.post(0, 1, 1, Time{5}), InternalError);  // not advanced to 5 yet
}

namespace {

/// The messages in the order of rule 4: by time, by place in the sender's burst, by sender.
std::vector<std::size_t> precedence(const std::vector<Post>& posts) {
  std::vector<std::tuple<double, int, int, std::size_t>> keys;
  std::map<std::pair<int, double>, int> bursts;
  for (std::size_t m = 0; m < posts.size(); ++m) {
    keys.emplace_back(posts[m].at, bursts[{posts[m].from, posts[m].at}]++, posts[m].from, m);
  }
  std::ranges::sort(keys);
  std::vector<std::size_t> order;
  for (const auto& key : keys) order.push_back(std::get<3>(key));
  return order;
}

/// What the reference is told about a message: its latency, and how long its bits take.
struct Cost {
  Time latency, transfer;
};

/// The rule of the catalogue §1.1 read word for word, slowly: at every moment at which something
/// can change, look at all queue heads with two idle ports and start the one that comes first;
/// repeat. With cut-through ports the receive port must be idle when the first bit comes.
std::vector<Transfer> slow_reference(PortMode ports, int ranks, const std::vector<Post>& posts,
                                     const std::vector<Cost>& costs) {
  const bool circuit = ports == PortMode::circuit;
  std::vector<Transfer> transfers(posts.size());
  std::vector<bool> started(posts.size(), false);
  std::vector<Time> send_free(static_cast<std::size_t>(ranks));
  std::vector<Time> receive_free(send_free);
  std::set<Time> moments;
  for (const Post& post : posts) moments.insert(seconds(post.at));
  const std::vector<std::size_t> order = precedence(posts);
  while (!moments.empty()) {
    const Time now = *moments.begin();
    moments.erase(moments.begin());
    bool progress = true;
    while (progress) {
      progress = false;
      std::vector<bool> has_head(static_cast<std::size_t>(ranks), false);
      for (const std::size_t m : order) {
        const auto from = static_cast<std::size_t>(posts[m].from);
        const auto to = static_cast<std::size_t>(posts[m].to);
        if (started[m] || seconds(posts[m].at) > now || has_head[from]) continue;
        has_head[from] = true;
        const Time reaches = circuit ? now : now + costs[m].latency;
        if (send_free[from] > now || receive_free[to] > reaches) continue;
        const Time end = now + costs[m].latency + costs[m].transfer;
        transfers[m].start = now;
        transfers[m].end = end;
        send_free[from] = circuit ? end : now + costs[m].transfer;
        receive_free[to] = end;
        started[m] = progress = true;
        moments.insert(send_free[from]);
        for (std::size_t other = 0; other < posts.size(); ++other) {
          if (posts[other].to != posts[m].to) continue;
          const Time opens = circuit ? end : end - costs[other].latency;
          if (opens > now) moments.insert(opens);
        }
        break;
      }
    }
  }
  return transfers;
}

/// Coarse times, so that many coincide; some with one receiver that all others fight for.
std::vector<Post> random_posts(RandomStream& random, int ranks) {
  std::vector<Post> posts;
  const bool one_receiver = random.below(4) == 0;
  double at = 0.0;
  for (int m = 0; m < 60; ++m) {
    at += 0.5 * static_cast<double>(random.below(3));
    const int from = static_cast<int>(random.below(static_cast<std::uint64_t>(ranks)));
    const int ahead = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(ranks - 1)));
    const int to = one_receiver && from != 0 ? 0 : (from + ahead) % ranks;
    posts.push_back({at, from, to, random.below(6)});
  }
  return posts;
}

Link random_link(RandomStream& random) {
  return {.latency = seconds(0.25 * static_cast<double>(random.below(12))),
          .bytes_per_second =
              random.below(4) == 0 ? 1e300 : 1.0 / static_cast<double>(1 + random.below(3))};
}

/// Equal links, links of two kinds in two racks, or each link for itself; with jitter or without;
/// control free or charged; either kind of ports.
Network random_network(RandomStream& random, int ranks) {
  Network network;
  const Link usual = random_link(random);
  network.latency = usual.latency;
  network.bytes_per_second = usual.bytes_per_second;
  network.ports = random.below(2) == 0 ? PortMode::circuit : PortMode::cutthrough;
  network.charge_control = random.below(2) == 0;
  const std::uint64_t kind = random.below(3);
  if (kind == 1) {
    const Link between = random_link(random);
    network.racks = 2;
    network.between_latency = between.latency;
    network.between_bytes_per_second = between.bytes_per_second;
  }
  if (kind == 2) {
    for (int from = 0; from < ranks; ++from) {
      for (int to = 0; to < ranks; ++to) {
        if (from == to || random.below(3) == 0) continue;
        network.links.named.push_back({from, to, random_link(random)});
      }
    }
  }
  if (random.below(3) == 0) {
    network.jitter = {.kind = static_cast<Jitter::Kind>(1 + random.below(3)),
                      .scale = seconds(0.5)};
  }
  return network;
}

/// Worked out without the library: the link of a message by its description.
Cost expected_cost(const Network& network, int ranks, const Post& post) {
  if (post.bytes == 0 && !network.charge_control) return {};
  Link link{network.latency, network.bytes_per_second};
  const auto rack = [&](int rank) { return 2 * rank >= ranks - ranks % 2 ? 1 : 0; };
  if (network.racks == 2 && rack(post.from) != rack(post.to)) {
    link = {*network.between_latency, *network.between_bytes_per_second};
  }
  for (const NamedLink& named : network.links.named) {
    if (named.from == post.from && named.to == post.to) link = named.link;
  }
  return {link.latency, seconds(static_cast<double>(post.bytes) / link.bytes_per_second)};
}

/// Two intervals of one port overlap, or one begins before what was there earlier has ended.
void check_ports(PortMode ports, const std::vector<Post>& posts,
                 const std::vector<Transfer>& transfers) {
  for (std::size_t a = 0; a < posts.size(); ++a) {
    for (std::size_t b = 0; b < posts.size(); ++b) {
      if (a == b) continue;
      const Transfer& x = transfers[a];
      const Transfer& y = transfers[b];
      const bool circuit = ports == PortMode::circuit;
      const auto send_end = [&](const Transfer& t) {
        return circuit ? t.end : t.start + (t.end - t.first_bit);
      };
      const auto receive_begin = [&](const Transfer& t) { return circuit ? t.start : t.first_bit; };
      if (x.from == y.from) REQUIRE((x.start >= send_end(y) || y.start >= send_end(x)));
      if (x.to == y.to) {
        REQUIRE((receive_begin(x) >= y.end || receive_begin(y) >= x.end));
      }
      if (x.from == y.from && a < b) {
        REQUIRE(x.start <= y.start);
        if (x.to == y.to) REQUIRE(x.end <= y.end);
      }
    }
  }
}

}  // namespace

TEST_CASE("random traffic over random networks goes as the rule says, message by message",
          "[network]") {
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    CAPTURE(seed);
    RandomStream random(seed, Purpose::network);
    const int ranks = 2 + static_cast<int>(random.below(7));
    const Network network = random_network(random, ranks);
    const std::vector<Post> posts = random_posts(random, ranks);
    const auto fast = play(network, ranks, posts);
    std::vector<Cost> costs;
    for (std::size_t m = 0; m < posts.size(); ++m) {
      CAPTURE(m);
      costs.push_back(expected_cost(network, ranks, posts[m]));
      const Duration latency = fast[m].first_bit - fast[m].start;
      REQUIRE(latency >= costs[m].latency);
      if (network.jitter.any()) {
        costs[m].latency = latency;  // the draws are the network's; the rule is the reference's
      }
    }
    const auto slow = slow_reference(network.ports, ranks, posts, costs);
    for (std::size_t m = 0; m < posts.size(); ++m) {
      CAPTURE(m);
      REQUIRE(fast[m].posted == seconds(posts[m].at));
      REQUIRE(fast[m].start >= fast[m].posted);
      REQUIRE(fast[m].start == slow[m].start);
      REQUIRE(fast[m].end == slow[m].end);
    }
    check_ports(network.ports, posts, fast);
  }
}
