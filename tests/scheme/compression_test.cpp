// Compressed schemes against trajectories that were worked out elsewhere, and against the
// identities of their papers, with every codec.
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "trainyard/topology/topology.hpp"

#include "support/catch.hpp"
#include "support/every_codec.hpp"
#include "support/golden.hpp"

using namespace trainyard;
using test::Json;

namespace {

constexpr double gamma_of_tests = 0.05;

Configuration on_ring(const std::string& scheme, const std::string& codec, int workers,
                      std::uint64_t steps) {
  Configuration c;
  c.scheme = scheme;
  c.workers = workers;
  c.optimizer.lr = gamma_of_tests;
  c.steps = steps;
  c.ingredients = {{"codec", codec}, {"topology", "ring"}};
  return c;
}

std::vector<double> mean_of(const std::vector<std::vector<double>>& rows) {
  std::vector<double> mean(rows.front().size(), 0.0);
  for (const std::vector<double>& row : rows) {
    for (std::size_t j = 0; j < mean.size(); ++j) {
      mean[j] += row[j] / static_cast<double>(rows.size());
    }
  }
  return mean;
}

/// (1/n) Σ_i ∇f_i(x_i) of support/replicas.hpp's quadratics.
std::vector<double> mean_gradient(const Dataset& data,
                                  const std::vector<std::vector<double>>& models) {
  const std::size_t d = data.features / 2;
  std::vector<std::vector<double>> gradients;
  for (std::size_t i = 0; i < models.size(); ++i) {
    const float* row = data.dense.data() + i * data.features;
    auto& g = gradients.emplace_back(d);
    for (std::size_t j = 0; j < d; ++j) {
      g[j] = static_cast<double>(row[j]) * (models[i][j] - static_cast<double>(row[d + j]));
    }
  }
  return mean_of(gradients);
}

std::vector<std::vector<double>> kept_of_workers(const test::Replicas& run, const char* name) {
  std::vector<std::vector<double>> all;
  for (std::size_t i = 0; i < run.workers.size(); ++i) all.push_back(run.kept[i].at(name));
  return all;
}

}  // namespace

TEST_CASE("compressed schemes that average over all follow their rules",
          "[scheme][rule:csgd][rule:ec-sgd][rule:double-squeeze]"
          "[rule:coded-all-reduce][rule:qsparse-local-sgd]") {
  const auto golden = test::golden_trajectories();
  struct Row {
    const char* scheme;
    const char* codec;
    const char* name;
    Hyperparameters hyperparameters{};
  };
  for (const Row& row :
       {Row{"csgd", "top-k:k=1", "csgd_top1_noEF"}, Row{"ec-sgd", "top-k:k=1", "ecsgd_top1"},
        Row{"qsparse-local-sgd", "top-k:k=1", "ecsgd_top1", {{"period", 1}}},
        Row{"coded-all-reduce", "top-k:k=1", "ecsgd_top1", {{"coded-form", 0}}},
        Row{"double-squeeze", "top-k:k=1", "doublesqueeze_top1"},
        Row{"double-squeeze", "sign", "doublesqueeze_scaledsign"},
        Row{"csgd", "identity", "psgd_mean"},
        Row{"csgd", "identity", "psgd_mean", {{"direction", 1}}},
        Row{"ec-sgd", "identity", "psgd_mean"}, Row{"double-squeeze", "identity", "psgd_mean"},
        Row{"coded-all-reduce", "identity", "psgd_mean", {{"coded-form", 0}}},
        Row{"coded-all-reduce", "identity", "psgd_mean", {{"coded-form", 1}}},
        Row{"coded-all-reduce", "identity", "psgd_mean", {{"coded-form", 2}}}}) {
    CAPTURE(row.scheme, row.codec);
    Configuration c = test::golden_configuration(golden, row.scheme);
    c.ingredients["codec"] = row.codec;
    c.hyperparameters = row.hyperparameters;
    test::check_synchronous(golden, c, row.name);
  }
  Configuration local = test::golden_configuration(golden, "qsparse-local-sgd");
  local.ingredients["codec"] = "identity";
  local.hyperparameters["period"] = 4;
  test::check_replicas(golden, local, "local_sgd_tau4");
}

// A server on each worker's port, with the same parts.
TEST_CASE("all-to-all of encoded parts is double-squeeze with a server for each part", "[scheme]") {
  const Dataset data = test::unlike_data(2);
  for (const char* codec : {"sign", "top-k:k=1", "two-bit:0.1", "bf16"}) {
    CAPTURE(codec);
    Configuration c = on_ring("coded-all-reduce", codec, 2, 60);
    const test::Replicas owners = test::run_on_quadratic(c, data);
    c = on_ring("double-squeeze", codec, 2, 60);
    c.servers = 2;
    test::check_close(owners.model, test::run_on_quadratic(c, data).model);
  }
}

TEST_CASE("compressed schemes over a graph follow their rules",
          "[scheme][rule:naive-compression][rule:dcd][rule:ecd][rule:choco][rule:deep-squeeze]") {
  const auto golden = test::golden_trajectories();
  struct Row {
    const char* scheme;
    const char* codec;
    const char* name;
    Hyperparameters hyperparameters{};
  };
  for (const Row& row :
       {Row{"naive-compression", "top-k:k=2", "naive_dsgd_top2"},
        Row{"naive-compression", "identity", "dsgd_awc_ring"},
        Row{"dcd", "top-k:k=2", "dcd_top2(biased, deterministic)"},
        Row{"dcd", "identity", "dsgd_awc_ring"},
        Row{"ecd", "identity", "ecd_identity(=dsgd_awc_ring)"},
        Row{"choco", "top-k:k=1", "choco_paper_top1_gc0.3", {{"consensus-rate", 0.3}}},
        Row{"choco",
            "top-k:k=1",
            "choco_deep_top1_gc0.3",
            {{"consensus-rate", 0.3}, {"choco-order", 1}}},
        Row{"choco", "identity", "dsgd_atc_ring", {{"consensus-rate", 1.0}}},
        Row{"deep-squeeze", "top-k:k=1", "deepsqueeze_top1_eta0.3", {{"consensus-rate", 0.3}}},
        Row{"deep-squeeze", "identity", "dsgd_atc_ring", {{"consensus-rate", 1.0}}}}) {
    CAPTURE(row.scheme, row.codec);
    Configuration c = test::golden_configuration(golden, row.scheme);
    c.ingredients = {{"codec", row.codec}, {"topology", "ring"}};
    c.hyperparameters = row.hyperparameters;
    test::check_replicas(golden, c, row.name);
  }
}

// x_t − (mean of e_i + E)_t moves by −γ · mean of the gradients at x_t, step by step.
TEST_CASE("double-squeeze differs from SGD by the errors it keeps, and by nothing else",
          "[scheme]") {
  const Dataset data = test::unlike_data(5);
  for (const std::string& codec : test::every_codec()) {
    for (const int servers : {1, 2}) {
      std::vector<double> expected;
      for (std::uint64_t t = 0; t <= 12; ++t) {
        CAPTURE(codec, servers, t);
        Configuration c = on_ring("double-squeeze", codec, 5, t);
        c.servers = servers;
        const test::Replicas run = test::run_on_quadratic(c, data);
        if (t == 0) {
          expected = run.model;
        } else {
          std::vector<double> found = run.model;
          const std::vector<double> errors = mean_of(kept_of_workers(run, "error"));
          std::size_t j = 0;
          for (std::size_t server = 5; server < run.kept.size(); ++server) {
            for (const double error : run.kept[server].at("error")) {
              found[j] -= errors[j] + error;
              ++j;
            }
          }
          REQUIRE(j == found.size());
          test::check_close(found, expected);
        }
        const std::vector<double> gradient = mean_gradient(data, run.workers);
        for (std::size_t j = 0; j < gradient.size(); ++j)
          expected[j] -= gamma_of_tests * gradient[j];
      }
    }
  }
}

TEST_CASE("ec-sgd differs from SGD by the errors it keeps, and by nothing else", "[scheme]") {
  const Dataset data = test::unlike_data(4);
  for (const std::string& codec : test::every_codec()) {
    std::vector<double> expected;
    for (std::uint64_t t = 0; t <= 12; ++t) {
      CAPTURE(codec, t);
      const test::Replicas run = test::run_on_quadratic(on_ring("ec-sgd", codec, 4, t), data);
      if (t == 0) {
        expected = run.model;
      } else {
        std::vector<double> found = run.model;
        const std::vector<double> errors = mean_of(kept_of_workers(run, "error"));
        for (std::size_t j = 0; j < found.size(); ++j) found[j] -= errors[j];
        test::check_close(found, expected);
      }
      const std::vector<double> gradient = mean_gradient(data, run.workers);
      for (std::size_t j = 0; j < gradient.size(); ++j) expected[j] -= gamma_of_tests * gradient[j];
    }
  }
}

TEST_CASE("choco keeps the mean of the models, whatever the codec leaves out", "[scheme]") {
  const Dataset data = test::unlike_data(6);
  for (const std::string& codec : test::every_codec()) {
    for (const double order : {0.0, 1.0}) {
      std::vector<double> expected;
      for (std::uint64_t t = 0; t <= 12; ++t) {
        CAPTURE(codec, order, t);
        Configuration c = on_ring("choco", codec, 6, t);
        c.hyperparameters = {{"choco-order", order}, {"consensus-rate", 0.05}};
        const test::Replicas run = test::run_on_quadratic(c, data);
        if (t > 0) test::check_close(run.model, expected);
        expected = run.model;
        const std::vector<double> gradient = mean_gradient(data, run.workers);
        for (std::size_t j = 0; j < gradient.size(); ++j) {
          expected[j] -= gamma_of_tests * gradient[j];
        }
      }
    }
  }
}

TEST_CASE("in dcd all replicas of a model have its bits", "[scheme]") {
  const int n = 6;
  const Dataset data = test::unlike_data(n);
  for (const std::string& codec : test::every_codec()) {
    for (const char* topology : {"ring", "full", "torus"}) {
      CAPTURE(codec, topology);
      Configuration c = on_ring("dcd", codec, n, 30);
      c.ingredients["topology"] = topology;
      const test::Replicas run = test::run_on_quadratic(c, data);
      const Topology graph = make_topology(topology, n, 1);
      for (int i = 0; i < n; ++i) {
        for (const auto& neighbour : graph.row(0, i).receives) {
          CAPTURE(i, neighbour.rank);
          const auto& replica = run.kept[static_cast<std::size_t>(i)].at(
              fmt::format("replica of worker {}", neighbour.rank));
          CHECK(replica == run.workers[static_cast<std::size_t>(neighbour.rank)]);
        }
      }
    }
  }
}
