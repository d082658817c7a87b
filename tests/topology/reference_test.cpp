// Every deterministic topology of the reference, and the random ones by their stored draws.
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "trainyard/topology/spectrum.hpp"
#include "trainyard/topology/topology.hpp"

#include "support/catch.hpp"
#include "support/oracles.hpp"
#include "topology/equitopo.hpp"

using namespace trainyard;
using Json = nlohmann::json;

namespace {

/// To 1e-12, absolutely: ρ of exact averaging is 0 here and 1e-16 there.
void check_near(double found, const Json& expected) {
  CHECK(found == Approx(expected.get<double>()).epsilon(0).margin(1e-12));
}

void check_rounds(std::optional<std::size_t> found, const Json& expected) {
  CHECK(found.has_value() == !expected.is_null());
  if (found && !expected.is_null()) CHECK(*found == expected.get<std::size_t>());
}

void check_matrices(const Topology& topology, const Json& matrices) {
  REQUIRE(topology.period() == matrices.size());
  for (std::size_t k = 0; k < topology.period(); ++k) {
    const auto w = dense(topology.matrices[k]);
    REQUIRE(w.size() == matrices[k].size());
    for (std::size_t i = 0; i < w.size(); ++i) {
      for (std::size_t j = 0; j < w.size(); ++j) {
        REQUIRE(w[i][j] == Approx(matrices[k][i][j].get<double>()).epsilon(0).margin(1e-12));
      }
    }
  }
}

void check_entry(const Topology& topology, const Json& entry) {
  const TopologyFigures figures = analyse(topology);
  CHECK(figures.period == entry["period"].get<std::size_t>());
  CHECK(figures.in_degree == entry["in_degree_max"].get<std::size_t>());
  CHECK(figures.out_degree == entry["out_degree_max"].get<std::size_t>());
  CHECK(figures.symmetric == entry["symmetric"].get<bool>());
  CHECK(figures.doubly_stochastic);
  if (entry.contains("rho")) {
    CHECK(figures.connected == (entry["rho"].get<double>() < 1.0 - 1e-9));
    check_near(figures.rho, entry["rho"]);
    check_near(figures.rms, entry["rho"]);
    check_near(figures.spectral_gap(), entry["spectral_gap"]);
  } else {
    CHECK(figures.connected);
    check_near(figures.rho, entry["rho_period_product"]);
    for (std::size_t k = 0; k < topology.period(); ++k) {
      check_near(contraction(topology.matrices[k]), entry["rho_each_round"][k]);
    }
  }
  if (entry.contains("lambda_min")) {
    REQUIRE(figures.lambda_min.has_value() == !entry["lambda_min"].is_null());
    if (figures.lambda_min) check_near(*figures.lambda_min, entry["lambda_min"]);
  }
  check_rounds(figures.exact_rounds, entry["rounds_to_exact_consensus"]);
  const Json& rounds = entry["rounds_to_rel_error_from_x=i"];
  check_rounds(figures.rounds_to_1e3, rounds.value("0.001", Json()));
  check_rounds(figures.rounds_to_1e6, rounds.value("1e-06", Json()));
  if (entry.contains("W")) check_matrices(topology, entry["W"]);
}

const std::map<std::string, std::string>& names() {
  static const std::map<std::string, std::string> table{
      {"full", "full"},
      {"ring", "ring"},
      {"path", "path"},
      {"star", "star"},
      {"grid2d", "grid"},
      {"torus2d", "torus"},
      {"hypercube", "hypercube"},
      {"one_peer_hypercube", "one-peer-hypercube"},
      {"static_exp", "static-exp"},
      {"one_peer_exp", "one-peer-exp"},
      {"simple_base_2", "simple-base:2"},
      {"simple_base_3", "simple-base:3"},
      {"simple_base_4", "simple-base:4"},
      {"simple_base_5", "simple-base:5"},
      {"base_2", "base:2"},
      {"base_3", "base:3"},
      {"base_4", "base:4"},
      {"base_5", "base:5"},
  };
  return table;
}

std::vector<GraphEdge> links_of(const Json& edges) {
  std::vector<GraphEdge> links;
  for (const Json& edge : edges) links.push_back({edge[0], edge[1]});
  return links;
}

/// As the matrix of the reference averages over all draws; from there to the root of its norm.
double rms_of_all_draws(int n, bool directed) {
  Topology all;
  for (int distance = 1; distance < n; ++distance) {
    if (directed) {
      all.matrices.push_back(directed_equidyn_matrix(n, distance));
      continue;
    }
    for (int start = 0; start < n; ++start) {
      all.matrices.push_back(undirected_equidyn_matrix(n, distance, start));
    }
  }
  return rms_contraction(all);
}

/// What the reference says and no topology of ours is: false where we do not know the entry.
bool check_others(const std::string& name, int n, const Json& entry) {
  if (entry.contains("edges")) {
    check_entry({name, {metropolis_hastings(n, links_of(entry["edges"]))}}, entry);
  } else if (entry.contains("basis")) {
    const auto basis = entry["basis"].get<std::vector<int>>();
    check_entry({name, {equistatic_matrix(n, basis, name.starts_with("D-"))}}, entry);
  } else if (name.ends_with("EquiDyn_complete_eta0.5")) {
    check_near(rms_of_all_draws(n, name.starts_with("OD")), entry["rms_contraction_per_round"]);
  } else if (name == "ring_lazy_(I+W)/2") {
    std::vector<MixingEdge> edges;
    const auto w = dense(make_topology("ring", n, 1).matrices[0]);
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) {
        edges.push_back({i, j, w[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] / 2});
      }
    }
    std::erase_if(edges, [](const MixingEdge& edge) { return edge.weight == 0.0; });
    check_entry({name, {mixing_matrix(n, edges)}}, entry);
  } else if (name == "disconnected") {
    check_near(contraction(metropolis_hastings(n, std::vector<GraphEdge>{{0, 1}})), entry["rho"]);
  } else {
    return false;
  }
  return true;
}

}  // namespace

TEST_CASE("topologies are those of the reference: W, degrees, eigenvalues, rounds", "[topology]") {
  const Json reference = test::read_oracle("topology_reference");
  int compared = 0;
  std::vector<std::string> unknown;
  for (const auto& [key, entries] : reference.items()) {
    if (key == "_meta") continue;
    const int n = std::stoi(key);
    for (const auto& [name, entry] : entries.items()) {
      CAPTURE(n, name);
      if (const auto ours = names().find(name); ours != names().end()) {
        check_entry(make_topology(ours->second, n, 1), entry);
      } else if (!check_others(name, n, entry)) {
        unknown.push_back(name);
        continue;
      }
      ++compared;
    }
  }
  CHECK(compared == 272);  // all but four for each n
  // Events of random pairs are no mixing matrices; and η = 1 is not built.
  for (const std::string& name : unknown) {
    CAPTURE(name);
    CHECK((name.starts_with("pairwise_gossip") || name.ends_with("eta1.0")));
  }
}

TEST_CASE("closed forms of the contraction", "[topology]") {
  const double pi = std::acos(-1.0);
  for (int n = 4; n <= 40; ++n) {
    CAPTURE(n);
    const auto rho = [&](const char* name) {
      return contraction(make_topology(name, n, 1).matrices[0]);
    };
    CHECK(rho("ring") == Approx(1.0 / 3 + 2.0 / 3 * std::cos(2 * pi / n)).epsilon(1e-12));
    CHECK(rho("path") == Approx(1.0 / 3 + 2.0 / 3 * std::cos(pi / n)).epsilon(1e-12));
    CHECK(rho("star") == Approx(1.0 - 1.0 / n).epsilon(1e-12));
    CHECK(rho("full") == Approx(0.0).margin(1e-12));
    const double exponential = 1.0 - 2.0 / (std::ceil(std::log2(n)) + 1);
    if (n % 2 == 0) {
      CHECK(rho("static-exp") == Approx(exponential).epsilon(1e-12));
    } else {
      CHECK(rho("static-exp") < exponential);
    }
  }
  // A quarter of the exponent that one lecture prints: 1 − 4π²/(3n²), not 1 − 16π²/(3n²).
  CHECK(contraction(make_topology("ring", 100, 1).matrices[0]) ==
        Approx(1.0 - 4 * pi * pi / (3.0 * 100 * 100)).epsilon(1e-5));
}
