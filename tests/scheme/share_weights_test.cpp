// Unequal shares: what they count in what is minimised, by the published rules and by --weights.
#include <cmath>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/replicas.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

using Doubles = std::vector<double>;

/// Worker 0 has three equal rows, ½ (x − 4)², and worker 1 one, ½ · 0.5 (x + 8)². Over rows the
/// optimum is (3 · 4 − 4) / 3.5, over workers (4 − 4) / 1.5.
Dataset three_rows_and_one() {
  return test::quadratic_data({{1.0}, {1.0}, {1.0}, {0.5}}, {{4.0}, {4.0}, {4.0}, {-8.0}});
}
constexpr double optimum_over_rows = 8.0 / 3.5;
const test::Special parts{.parts = {{0, 1, 2}, {3}}};

Configuration two_workers(const std::string& scheme, std::uint64_t steps) {
  Configuration c;
  c.scheme = scheme;
  c.workers = 2;
  c.steps = steps;
  c.optimizer.lr = 0.1;
  c.weights = ShareWeights::rows;
  return c;
}

/// A feature that is 1 in every row, and a label that is 1 in nine rows of ten: whoever minimises
/// the mean over rows ends at the entropy of that, 0.325083.
LoadedData nine_in_ten(std::size_t rows) {
  Dataset data;
  data.rows = rows;
  data.features = 1;
  data.classes = 2;
  data.labels = AlignedBuffer<Label>::zeroed(rows);
  data.dense = AlignedBuffer<float>(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    data.dense.data()[row] = 1.0F;
    data.labels.data()[row] = row % 10 == 0 ? 0 : 1;
  }
  return {"nine-in-ten", std::move(data), {}};
}
const double entropy = -0.9 * std::log(0.9) - 0.1 * std::log(0.1);

Configuration skewed(const std::string& scheme) {
  Configuration c = test::quick(scheme, 4, 1);
  c.steps.reset();
  c.epochs = 20.0;
  c.batch = 10;
  c.partition = {PartitionRule::Kind::dirichlet, 0.3};
  c.optimizer.lr = 0.3;
  c.optimizer.lr_schedule.kind = LrSchedule::Kind::cosine;
  return c;
}

double loss_of(Configuration c, std::optional<ShareWeights> weights, const LoadedData& data) {
  c.weights = weights;
  return test::train(c, data).summary.train_loss;
}

std::string notes_of(const Configuration& c) {
  const LoadedData data = nine_in_ten(1000);
  std::string said;
  (void)resolve(c, {c.scheme}, data, [&](const std::string& text) { said += text + "\n"; });
  return said;
}

}  // namespace

TEST_CASE("weighed by rows, a mean of gradients is the gradient of the mean over rows",
          "[scheme]") {
  double x = 0.0;
  for (int step = 0; step < 5; ++step) x -= 0.1 * (3.0 * (x - 4.0) + 0.5 * (x + 8.0)) / 4.0;
  for (const char* scheme : {"ring", "all-reduce", "ps-sync", "ddp", "zero-1", "ps-hierarchical",
                             "sequential", "gradient-coding", "uncoded", "csgd", "local-sgd"}) {
    INFO(scheme);
    Configuration c = two_workers(scheme, 5);
    c.hyperparameters["period"] = 1.0;
    if (c.scheme == "csgd") c.ingredients["codec"] = "identity";
    const test::Replicas found = test::run_on_quadratic(c, three_rows_and_one(), {}, parts);
    CHECK(found.model.at(0) == Approx(x).epsilon(1e-12));
  }
}

TEST_CASE(
    "weighed by rows, rules that correct for what shares differ by end at the optimum over "
    "rows",
    "[scheme]") {
  for (const char* scheme :
       {"gradient-tracking", "diging", "extra", "nids", "exact-diffusion", "led", "wang-elia",
        "gt-vr", "gt-saga", "dinno", "admm", "atg", "lt-admm", "lt-admm-vr", "dlm", "k-gt",
        "proxskip", "scaffnew", "local-svrg"}) {
    INFO(scheme);
    Configuration c = two_workers(scheme, 900);
    c.hyperparameters = {{"period", 3.0}, {"mixing-probability", 0.3}};
    const test::Replicas found = test::run_on_quadratic(c, three_rows_and_one(), {}, parts);
    for (const Doubles& replica : found.workers) {
      CHECK(replica.at(0) == Approx(optimum_over_rows).epsilon(1e-9));
    }
  }
}

TEST_CASE("federated averages weigh as their papers do, or as is asked", "[scheme]") {
  const double first = 4.0 - std::pow(0.9, 3) * 4.0, second = -8.0 + std::pow(0.95, 3) * 8.0;
  const double by_rows = (3 * first + second) / 4, alike = (first + second) / 2;
  const auto found = [](const char* scheme, std::optional<ShareWeights> weights) {
    Configuration c = two_workers(scheme, 3);
    c.hyperparameters = {{"period", 3.0}, {"participation", 1.0}};
    c.ingredients["codec"] = "identity";
    c.weights = weights;
    return test::run_on_quadratic(c, three_rows_and_one(), {}, parts).model.at(0);
  };
  CHECK(found("fedavg", {}) == Approx(by_rows));
  CHECK(found("fedavg", ShareWeights::rows) == Approx(by_rows));
  CHECK(found("fedavg", ShareWeights::workers) == Approx(alike));
  CHECK(found("fedpaq", {}) == Approx(alike));
  CHECK(found("fedpaq", ShareWeights::rows) == Approx(by_rows));
}

TEST_CASE("with shares of unequal length --weights says what is minimised", "[scheme]") {
  const LoadedData data = nine_in_ten(1000);
  for (const char* scheme : {"ring", "ps-sync", "gossip", "local-sgd", "sequential", "ps-async",
                             "hogwild", "easgd", "choco"}) {
    INFO(scheme);
    const double published = loss_of(skewed(scheme), {}, data);
    CHECK(published == loss_of(skewed(scheme), ShareWeights::workers, data));
    CHECK(published > entropy + 0.05);
    CHECK(loss_of(skewed(scheme), ShareWeights::rows, data) < entropy + 0.01);
  }
  Configuration all_take_part = skewed("fedavg");
  all_take_part.hyperparameters["participation"] = 1.0;
  CHECK(loss_of(all_take_part, {}, data) < entropy + 0.01);
  CHECK(loss_of(all_take_part, ShareWeights::workers, data) > entropy + 0.05);
}

TEST_CASE("shares of equal length are weighed alike, to the bit", "[scheme]") {
  const LoadedData data = nine_in_ten(400);
  for (const char* scheme : {"ring", "gossip", "hogwild"}) {
    Configuration c = skewed(scheme);
    c.partition = {};
    CHECK(loss_of(c, ShareWeights::rows, data) == loss_of(c, {}, data));
    CHECK_THAT(notes_of(c), !ContainsSubstring("rows;"));
  }
}

TEST_CASE("unequal shares are said, and what the scheme makes of them", "[scheme]") {
  const std::string of_workers = notes_of(skewed("ring"));
  CHECK_THAT(of_workers,
             ContainsSubstring(
                 "note: workers have unequal numbers of rows (--partition dirichlet:0.3); "));
  CHECK_THAT(of_workers, ContainsSubstring("what is minimised is the mean over workers, and not"));
  CHECK_THAT(of_workers, ContainsSubstring("--weights rows"));
  CHECK_THAT(notes_of(skewed("ps-async")), ContainsSubstring("as far as they take equally many"));
  CHECK_THAT(notes_of(skewed("fedavg")),
             ContainsSubstring("fedavg weighs those who take part by their rows, and as not all do "
                               "in each round, what it minimises lies between"));
  Configuration all_take_part = skewed("fedavg");
  all_take_part.hyperparameters["participation"] = 1.0;
  CHECK_THAT(notes_of(all_take_part),
             ContainsSubstring("fedavg weighs workers by their rows, and minimises the mean over "
                               "rows (as far as replicas do not drift apart"));
  CHECK_THAT(notes_of(skewed("sign-sgd")),
             ContainsSubstring("; each worker has one vote, whatever the length of its gradient: "
                               "what is minimised is not the mean over rows"));
  CHECK_THAT(notes_of(skewed("sandblaster")), !ContainsSubstring("workers have"));
  Configuration c = skewed("ring");
  c.weights = ShareWeights::rows;
  CHECK_THAT(notes_of(c), ContainsSubstring("with --weights rows the mean over rows is minimised"));
  c.partition = {};
  CHECK_THAT(notes_of(c), !ContainsSubstring("workers have"));
}

TEST_CASE("weights that a rule cannot heed are refused by name", "[scheme]") {
  const auto refused = [](const char* scheme, ShareWeights weights, const char* why,
                          OptimizerKind optimizer = OptimizerKind::sgd) {
    Configuration c = skewed(scheme);
    c.weights = weights;
    c.optimizer.kind = optimizer;
    CHECK_THROWS_WITH(notes_of(c), ContainsSubstring("--weights") && ContainsSubstring(scheme) &&
                                       ContainsSubstring(why));
  };
  refused("sign-sgd", ShareWeights::rows, "takes only workers: each worker has one vote");
  refused("sandblaster", ShareWeights::workers, "takes only rows: its workers take portions");
  refused("gossip", ShareWeights::rows, "adam is given each worker's", OptimizerKind::adam);
  Configuration c = skewed("ring");
  c.weights = ShareWeights::rows;
  c.optimizer.kind = OptimizerKind::adam;  // is given the mean
  CHECK_NOTHROW(notes_of(c));
}

TEST_CASE("weighing rows brings every scheme that takes it nearer to the optimum over rows",
          "[scheme]") {
  const LoadedData data = nine_in_ten(1000);
  for (const Scheme& scheme : schemes()) {
    if (scheme.shares.published == ShareWeights::rows || !scheme.shares.fixed.empty()) continue;
    INFO(scheme.name);
    const double rows = loss_of(skewed(scheme.name), ShareWeights::rows, data);
    CHECK(rows < loss_of(skewed(scheme.name), {}, data) - 0.02);
  }
}
