// Step times of ResNet-20 (1.08 MB) with 8 and 16 workers under networks from data centre to home,
// as tabulated to the microsecond in the reference.
#include <string>
#include <vector>

#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/collective/neighbour_average.hpp"

#include "support/catch.hpp"
#include "support/oracles.hpp"
#include "support/runtimes.hpp"

using namespace trainyard;

namespace {

constexpr std::size_t length = 270000;

// Cases are named like "ResNet20(1.08MB)_n8_1.4Gbps_0.13ms".
int workers_of(const std::string& name) {
  return std::stoi(name.substr(name.find("_n") + 2));
}

Network network_of(const std::string& name) {
  const auto latency = name.rfind('_');
  const auto bandwidth = name.rfind('_', latency - 1);
  return {.latency = parse_duration(name.substr(latency + 1), "latency"),
          .bytes_per_second =
              parse_bandwidth(name.substr(bandwidth + 1, latency - bandwidth - 1), "bandwidth")};
}

double all_reduce_seconds(const char* name, int workers, const Network& network) {
  const AllReduce& way = find_all_reduce(name);
  std::vector<std::vector<float>> vectors(static_cast<std::size_t>(workers),
                                          std::vector<float>(length));
  const int servers = way.servers(workers, 1);
  return to_seconds(run_virtual(test::setup_of(workers, servers, network), [&](Rank& rank) {
                      rank.begin();
                      if (rank.rank() >= workers) return way.serve(rank, Scalar::float32, length);
                      way.sum(rank, vectors[static_cast<std::size_t>(rank.rank())]);
                    }).elapsed);
}

double gossip_seconds(const char* name, int workers, const Network& network) {
  const Topology topology = make_topology(name, workers, 1);
  std::vector<std::vector<float>> vectors(static_cast<std::size_t>(workers),
                                          std::vector<float>(length));
  return to_seconds(run_virtual(test::setup_of(workers, 0, network), [&](Rank& rank) {
                      rank.begin();
                      VectorBuffer scratch;
                      neighbour_average(rank, topology.row(0, rank.rank()),
                                        vectors[static_cast<std::size_t>(rank.rank())], scratch);
                    }).elapsed);
}

}  // namespace

TEST_CASE("exchanges under the reference's networks take what it says", "[collective]") {
  const auto cases = test::read_oracle("cost_reference")["cases"];
  REQUIRE(cases.size() >= 3);
  for (const auto& [name, times] : cases.items()) {
    CAPTURE(name);
    const Network network = network_of(name);
    const int n = workers_of(name);
    const auto expected = [&times = times](const char* key) {
      return Approx(times[key].get<double>()).margin(5.1e-7);  // printed to the microsecond
    };
    CHECK(all_reduce_seconds("ps", n, network) == expected("single_ps_fp32"));
    CHECK(all_reduce_seconds("ring", n, network) == expected("ring_allreduce_fp32"));
    CHECK(gossip_seconds("ring", n, network) == expected("dsgd_ring_fp32"));
    CHECK(gossip_seconds("one-peer-exp", n, network) == expected("dsgd_one_peer_fp32"));
  }
}
