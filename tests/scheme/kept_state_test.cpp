// What schemes carry from step to step beside their model, as the run's state lists it.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/replicas.hpp"

using namespace trainyard;

namespace {

Configuration quadratic(const std::string& scheme) {
  Configuration c;
  c.scheme = scheme;
  c.workers = 5;
  c.ingredients["topology"] = "ring";
  c.steps = 12;
  c.optimizer.lr = 0.05;
  return c;
}

}  // namespace

TEST_CASE("schemes keep what outlives a step under the paper's names", "[scheme]") {
  struct Row {
    const char* scheme;
    int rank;  // 5 is the first server
    std::vector<std::string> names;
  };
  for (const Row& row :
       {Row{"gossip", 0, {"replica"}},
        Row{"gradient-tracking", 0, {"counted gradient", "replica", "tracker"}},
        Row{"extra", 1, {"correction", "replica"}},
        Row{"nids", 1, {"correction", "replica"}},
        Row{"k-gt", 1, {"correction", "gradients of a round", "replica", "start of a round"}},
        Row{"proxskip", 1, {"correction", "replica"}},
        Row{"dlm", 1, {"dual variable", "replica"}},
        Row{"lt-admm", 1, {"correction", "pull of the neighbours", "replica"}},
        Row{"lt-admm-vr",
            1,
            {"correction", "mean of the table", "pull of the neighbours", "replica",
             "table of gradients"}},
        Row{"dinno", 1, {"dual variable", "pull of the neighbours", "replica", "start of a round"}},
        Row{"admm", 1, {"dual variable", "pull of the neighbours", "replica", "start of a round"}},
        Row{"atg",
            1,
            {"dual variable of s", "dual variable of y", "last s", "last y",
             "pull of the neighbours' s", "pull of the neighbours' y", "replica", "s", "y"}},
        Row{"gt-vr", 1, {"counted gradient", "estimate", "replica", "snapshot", "tracker"}},
        Row{"gt-saga",
            1,
            {"counted gradient", "mean of the table", "replica", "table of gradients", "tracker"}},
        Row{"local-svrg", 1, {"estimate", "replica", "snapshot"}},
        Row{"wang-elia", 1, {"integral", "replica"}},
        Row{"led", 1, {"correction", "replica"}},
        Row{"d2", 4, {"correction", "replica"}},
        Row{"qgm", 2, {"quasi-global momentum", "replica"}},
        Row{"sgp", 2, {"replica", "u and w"}},
        Row{"relay-sum", 0, {"m(1)", "m(4)", "replica"}},
        Row{"eamsgd", 3, {"replica", "velocity"}},
        Row{"downpour", 3, {"accrued gradients", "replica"}},
        Row{"dc-asgd-a",
            5,
            {"MS", "shard", "x_bak(0)", "x_bak(1)", "x_bak(2)", "x_bak(3)", "x_bak(4)"}},
        Row{"value-bound", 5, {"read(0)", "read(1)", "read(2)", "read(3)", "read(4)", "shard"}},
        Row{"ssp", 5, {"shard"}},
        Row{"demo", 1, {"delta", "replica"}},
        Row{"sparse-loco", 1, {"error", "outer model", "replica"}},
        Row{"ssp", 5, {"shard"}},
        Row{"sandblaster", 5, {"shard"}},
        Row{"sandblaster",
            6,
            {"direction", "gradient", "history", "parameters", "shard", "trial gradient",
             "trial parameters"}},
        Row{"ssp-strict", 5, {"held(0)", "held(1)", "held(2)", "held(3)", "held(4)", "shard"}}}) {
    CAPTURE(row.scheme);
    const test::Replicas result =
        test::run_on_quadratic(quadratic(row.scheme), test::unlike_data(5));
    std::vector<std::string> names;
    for (const auto& [name, values] : result.kept[static_cast<std::size_t>(row.rank)]) {
      names.push_back(name);
    }
    CHECK(names == row.names);
  }
}

TEST_CASE("what is kept is what the rule carries on", "[scheme]") {
  const Dataset data = test::unlike_data(5);
  const auto sum_of = [](const test::Replicas& run, const char* name, std::size_t j) {
    double sum = 0.0;
    for (const auto& kept : run.kept) sum += kept.at(name)[j];
    return sum;
  };
  const test::Replicas tracking = test::run_on_quadratic(quadratic("gradient-tracking"), data);
  const test::Replicas diffusion = test::run_on_quadratic(quadratic("exact-diffusion"), data);
  const test::Replicas push = test::run_on_quadratic(quadratic("sgp"), data);
  double largest = 0.0;
  for (std::size_t j = 0; j < 2; ++j) {
    // The trackers add up to the newest gradients, and corrections to nothing.
    CHECK(sum_of(tracking, "tracker", j) ==
          Approx(sum_of(tracking, "counted gradient", j)).margin(1e-12));
    CHECK(sum_of(diffusion, "correction", j) == Approx(0.0).margin(1e-12));
    for (const auto& kept : diffusion.kept) {
      largest = std::max(largest, std::abs(kept.at("correction")[j]));
    }
  }
  CHECK(largest > 0.01);
  CHECK(sum_of(push, "u and w", 2) == Approx(5.0).epsilon(1e-12));  // the weights
}

TEST_CASE("an optimizer's state is kept as well", "[scheme]") {
  Configuration c = quadratic("ring");
  c.optimizer.kind = OptimizerKind::adam;
  const test::Replicas run = test::run_on_quadratic(c, test::unlike_data(5));
  CHECK(run.kept[0].contains("optimizer.m"));
  CHECK(run.kept[0].at("optimizer.s").size() == 2);
  c.optimizer = {.lr = 0.01, .momentum = 0.5};
  const test::Replicas heavy = test::run_on_quadratic(c, test::unlike_data(5));
  CHECK(heavy.kept[0].size() == 2);
  CHECK(heavy.kept[0].contains("optimizer.v"));
}
