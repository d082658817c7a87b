// The decentralised schemes against golden trajectories, invariants, and each other.
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "trainyard/collective/neighbour_average.hpp"
#include "trainyard/scheme/scheme.hpp"
#include "trainyard/topology/spectrum.hpp"

#include "support/catch.hpp"
#include "support/golden.hpp"

using namespace trainyard;
using test::Json;
using test::optimum;
using test::unlike_data;

namespace {

Configuration configuration(const std::string& scheme, int workers, double lr,
                            std::uint64_t steps) {
  Configuration c;
  c.scheme = scheme;
  c.workers = workers;
  c.optimizer.lr = lr;
  c.steps = steps;
  return c;
}

}  // namespace

TEST_CASE("decentralised schemes follow their rules on a ring",
          "[scheme][rule:d-psgd][rule:gradient-tracking][rule:diging][rule:d2]"
          "[rule:exact-diffusion][rule:extra][rule:gossip-pga]") {
  const auto golden = test::golden_trajectories();
  struct Row {
    const char* scheme;
    const char* name;
    Hyperparameters hyperparameters;
  };
  for (const Row& row :
       {Row{"d-psgd", "dsgd_awc_ring", {}}, Row{"gradient-tracking", "gt_atc_ring", {}},
        Row{"diging", "gt_diging_ring", {}}, Row{"d2", "d2_exact_diffusion_ring_W", {}},
        Row{"exact-diffusion", "d2_exact_diffusion_ring_Wbar", {}}, Row{"extra", "extra_ring", {}},
        Row{"sgp", "dsgd_atc_ring", {}}, Row{"qgm", "dsgd_atc_ring", {{"quasi-momentum", 0.0}}},
        Row{"gossip-pga", "dsgd_atc_ring", {{"global-period", 1e9}}},
        Row{"gossip-pga", "gossip_pga_ring_H4", {{"global-period", 4}}}}) {
    CAPTURE(row.scheme);
    Configuration c = test::golden_configuration(golden, row.scheme);
    c.ingredients["topology"] = "ring";
    c.hyperparameters = row.hyperparameters;
    test::check_replicas(golden, c, row.name);
  }
}

TEST_CASE("sgp needs no graph in which all receive alike", "[scheme][rule:sgp]") {
  const auto golden = test::golden_trajectories();
  const Json& trajectory = golden["sgp_irregular_digraph"];
  const auto columns =
      trajectory["info"]["P_column_stochastic"].get<std::vector<std::vector<double>>>();
  const int n = static_cast<int>(columns.size());
  std::vector<MixingEdge> edges;
  for (int to = 0; to < n; ++to) {
    for (int from = 0; from < n; ++from) {
      const double weight = columns[static_cast<std::size_t>(to)][static_cast<std::size_t>(from)];
      if (to != from && weight > 0) edges.push_back({to, from, 0.0});
    }
  }
  const Topology topology{"digraph", {equal_shares(n, edges)}};
  CHECK(dense(topology.matrices.front()) == columns);
  Configuration c = test::golden_configuration(golden, "sgp");
  const Dataset data = test::golden_data(golden);
  for (const auto& [t, states] : trajectory["states"].items()) {
    CAPTURE(t);
    c.steps = std::stoull(t);
    const test::Replicas found = test::run_on_quadratic(c, data, {}, {.topology = &topology});
    for (std::size_t i = 0; i < states.size(); ++i) test::check_close(found.workers[i], states[i]);
  }
}

TEST_CASE("on heterogeneous data gossip keeps a bias, and the corrected schemes do not",
          "[scheme]") {
  const Dataset data = unlike_data(5);
  const std::vector<double> best = optimum(data);
  const auto distance = [&](const std::string& scheme) {
    Configuration c = configuration(scheme, 5, 0.2, 3000);
    c.ingredients["topology"] = "ring";
    c.hyperparameters = {{"period", 4.0}, {"mixing-probability", 0.5}};
    double farthest = 0.0;
    for (const auto& replica : test::run_on_quadratic(c, data).workers) {
      for (std::size_t j = 0; j < best.size(); ++j) {
        farthest = std::max(farthest, std::abs(replica[j] - best[j]));
      }
    }
    return farthest;
  };
  const std::set<std::string> without_bias{"gradient-tracking",
                                           "diging",
                                           "gt-vr",
                                           "gt-sarah",
                                           "gt-saga",
                                           "d2",
                                           "exact-diffusion",
                                           "wang-elia",
                                           "nids",
                                           "led",
                                           "proxskip",
                                           "k-gt",
                                           "extra",
                                           "dlm",
                                           "lt-admm",
                                           "lt-admm-vr",
                                           "dinno",
                                           "admm",
                                           "atg",
                                           "relay-sum",
                                           "exact-gradient-gossip"};
  for (const std::string& scheme : schemes_of_group("all-decentralised")) {
    CAPTURE(scheme);
    if (without_bias.contains(scheme)) {
      CHECK(distance(scheme) < 1e-11);  // of 3000 roundings
    } else {
      CHECK(distance(scheme) > 1e-2);
    }
  }
}

TEST_CASE("the bias of gossip on equal curvatures is known for each eigenvector of W", "[scheme]") {
  // h = 1: ATC leaves γλ/(1 − λ(1 − γ)) of an eigenvector of b, AWC γ/(1 − λ + γ); catalogue §4.2.
  const int n = 6;
  const double gamma = 0.3;
  const double lambda = (1.0 + 2.0 * std::cos(2.0 * M_PI / n)) / 3.0;
  std::vector<std::vector<double>> h, b;
  for (int i = 0; i < n; ++i) {
    h.push_back({1.0});
    b.push_back({std::cos(2.0 * M_PI * i / n)});
  }
  const Dataset data = test::quadratic_data(h, b);
  for (const auto& [scheme, left] :
       {std::pair{"gossip", gamma * lambda / (1 - lambda * (1 - gamma))},
        std::pair{"d-psgd", gamma / (1 - lambda + gamma)}}) {
    CAPTURE(scheme);
    Configuration c = configuration(scheme, n, gamma, 2000);
    c.ingredients["topology"] = "ring";
    const test::Replicas found = test::run_on_quadratic(c, data);
    for (int i = 0; i < n; ++i) {
      const double own = static_cast<double>(data.dense[static_cast<std::size_t>(2 * i + 1)]);
      CHECK(found.workers[static_cast<std::size_t>(i)][0] == Approx(left * own).margin(1e-7));
    }
  }
}

TEST_CASE("with one worker every decentralised scheme is SGD", "[scheme]") {
  const Dataset data = unlike_data(1);
  Configuration c = configuration("sequential", 1, 0.1, 50);
  const std::vector<double> expected = test::run_on_quadratic(c, data).workers.front();
  for (const Scheme& scheme : schemes()) {
    if (scheme.family != SchemeFamily::decentralised) continue;
    CAPTURE(scheme.name);
    c.scheme = scheme.name;
    c.ingredients["codec"] = "identity";
    // Its momentum is the scheme's rule, not part of the averaging.
    if (scheme.name == "qgm") c.hyperparameters["quasi-momentum"] = 0.0;
    if (scheme.name == "atg") c.hyperparameters["mixing-share"] = 1.0;  // of each step, too
    test::check_close(test::run_on_quadratic(c, data).workers.front(), expected);
  }
}

TEST_CASE("over a complete graph adapt-then-combine is an all-reduce", "[scheme]") {
  const Dataset data = unlike_data(5);
  const std::vector<double> expected =
      test::run_on_quadratic(configuration("ring", 5, 0.1, 40), data).workers.front();
  for (const char* scheme :
       {"gossip", "gradient-tracking", "d2", "sgp", "gossip-pga", "gossip-aga", "qgm"}) {
    CAPTURE(scheme);
    Configuration c = configuration(scheme, 5, 0.1, 40);
    c.ingredients["topology"] = "full";
    // Its rule has more in it than combining, as that of nids, whose first step is not combined.
    if (c.scheme == "qgm") c.hyperparameters["quasi-momentum"] = 0.0;
    for (const auto& replica : test::run_on_quadratic(c, data).workers) {
      test::check_close(replica, expected);
    }
  }
}

TEST_CASE("gradient tracking steps along the mean gradient, on average over the workers",
          "[scheme]") {
  // Which says that the mean of the trackers is the mean of the gradients, at every step.
  const Dataset data = unlike_data(7);
  for (const char* scheme : {"gradient-tracking", "diging"}) {
    for (const char* topology : {"ring", "static-exp", "one-peer-exp"}) {
      for (const std::uint64_t step : {1U, 2U, 5U, 9U}) {
        CAPTURE(scheme, topology, step);
        Configuration c = configuration(scheme, 7, 0.15, step);
        c.ingredients["topology"] = topology;
        const auto before = test::run_on_quadratic(c, data).workers;
        c.steps = step + 1;
        const auto after = test::run_on_quadratic(c, data).workers;
        for (std::size_t j = 0; j < 2; ++j) {
          double moved = 0.0, gradient = 0.0;
          for (std::size_t i = 0; i < 7; ++i) {
            const float* row = data.dense.data() + 4 * i;
            moved += after[i][j] - before[i][j];
            gradient += static_cast<double>(row[j]) * (before[i][j] - row[2 + j]);
          }
          CHECK(moved == Approx(-0.15 * gradient).margin(1e-12));
        }
      }
    }
  }
}

TEST_CASE("relay-sum follows its rule, message by message", "[scheme][rule:relay-sum]") {
  // On the path 0 - 1 - 2 - 3: m_{i→j} = x_i + Σ_{k≠j} m_{k→i}, of the step before, with its count.
  const int n = 4;
  const double gamma = 0.1;
  const std::vector<double> h{1.0, 2.0, 0.5, 1.5}, b{3.0, -1.0, 2.0, 0.0};
  const Dataset data =
      test::quadratic_data({{1.0}, {2.0}, {0.5}, {1.5}}, {{3.0}, {-1.0}, {2.0}, {0.0}});
  struct Told {
    double sum = 0.0, count = 0.0;
  };
  std::vector<Told> right(n), left(n);  // what i told i + 1, and what i told i − 1
  std::vector<double> x(n, 0.0);
  for (int t = 0; t < 9; ++t) {
    for (std::size_t i = 0; i < n; ++i) x[i] -= gamma * h[i] * (x[i] - b[i]);
    const auto right_before = right, left_before = left;
    for (std::size_t i = 0; i < n; ++i) {
      right[i] = {x[i] + (i > 0 ? right_before[i - 1].sum : 0.0),
                  1.0 + (i > 0 ? right_before[i - 1].count : 0.0)};
      left[i] = {x[i] + (i + 1 < n ? left_before[i + 1].sum : 0.0),
                 1.0 + (i + 1 < n ? left_before[i + 1].count : 0.0)};
    }
    for (std::size_t i = 0; i < n; ++i) {
      Told all{x[i], 1.0};
      if (i > 0) all = {all.sum + right[i - 1].sum, all.count + right[i - 1].count};
      if (i + 1 < n) all = {all.sum + left[i + 1].sum, all.count + left[i + 1].count};
      x[i] = all.sum / all.count;
    }
  }
  Configuration c = configuration("relay-sum", n, gamma, 9);
  c.ingredients["topology"] = "path";
  const auto found = test::run_on_quadratic(c, data).workers;
  for (std::size_t i = 0; i < n; ++i) CHECK(found[i][0] == Approx(x[i]).epsilon(1e-12));
}

TEST_CASE("relay-sum takes in each model once, as old as its worker is far", "[scheme]") {
  const int n = 5;
  std::vector<MixingEdge> edges;
  for (int i = 0; i + 1 < n; ++i) {
    edges.push_back({i, i + 1, 0.3});
    edges.push_back({i + 1, i, 0.3});
  }
  const Topology path{"path", {mixing_matrix(n, edges)}};
  const Dataset data = unlike_data(n);
  // Where the models of all have come to rest, a uniform average of x_j − γ g_j(x_j) is x: the
  // optimum of the mean, and all are equal.
  const std::vector<double> best = optimum(data);
  for (const auto& replica : test::run_on_quadratic(configuration("relay-sum", n, 0.1, 4000), data,
                                                    {}, {.topology = &path})
                                 .workers) {
    for (std::size_t j = 0; j < best.size(); ++j)
      CHECK(replica[j] == Approx(best[j]).margin(1e-10));
  }
  // The first step: the own model and the neighbours'.
  const auto first =
      test::run_on_quadratic(configuration("relay-sum", n, 0.1, 1), data, {}, {.topology = &path})
          .workers;
  for (int i = 0; i < n; ++i) {
    double sum = 0.0, count = 0.0;
    for (int k = std::max(0, i - 1); k <= std::min(n - 1, i + 1); ++k) {
      const float* row = data.dense.data() + 4 * k;
      sum += 0.1 * static_cast<double>(row[0]) * row[2];  // −γ g at 0
      count += 1.0;
    }
    CHECK(first[static_cast<std::size_t>(i)][0] == Approx(sum / count).margin(1e-12));
  }
}

TEST_CASE("gossip-aga averages as often as gossip-pga where the loss does not fall",
          "[scheme][rule:gossip-aga]") {
  std::vector<std::vector<double>> h(4, {1.0}), b(4, {0.0});  // all start at the optimum
  b[1][0] = 1.0;
  b[3][0] = -1.0;
  const Dataset data = test::quadratic_data(h, b);
  Configuration c = configuration("gossip-aga", 4, 0.1, 24);
  c.hyperparameters["global-period"] = 3;
  const auto adaptive = test::run_on_quadratic(c, data).workers;
  c.scheme = "gossip-pga";
  const auto periodic = test::run_on_quadratic(c, data).workers;
  for (std::size_t i = 0; i < 4; ++i) test::check_close(adaptive[i], periodic[i]);
}

TEST_CASE("equal workers in lockstep average under ad-psgd as well", "[scheme]") {
  const Dataset data = unlike_data(2);
  Configuration c = configuration("ad-psgd", 2, 0.01, 2000);
  const auto found = test::run_on_quadratic(c, data).workers;
  // Apart by two steps at most, of gradients below 8.
  CHECK(std::abs(found[0][0] - found[1][0]) < 0.2);
}

TEST_CASE("a step size that changes leaves no bias in the corrected schemes", "[scheme]") {
  const Dataset data = unlike_data(5);
  const std::vector<double> best = optimum(data);
  for (const char* scheme : {"gradient-tracking",
                             "diging",
                             "d2",
                             "exact-diffusion",
                             "nids",
                             "led",
                             "wang-elia",
                             "gt-sarah",
                             "gt-saga",
                             "gt-vr",
                             "dinno",
                             "admm",
                             "atg",
                             "lt-admm",
                             "lt-admm-vr",
                             "dlm",
                             "k-gt",
                             "proxskip",
                             "extra",
                             "relay-sum"}) {
    for (const bool warms_up : {true, false}) {
      CAPTURE(scheme, warms_up);
      Configuration c = configuration(scheme, 5, 0.2, 3000);
      c.hyperparameters = {{"period", warms_up ? 4.0 : 1.0},
                           {"mixing-probability", warms_up ? 0.5 : 1.0},
                           {"consensus-penalty", 1.0}};
      if (warms_up) {
        c.optimizer.warmup = 7.0;
      } else {
        c.optimizer.lr_schedule = parse_lr_schedule("step:9:0.5", "test");
      }
      c.steps = warms_up ? 3000 : 40;
      const auto replicas = test::run_on_quadratic(c, data).workers;
      if (!warms_up) {  // halved every nine epochs: too small to arrive, but all agree
        for (const auto& replica : replicas) CHECK(std::abs(replica[0] - best[0]) < 0.5);
        continue;
      }
      for (const auto& replica : replicas) {
        for (std::size_t j = 0; j < best.size(); ++j) {
          CHECK(replica[j] == Approx(best[j]).margin(1e-9));
        }
      }
    }
  }
}

TEST_CASE("sgp-overlap takes in what was sent a step before", "[scheme][rule:sgp-overlap]") {
  // u ← u - γ g(z); half of (u, w) goes to the next of three; what comes is of the step before.
  const int n = 3;
  const double gamma = 0.1;
  const std::vector<double> h{1.0, 2.0, 0.5}, b{3.0, -1.0, 2.0};
  const Dataset data = test::quadratic_data({{1.0}, {2.0}, {0.5}}, {{3.0}, {-1.0}, {2.0}});
  std::vector<double> u(n, 0.0), w(n, 1.0), z(n, 0.0), late_u(n, 0.0), late_w(n, 0.0);
  for (int t = 0; t < 7; ++t) {
    std::vector<double> sent_u(n), sent_w(n);
    for (std::size_t i = 0; i < n; ++i) {
      u[i] -= gamma * h[i] * (z[i] - b[i]);
      sent_u[(i + 1) % n] = u[i] /= 2;
      sent_w[(i + 1) % n] = w[i] /= 2;
    }
    for (std::size_t i = 0; i < n; ++i) {
      u[i] += late_u[i];
      w[i] += late_w[i];
      z[i] = u[i] / w[i];
    }
    late_u = sent_u;
    late_w = sent_w;
  }
  const Topology circle{"circle", {mixing_matrix(n, {{1, 0, 0.5}, {2, 1, 0.5}, {0, 2, 0.5}})}};
  const auto found = test::run_on_quadratic(configuration("sgp-overlap", n, gamma, 7), data, {},
                                            {.topology = &circle})
                         .workers;
  for (std::size_t i = 0; i < n; ++i) CHECK(found[i][0] == Approx(z[i]).epsilon(1e-12));
}
