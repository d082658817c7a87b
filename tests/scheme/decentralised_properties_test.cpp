// What the decentralised schemes keep whatever graph, step size and network they are given.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "trainyard/base/random.hpp"
#include "trainyard/scheme/scheme.hpp"
#include "trainyard/topology/spectrum.hpp"

#include "support/catch.hpp"
#include "support/replicas.hpp"
#include "support/topologies.hpp"

using namespace trainyard;

namespace {

using Values = std::vector<std::vector<double>>;

Values random_values(RandomStream& random, int n, std::size_t dimension) {
  Values values(static_cast<std::size_t>(n));
  for (auto& each : values) {
    for (std::size_t j = 0; j < dimension; ++j) each.push_back(random.normal());
  }
  return values;
}

std::vector<double> mean_of(const Values& values) {
  std::vector<double> mean(values.front().size(), 0.0);
  for (const auto& each : values) {
    for (std::size_t j = 0; j < mean.size(); ++j) {
      mean[j] += each[j] / static_cast<double>(values.size());
    }
  }
  return mean;
}

/// Minibatches of random length, over links of random latency and bandwidth with jitter.
void make_times_random(RandomStream& random, Configuration& c) {
  c.compute_noise.exponential = 2.0 * random.uniform();
  c.network.latency = seconds(5e-3 * random.uniform());
  c.network.bytes_per_second = 1e4 * (1 + 1e2 * random.uniform());
  c.network.jitter = {Jitter::Kind::exponential, seconds(2e-3 * random.uniform())};
  c.network.seed = random.below(1000);
}

struct Problem {
  Configuration c;
  Dataset data;
  test::Special special;
};

/// Unlike objectives in two coordinates, any graph of the table, starts that differ.
Problem random_problem(RandomStream& random) {
  const int n = 2 + static_cast<int>(random.below(8));
  Problem problem;
  Values h;
  for (int i = 0; i < n; ++i) h.push_back({0.5 + random.uniform(), 0.1 + 2.0 * random.uniform()});
  problem.data = test::quadratic_data(h, random_values(random, n, 2));
  problem.special.starts = random_values(random, n, 2);
  const auto topologies = test::topologies_for(n);
  problem.c.ingredients["codec"] = "identity";
  problem.c.ingredients["topology"] = topologies[random.below(topologies.size())];
  problem.c.workers = n;
  problem.c.seed = random.below(1000);
  problem.c.optimizer.lr = 0.3 * random.uniform();
  problem.c.hyperparameters["quasi-momentum"] = 0.0;  // of qgm; with momentum steps go further
  problem.c.hyperparameters["mixing-probability"] = 0.4;
  problem.c.hyperparameters["period"] = 3.0;  // rounds among twelve steps
  make_times_random(random, problem.c);
  return problem;
}

/// The decentralised schemes of the table, without those that are named, each with its reason.
std::vector<std::string> all_but(const std::map<std::string, const char*>& left_out) {
  std::vector<std::string> names;
  for (const std::string& name : schemes_of_group("all-decentralised")) {
    if (!left_out.contains(name)) names.push_back(name);
  }
  for (const auto& [name, why] : left_out) {
    CAPTURE(name, why);
    CHECK(find_scheme(name).family == SchemeFamily::decentralised);
  }
  return names;
}

/// Whether the scheme's rule allows the problem's graph.
bool tolerates(const Scheme& scheme, const Configuration& c) {
  if (scheme.graphs.range != GraphRange::static_symmetric) return true;
  const Topology graph =
      make_topology(ingredient_name(c.ingredients, "topology"), c.workers, c.seed);
  if (graph.period() > 1 || !symmetric(graph.matrices.front())) return false;
  return scheme.graphs.least_eigenvalue == nullptr ||
         smallest_eigenvalue(graph.matrices.front()) >
             scheme.graphs.least_eigenvalue(with_fallbacks(scheme, {}, c.workers)) + 1e-9;
}

std::vector<double> mean_gradient(const Dataset& data, const Values& x) {
  const std::size_t dimension = x.front().size();
  Values gradients = x;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float* row = data.dense.data() + i * data.features;
    for (std::size_t j = 0; j < dimension; ++j) {
      gradients[i][j] = static_cast<double>(row[j]) * (x[i][j] - row[dimension + j]);
    }
  }
  return mean_of(gradients);
}

}  // namespace

TEST_CASE("the mean of all models takes a step along the mean of all gradients", "[scheme]") {
  // Of gradient tracking it says that the mean of the trackers is the mean of the gradients; of the
  // others, that averaging and their corrections leave the mean where it is.
  const std::vector<std::string> names =
      all_but({{"sgp-overlap", "part of the sum is under way between two steps"},
               {"relay-sum", "takes others' models as they were, not the mean"},
               {"ad-psgd", "has no steps that all take together"},
               {"gosgd", "has no steps that all take together"},
               {"dinno", "its penalty draws local steps back"},
               {"admm", "its penalty draws local steps back, and makes them shorter"},
               {"atg", "what it steps along only comes to the mean in time"},
               {"dlm", "steps are shorter the more neighbours a worker has"},
               {"clipped-gossip", "what is clipped at one end of a link is not at the other"},
               {"bridge", "all neighbours count alike, whatever their weights"},
               {"monna", "all neighbours count alike, whatever their weights"},
               {"dcd", "neighbours take it that all models begin alike"},
               {"ecd", "neighbours take it that all models begin alike"}});
  for (std::uint32_t seed = 1; seed <= 25; ++seed) {
    RandomStream random(seed, Purpose::scheme);
    Problem problem = random_problem(random);
    Configuration& c = problem.c;
    const std::uint64_t step = random.below(12);
    for (const std::string& name : names) {
      c.scheme = name;
      if (!tolerates(find_scheme(name), c)) continue;
      CAPTURE(seed, name, ingredient_name(c.ingredients, "topology"), c.workers, step);
      c.steps = step;
      const Values before = test::run_on_quadratic(c, problem.data, {}, problem.special).workers;
      c.steps = step + 1;
      const Values after = test::run_on_quadratic(c, problem.data, {}, problem.special).workers;
      const auto from = mean_of(before), to = mean_of(after);
      const auto gradient = mean_gradient(problem.data, before);
      for (std::size_t j = 0; j < from.size(); ++j) {
        CHECK(to[j] == Approx(from[j] - c.optimizer.lr * gradient[j]).epsilon(1e-12).margin(1e-12));
      }
    }
  }
}

TEST_CASE("without steps all models come to the mean of those at the beginning", "[scheme]") {
  const std::vector<std::string> names =
      all_but({{"dcd", "neighbours take it that all models begin alike"},
               {"ecd", "neighbours take it that all models begin alike"},
               {"dlm", "neighbours draw it by its steps only"},
               {"dinno", "neighbours draw it by its steps only"},
               {"admm", "neighbours draw it by its steps only"},
               {"atg", "what it is drawn to only comes to the mean in time"},
               {"clipped-gossip", "what is clipped at one end of a link is not at the other"},
               {"bridge", "all neighbours count alike, whatever their weights"},
               {"monna", "all neighbours count alike, whatever their weights"},
               {"relay-sum", "what the first steps leave out of the mean never comes back"},
               {"gosgd", "over a slow network most of it is still under way when the steps end"}});
  for (std::uint32_t seed = 1; seed <= 4; ++seed) {
    RandomStream random(seed, Purpose::scheme);
    Problem problem = random_problem(random);
    Configuration& c = problem.c;
    c.optimizer.lr = 0.0;
    c.steps = 500;
    c.hyperparameters["period"] = c.hyperparameters["mixing-probability"] = 1.0;
    const std::string topology = ingredient_name(c.ingredients, "topology");
    const auto mean = mean_of(problem.special.starts);
    for (const std::string& name : names) {
      c.scheme = name;
      c.ingredients["topology"] = topology;
      if (!tolerates(find_scheme(name), c)) c.ingredients["topology"] = "full";
      CAPTURE(seed, name, ingredient_name(c.ingredients, "topology"), c.workers);
      for (const auto& replica :
           test::run_on_quadratic(c, problem.data, {}, problem.special).workers) {
        for (std::size_t j = 0; j < mean.size(); ++j) {
          CHECK(replica[j] == Approx(mean[j]).margin(1e-3));
        }
      }
    }
  }
}

TEST_CASE("over a doubly stochastic graph sgp is gossip", "[scheme]") {
  for (std::uint32_t seed = 1; seed <= 30; ++seed) {
    RandomStream random(seed, Purpose::scheme);
    Problem problem = random_problem(random);
    problem.c.steps = 1 + random.below(20);
    CAPTURE(seed, ingredient_name(problem.c.ingredients, "topology"), problem.c.workers);
    problem.c.scheme = "gossip";
    const Values gossip =
        test::run_on_quadratic(problem.c, problem.data, {}, problem.special).workers;
    problem.c.scheme = "sgp";
    const Values pushed =
        test::run_on_quadratic(problem.c, problem.data, {}, problem.special).workers;
    for (std::size_t i = 0; i < gossip.size(); ++i) {
      for (std::size_t j = 0; j < gossip[i].size(); ++j) {
        CHECK(pushed[i][j] == Approx(gossip[i][j]).epsilon(1e-12).margin(1e-12));
      }
    }
  }
}

TEST_CASE("without steps push-sum reaches the mean over any strongly connected graph", "[scheme]") {
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    RandomStream random(seed, Purpose::scheme);
    Problem problem = random_problem(random);
    const int n = problem.c.workers;
    std::vector<MixingEdge> edges;  // a circle, and links at random
    for (int to = 0; to < n; ++to) {
      for (int from = 0; from < n; ++from) {
        if (to == from) continue;
        if (to == (from + 1) % n || random.below(4) == 0) edges.push_back({to, from, 0.0});
      }
    }
    const Topology graph{"random", {equal_shares(n, edges)}};
    problem.special.topology = &graph;
    problem.c.optimizer.lr = 0.0;
    problem.c.steps = 600;
    const auto mean = mean_of(problem.special.starts);
    for (const std::string& name : all_but({})) {
      if (find_scheme(name).graphs.range != GraphRange::column_stochastic) continue;
      CAPTURE(seed, name, n);
      problem.c.scheme = name;
      for (const auto& replica :
           test::run_on_quadratic(problem.c, problem.data, {}, problem.special).workers) {
        for (std::size_t j = 0; j < mean.size(); ++j) {
          CHECK(replica[j] == Approx(mean[j]).margin(1e-9));
        }
      }
    }
  }
}

TEST_CASE("without steps averaging in pairs keeps the sum, and ends, over any graph",
          "[scheme][rule:ad-psgd]") {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    RandomStream random(seed, Purpose::scheme);
    Problem problem = random_problem(random);
    Configuration& c = problem.c;
    c.scheme = "ad-psgd";
    if (!tolerates(find_scheme(c.scheme), c)) c.ingredients["topology"] = "ring";
    c.optimizer.lr = 0.0;
    c.steps = 1 + random.below(200);
    CAPTURE(seed, ingredient_name(c.ingredients, "topology"), c.workers, *c.steps);
    const Values found = test::run_on_quadratic(c, problem.data, {}, problem.special).workers;
    const auto before = mean_of(problem.special.starts), after = mean_of(found);
    for (std::size_t j = 0; j < before.size(); ++j) {
      CHECK(after[j] == Approx(before[j]).epsilon(1e-12).margin(1e-12));
      // Nor does an average of two leave the interval that the models began in.
      const auto [low, high] = std::ranges::minmax(
          problem.special.starts, {}, [j](const std::vector<double>& each) { return each[j]; });
      for (const auto& replica : found) {
        CHECK(replica[j] >= low[j]);
        CHECK(replica[j] <= high[j]);
      }
    }
  }
}
