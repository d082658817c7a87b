// The collectives of the reference, played message by message under the virtual runtime: α = 1.5 s,
// and 5 s for a full vector, in both port modes. Schedules of collectives that the library does not
// have are written out here, in the rank's own words.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "trainyard/topology/topology.hpp"

#include "support/catch.hpp"
#include "support/oracles.hpp"
#include "support/runtimes.hpp"

using namespace trainyard;

namespace {

// Divisible by every n of the reference, so that chunks are exact.
constexpr std::size_t full = 2 * 2 * 2 * 2 * 3 * 5 * 5 * 1000;

using Program = std::function<void(Rank&)>;

void send_part(Rank& rank, int to, std::size_t parts) {
  static const std::vector<std::byte> payload(full);
  rank.send_encoded(to, std::span(payload).first(full / parts));
}

int modulo(int a, int n) {
  return ((a % n) + n) % n;
}

/// n workers push to one server, which answers all.
void single_ps(Rank& rank) {
  const int n = rank.workers();
  if (rank.rank() < n) {
    send_part(rank, rank.server(0), 1);
    (void)rank.receive(rank.server(0));
    return;
  }
  for (int w = 0; w < n; ++w) (void)rank.receive(w);
  for (int w = 0; w < n; ++w) send_part(rank, w, 1);
}

void ring(Rank& rank, std::size_t parts) {
  const int n = rank.workers();
  for (int s = 0; s < 2 * (n - 1); ++s) {
    send_part(rank, (rank.rank() + 1) % n, parts);
    (void)rank.receive(modulo(rank.rank() - 1, n));
  }
}

/// The whole vector goes around twice, one message in flight.
void ring_unpartitioned(Rank& rank) {
  const int n = rank.workers();
  const int hops = 2 * (n - 1);
  for (int hop = 0; hop < hops; ++hop) {
    if (hop % n == rank.rank()) send_part(rank, (rank.rank() + 1) % n, 1);
    if ((hop + 1) % n == rank.rank()) (void)rank.receive(modulo(rank.rank() - 1, n));
  }
}

/// Every worker is the server of one part. `peer(round)` says whom a worker sends to.
void colocated(Rank& rank, const std::function<int(int)>& peer) {
  const int n = rank.workers();
  for (int phase = 0; phase < 2; ++phase) {
    for (int round = 0; round < n; ++round) {
      if (peer(round) != rank.rank()) send_part(rank, peer(round), static_cast<std::size_t>(n));
    }
    for (int from = 0; from < n; ++from) {
      if (from != rank.rank()) (void)rank.receive(from);
    }
  }
}

void binomial(Rank& rank) {
  const int n = rank.workers();
  int reach = 1;
  for (; reach < n; reach *= 2) {  // reduce
    if (rank.rank() % (2 * reach) == reach) send_part(rank, rank.rank() - reach, 1);
    if (rank.rank() % (2 * reach) == 0 && rank.rank() + reach < n)
      (void)rank.receive(rank.rank() + reach);
  }
  for (reach /= 2; reach >= 1; reach /= 2) {  // broadcast
    if (rank.rank() % (2 * reach) == reach) (void)rank.receive(rank.rank() - reach);
    if (rank.rank() % (2 * reach) == 0 && rank.rank() + reach < n)
      send_part(rank, rank.rank() + reach, 1);
  }
}

void recursive_doubling(Rank& rank) {
  for (int distance = 1; distance < rank.workers(); distance *= 2) {
    send_part(rank, rank.rank() ^ distance, 1);
    (void)rank.receive(rank.rank() ^ distance);
  }
}

void rabenseifner(Rank& rank) {
  const int n = rank.workers();
  for (int distance = n / 2; distance >= 1; distance /= 2) {
    send_part(rank, rank.rank() ^ distance, static_cast<std::size_t>(n / distance));
    (void)rank.receive(rank.rank() ^ distance);
  }
  for (int distance = 1; distance < n; distance *= 2) {
    send_part(rank, rank.rank() ^ distance, static_cast<std::size_t>(n / distance));
    (void)rank.receive(rank.rank() ^ distance);
  }
}

void gossip(Rank& rank, const std::vector<int>& sends_to, const std::vector<int>& receives_from) {
  for (const int to : sends_to) send_part(rank, to, 1);
  for (const int from : receives_from) (void)rank.receive(from);
}

Program gossip_over(const std::string& topology, int n) {
  return [graph = make_topology(topology, n, 1)](Rank& rank) {
    std::vector<int> from;
    for (const auto& neighbour : graph.row(0, rank.rank()).receives) from.push_back(neighbour.rank);
    gossip(rank, receivers(graph.row(0, rank.rank())), from);
  };
}

/// Ring gossip in index order: what the offset rounds are there to avoid.
void sorted_ring_gossip(Rank& rank) {
  const int n = rank.workers();
  std::vector<int> neighbours{modulo(rank.rank() - 1, n), (rank.rank() + 1) % n};
  std::ranges::sort(neighbours);
  gossip(rank, neighbours, neighbours);
}

Program schedule(const std::string& name, int n) {
  const auto by_rotation = [](Rank& r) {
    colocated(r, [&](int round) { return (r.rank() + round) % r.workers(); });
  };
  const auto by_index = [](Rank& r) { colocated(r, [](int round) { return round; }); };
  const auto by_xor = [](Rank& r) { colocated(r, [&](int round) { return r.rank() ^ round; }); };
  if (name == "single_ps(n workers+1 PS)") return single_ps;
  if (name == "ring") return [](Rank& r) { ring(r, static_cast<std::size_t>(r.workers())); };
  if (name == "ring_unpartitioned") return ring_unpartitioned;
  if (name == "multi_ps_rot") return by_rotation;
  if (name == "multi_ps_naive_order") return by_index;
  if (name == "multi_ps_xor") return by_xor;
  if (name == "binomial_n_nodes") return binomial;
  if (name == "recursive_doubling") return recursive_doubling;
  if (name == "rabenseifner") return rabenseifner;
  if (name == "dsgd_ring_2rounds") return gossip_over("ring", n);
  if (name == "dsgd_ring_sorted_neighbor_order_FIFO") return sorted_ring_gossip;
  if (name == "dsgd_static_exp") return gossip_over("static-exp", n);
  if (name == "dsgd_one_peer") return gossip_over("one-peer-exp", n);
  return {};
}

}  // namespace

TEST_CASE("every collective of the reference takes the time it says", "[runtime][network]") {
  const auto reference = test::read_oracle("switch_reference")["collectives_tl1.5_tt5"];
  for (const auto& [workers, modes] : reference.items()) {
    const int n = std::stoi(workers);
    for (const char* mode : {"circuit", "cut"}) {
      for (const auto& [name, time] : modes[mode].items()) {
        CAPTURE(n, mode, name);
        const Program program = schedule(name, n);
        REQUIRE(program);
        const Network network{
            .latency = seconds(1.5),
            .bytes_per_second = static_cast<double>(full) / 5.0,
            .ports = mode == std::string("cut") ? PortMode::cutthrough : PortMode::circuit};
        const int servers = name.starts_with("single_ps") ? 1 : 0;
        const RuntimeReport report =
            run_virtual(test::setup_of(n, servers, network), [&](Rank& rank) {
              rank.begin();
              program(rank);
            });
        CHECK(to_seconds(report.elapsed) == Approx(time.get<double>()).epsilon(1e-9));
      }
    }
  }
}
