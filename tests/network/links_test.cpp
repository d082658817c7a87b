// Links that differ: racks, a table, control traffic, and what a barrier costs.
#include "trainyard/network/links.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/network/barrier.hpp"
#include "trainyard/network/switch.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"

using namespace trainyard;

namespace {

/// Inside a rack 1 s and 4 B/s, between racks 10 s and 1 B/s.
Network two_racks(PortMode ports) {
  return {.latency = seconds(1),
          .bytes_per_second = 4.0,
          .ports = ports,
          .racks = 2,
          .between_latency = seconds(10),
          .between_bytes_per_second = 1.0};
}

/// Each (from, to) of 8 bytes, posted at 0; when each has arrived.
std::vector<double> arrivals(const Network& network, int workers,
                             const std::vector<std::pair<int, int>>& messages) {
  Switch sw(network, workers);
  std::vector<double> ends(messages.size());
  for (const auto& [from, to] : messages) sw.post(from, to, 8, Time{0});
  sw.advance(Time::max() - Time{1},
             [&](const Transfer& transfer) { ends[transfer.id] = to_seconds(transfer.end); });
  return ends;
}

}  // namespace

TEST_CASE("no link carries more than its window in a round trip", "[network]") {
  Network network = two_racks(PortMode::circuit);
  network.bytes_per_second = 8.0;
  network.links.named = {{.from = 1, .to = 0, .link = {seconds(2), 8.0}}};
  network.tcp_window = 12;  // 6 B/s inside a rack, 0.6 between racks, 3 over the named link
  const std::vector<double> ends = arrivals(network, 4, {{0, 1}, {3, 2}, {2, 0}});
  CHECK(ends[0] == Approx(1.0 + 8.0 / 6.0));
  CHECK(ends[1] == Approx(1.0 + 8.0 / 6.0));
  CHECK(ends[2] == Approx(10.0 + 8.0 / 0.6));
  CHECK(arrivals(network, 4, {{1, 0}}).front() == Approx(2.0 + 8.0 / 3.0));
  CHECK(to_seconds(network.message_time(8)) == Approx(1.0 + 8.0 / 6.0));
  network.tcp_window = 16;  // 8 B/s are all that it has
  CHECK(to_seconds(network.message_time(8)) == Approx(2.0));
  network.latency = Duration{0};
  network.tcp_window = 1;  // acknowledged at once
  CHECK(to_seconds(network.message_time(8)) == Approx(1.0));
}

TEST_CASE("a two-rack example by hand", "[network]") {
  // Ranks 0 and 1 stand in one rack, 2 and 3 in the other: inside a message takes 1 + 2 s, between
  // them 10 + 8 s. At 0 each rank's first message is looked at, in the order of the ranks: 0→1
  // goes, 1→3 goes, 2→3 waits for rank 3's port until 18, 3→2 goes. 0→2 waits for its sender
  // until 3.
  const auto ends =
      arrivals(two_racks(PortMode::circuit), 4, {{0, 1}, {2, 3}, {1, 3}, {0, 2}, {3, 2}});
  CHECK(ends == std::vector<double>{3, 21, 18, 21, 3});
}

TEST_CASE("cut through: a message from far away starts while its receiver still receives",
          "[network]") {
  // 0→1 receives over [1, 3). 2→1 needs 10 s to come: it may start at once, over [10, 18).
  const auto ends = arrivals(two_racks(PortMode::cutthrough), 4, {{0, 1}, {2, 1}});
  CHECK(ends[0] == 3);
  CHECK(ends[1] == 18);
  // Posted the other way round, the near one waits for the end of the far one: [18, 20).
  Switch sw(two_racks(PortMode::cutthrough), 4);
  std::vector<Transfer> seen;
  const auto keep = [&](const Transfer& transfer) { seen.push_back(transfer); };
  sw.post(2, 1, 8, Time{0});
  sw.advance(seconds(0.5), keep);
  sw.post(0, 1, 8, seconds(1));
  sw.advance(Time::max() - Time{1}, keep);
  REQUIRE(seen.size() == 2);
  CHECK(to_seconds(seen[1].start) == 17);
  CHECK(to_seconds(seen[1].first_bit) == 18);
  CHECK(to_seconds(seen[1].end) == 20);
}

TEST_CASE("workers stand in racks as even_split() cuts, servers in turn", "[network]") {
  Network network = two_racks(PortMode::circuit);
  network.racks = 3;
  const Links links(network, 7, 4);  // racks {0,1} {2,3} {4,5,6}; servers 7, 10 | 8 | 9
  const std::vector<int> rack{0, 0, 1, 1, 2, 2, 2, 0, 1, 2, 0};
  for (int from = 0; from < 11; ++from) {
    for (int to = 0; to < 11; ++to) {
      CAPTURE(from, to);
      const bool together =
          rack[static_cast<std::size_t>(from)] == rack[static_cast<std::size_t>(to)];
      CHECK(to_seconds(links.between(from, to).latency) == (together ? 1 : 10));
    }
  }
  network.between_latency.reset();
  CHECK(to_seconds(Links(network, 7, 4).between(0, 6).latency) == 1);
  CHECK(Links(network, 7, 4).between(0, 6).bytes_per_second == 1.0);
}

TEST_CASE("a network is perfect only if all of it is", "[network]") {
  CHECK(Network{}.perfect());
  CHECK(Network{.racks = 2}.perfect());
  CHECK(!Network{.racks = 2, .between_latency = seconds(1)}.perfect());
  CHECK(!Network{.jitter = {Jitter::Kind::uniform, seconds(1)}}.perfect());
  CHECK(Network{.jitter = {Jitter::Kind::uniform, seconds(0)}}.perfect());
  Network named;
  named.links.named.push_back({0, 1, {}});
  CHECK(!named.perfect());
}

TEST_CASE("a link table is read with its units, links it does not name keep the default",
          "[network]") {
  const TemporaryFolder folder;
  Network network{.latency = seconds(1), .bytes_per_second = 1e6};
  network.links = read_link_table(folder.write("links.csv",
                                               "from,to,latency,bandwidth\r\n"
                                               "# the slow one\n"
                                               "\n"
                                               " 0 , 3 , 1.5 ms , 100Mbps   # up\n"
                                               "3,0,0,infinite\n"),
                                  "--links");
  CHECK(network.links.ranks() == 4);
  const Links links(network, 5, 0);
  CHECK(links.between(0, 3) == Link{seconds(1.5e-3), 12.5e6});
  CHECK(links.between(3, 0) == Link{});
  CHECK(links.between(0, 1) == Link{seconds(1), 1e6});
  CHECK(links.between(4, 3) == Link{seconds(1), 1e6});
}

TEST_CASE("what is wrong with a link table is said with its line", "[network]") {
  const TemporaryFolder folder;
  struct Row {
    const char* text;
    const char* complaint;
  };
  for (const Row& row : {
           Row{"0,1,1ms,1Gbps\n0,2,1ms\n",
               "links.csv:2: found 3 fields; expected 'from,to,latency,"},
           Row{"0,1,1ms,1Gbps,\n", "links.csv:1: found 5 fields"},
           Row{"\n0,x,1ms,1Gbps\n", "links.csv:2: to: 'x' is not"},
           Row{"-1,0,1ms,1Gbps\n", "links.csv:1: from: '-1'"},
           Row{"2,2,1ms,1Gbps\n", "links.csv:1: a link from rank 2 to itself"},
           Row{"0,1,1,1Gbps\n", "links.csv:1: latency: '1' is not a duration"},
           Row{"0,1,1ms,fast\n", "links.csv:1: bandwidth: 'fast' is not a bandwidth"},
           Row{"0,1,1ms,1Gbps\n1,0,0,1bps\n0,1,0,1bps\n",
               "links.csv:3: the link from 0 to 1 is there twice"},
           Row{"from,to,latency,bandwidth\n", "links.csv: no links in it"},
           Row{"0,1,1ms,1Gbps\nfrom,to,latency,bandwidth\n", "links.csv:2: from: 'from' is not"},
       }) {
    CAPTURE(row.text);
    const auto file = folder.write("links.csv", row.text);
    CHECK_THROWS_AS(read_link_table(file, "--links"), UsageError);
    CHECK_THROWS_WITH(read_link_table(file, "--links"),
                      ContainsSubstring("--links: ") && ContainsSubstring(row.complaint));
  }
  CHECK_THROWS_WITH(read_link_table("/dev/zero", "--links"),
                    ContainsSubstring("--links: /dev/zero: found a line of more than 1 MiB"));
  CHECK_THROWS_WITH(read_link_table("no/such/file", "--links"),
                    ContainsSubstring("--links: no/such/file: no such file; expected"));
}

TEST_CASE("control traffic is free unless it is charged, and keeps its place either way",
          "[network]") {
  for (const bool charged : {false, true}) {
    CAPTURE(charged);
    const Network network{
        .latency = seconds(2), .bytes_per_second = 1.0, .charge_control = charged};
    Switch sw(network, 2);
    std::vector<double> ends(3);
    sw.post(0, 1, 0, Time{0});
    sw.post(0, 1, 5, Time{0});
    sw.post(0, 1, 0, Time{0});
    sw.advance(Time::max() - Time{1},
               [&](const Transfer& transfer) { ends[transfer.id] = to_seconds(transfer.end); });
    CHECK(ends == (charged ? std::vector<double>{2, 9, 11} : std::vector<double>{0, 7, 7}));
  }
}

TEST_CASE("a charged barrier of n ranks takes ceil(log2 n) latencies from lock-step", "[network]") {
  const std::vector<int> rounds{0, 0, 1, 2, 2, 3, 3, 3, 3, 4};
  for (std::size_t n = 1; n < rounds.size(); ++n) {
    CAPTURE(n);
    const Links links({.latency = seconds(3)}, static_cast<int>(n), 0);
    const auto leaves = dissemination_barrier(links, std::vector<Time>(n, seconds(7)));
    for (const Time left : leaves) CHECK(to_seconds(left) == 7 + 3 * rounds[n]);
  }
}

TEST_CASE("nobody leaves a charged barrier before the last has come", "[network]") {
  // Four ranks, α = 1; rank 2 comes at 10. Round 1 tells rank 3 (11), round 2 tells 0 (11) and 1
  // (12); rank 2 itself hears nothing later than its own arrival.
  const Links links({.latency = seconds(1)}, 4, 0);
  const std::vector<Time> arrivals{seconds(0), seconds(0), seconds(10), seconds(0)};
  const auto leaves = dissemination_barrier(links, arrivals);
  CHECK(to_seconds(leaves[0]) == 11);
  CHECK(to_seconds(leaves[1]) == 12);
  CHECK(to_seconds(leaves[2]) == 10);
  CHECK(to_seconds(leaves[3]) == 11);
}
