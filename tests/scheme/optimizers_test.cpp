// Optimizers and schedules inside the schemes: synchronous ones step as one worker with all
// minibatches would, whoever holds the state; local ones keep the state that their rule says.
#include <cmath>

#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/left_out.hpp"
#include "support/lone_optimizer.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

using Doubles = std::vector<double>;

const std::vector<Doubles> curvatures{{1.0, 0.25, 4.0}, {0.5, 0.75, 1.0}, {2.0, 0.125, 0.5}};
const std::vector<Doubles> minima{{1.0, -2.0, 0.5}, {-1.0, 3.0, 0.25}, {4.0, 0.5, -2.0}};

Dataset three_quadratics() {
  return test::quadratic_data(curvatures, minima);
}

Configuration configuration(const std::string& scheme, OptimizerKind kind) {
  Configuration c;
  c.scheme = scheme;
  c.workers = 3;
  c.steps = 25;
  c.optimizer = {.kind = kind, .lr = 0.1};
  if (kind == OptimizerKind::sgd || kind == OptimizerKind::nesterov) c.optimizer.momentum = 0.8;
  return c;
}

double gradient(std::size_t worker, std::size_t j, double x) {
  return curvatures[worker][j] * (x - minima[worker][j]);
}

}  // namespace

TEST_CASE("synchronous schemes make the same step with every optimizer and schedule", "[scheme]") {
  const auto synchronous = test::schemes_where(
      test::is_synchronous, {{"tensor-split", "takes networks; has a test of its own"},
                             {"ec-sgd", "takes plain SGD only"},
                             {"double-squeeze", "takes plain SGD only"},
                             {"coded-all-reduce", "takes plain SGD only"},
                             {"power-sgd", "takes plain SGD only"},
                             {"one-bit-adam", "is an optimizer of its own"},
                             {"sandblaster", "is L-BFGS"},
                             {"terngrad", "is right on average"},
                             {"demo", "steps by signs"},
                             {"sign-sgd", "steps by signs"}});
  const Dataset data = three_quadratics();
  for (const OptimizerKind kind :
       {OptimizerKind::sgd, OptimizerKind::nesterov, OptimizerKind::adagrad, OptimizerKind::adam,
        OptimizerKind::adamw, OptimizerKind::lion}) {
    for (const char* schedule : {"inverse-time", "step:4:0.5", "cosine"}) {
      Configuration c = configuration("sequential", kind);
      c.optimizer.lr_schedule = parse_lr_schedule(schedule, "test");
      c.optimizer.warmup = 3;
      c.optimizer.run_epochs = 25;
      // By hand: a step is an epoch, as there are as many rows as workers.
      test::LoneOptimizer optimizer(c.optimizer, Scalar::float64, 3);
      Doubles x(3, 0.0), mean(3);
      for (int t = 0; t < 25; ++t) {
        for (std::size_t j = 0; j < 3; ++j) {
          mean[j] = (gradient(0, j, x[j]) + gradient(1, j, x[j]) + gradient(2, j, x[j])) / 3.0;
        }
        optimizer.apply(x, mean, t);
      }
      c.hyperparameters = {{"backups", 0.0}, {"stragglers", 0.0}};  // everybody is waited for
      c.ingredients["codec"] = "identity";
      for (const std::string& scheme : synchronous) {
        CAPTURE(optimizer_text(kind), schedule, scheme);
        c.scheme = scheme;
        test::check_close(test::run_on_quadratic(c, data).model, x);
      }
    }
  }
}

TEST_CASE("staleness-aware's shorter steps are the optimizer's own", "[scheme]") {
  // Two workers in turn: the first gradient is fresh, all later ones are one update old.
  Configuration c = configuration("staleness-aware", OptimizerKind::adagrad);
  c.workers = 3;
  Doubles x(3, 0.0), squares(3, 0.0);
  std::vector<Doubles> read(3, x);
  for (std::size_t update = 0; update < 30; ++update) {
    const std::size_t worker = update % 3;
    const double staleness = update < 3 ? static_cast<double>(update) : 2.0;
    for (std::size_t j = 0; j < 3; ++j) {
      const double g = gradient(worker, j, read[worker][j]);
      squares[j] += g * g;
      x[j] -= 0.1 / std::max(1.0, staleness) * g / (std::sqrt(squares[j]) + 1e-10);
    }
    read[worker] = x;
  }
  test::check_close(test::run_on_quadratic(c, three_quadratics(), 30).model, x);
}

TEST_CASE("local-sgd averages velocities with the replicas", "[scheme]") {
  const Dataset data = three_quadratics();
  for (const OptimizerKind kind : {OptimizerKind::sgd, OptimizerKind::nesterov}) {
    Configuration c = configuration("local-sgd", kind);
    for (const int period : {1, 3}) {
      c.hyperparameters["period"] = period;
      std::vector<Doubles> x(3, Doubles(3, 0.0)), v = x;
      for (int t = 1; t <= 25; ++t) {
        for (std::size_t j = 0; j < 3; ++j) {
          double mean_x = 0.0, mean_v = 0.0;
          for (std::size_t i = 0; i < 3; ++i) {
            const double g = gradient(i, j, x[i][j]);
            v[i][j] = 0.8 * v[i][j] + g;
            x[i][j] -= 0.1 * (kind == OptimizerKind::sgd ? v[i][j] : g + 0.8 * v[i][j]);
            mean_x += x[i][j] / 3.0;
            mean_v += v[i][j] / 3.0;
          }
          if (t % period != 0) continue;
          for (std::size_t i = 0; i < 3; ++i) {
            x[i][j] = mean_x;
            v[i][j] = mean_v;
          }
        }
      }
      for (const char* collective : {"ring", "tree", "ps"}) {
        CAPTURE(optimizer_text(kind), period, collective);
        c.ingredients["collective"] = collective;
        const test::Replicas found = test::run_on_quadratic(c, data);
        for (std::size_t i = 0; i < 3; ++i) test::check_close(found.workers[i], x[i]);
      }
    }
    // With an average after every step it is synchronous, momentum included.
    c.hyperparameters["period"] = 1;
    const Doubles local = test::run_on_quadratic(c, data).model;
    c.scheme = "ring";
    test::check_close(local, test::run_on_quadratic(c, data).model);
  }
}

// DiLoCo, Algorithm 1: "InnerOpt" is each worker's own, and only parameters are averaged.
TEST_CASE("local schemes leave Adam's and Adagrad's state with the worker", "[scheme]") {
  const Dataset data = three_quadratics();
  for (const OptimizerKind kind :
       {OptimizerKind::adagrad, OptimizerKind::adam, OptimizerKind::adamw}) {
    Configuration c = configuration("local-sgd", kind);
    c.optimizer.weight_decay = 0.25;
    c.hyperparameters = {{"period", 3.0}, {"switch-epoch", 0.0}};
    std::vector<Doubles> x(3, Doubles(3, 0.0)), m = x, s = x;
    for (int t = 1; t <= 25; ++t) {
      for (std::size_t j = 0; j < 3; ++j) {
        double mean_x = 0.0;
        for (std::size_t i = 0; i < 3; ++i) {
          const double g = gradient(i, j, x[i][j]);
          if (kind == OptimizerKind::adagrad) {
            s[i][j] += g * g;
            x[i][j] -= 0.1 * g / (std::sqrt(s[i][j]) + 1e-10);
          } else {
            m[i][j] = 0.9 * m[i][j] + 0.1 * g;
            s[i][j] = 0.999 * s[i][j] + 0.001 * g * g;
            if (kind == OptimizerKind::adamw) x[i][j] -= 0.1 * 0.25 * x[i][j];
            x[i][j] -= 0.1 * (m[i][j] / (1.0 - std::pow(0.9, t))) /
                       (std::sqrt(s[i][j] / (1.0 - std::pow(0.999, t))) + 1e-8);
          }
          mean_x += x[i][j] / 3.0;
        }
        for (std::size_t i = 0; i < 3 && t % 3 == 0; ++i) x[i][j] = mean_x;
      }
    }
    for (const char* scheme : {"local-sgd", "post-local-sgd"}) {
      CAPTURE(optimizer_text(kind), scheme);
      c.scheme = scheme;
      const test::Replicas found = test::run_on_quadratic(c, data);
      for (std::size_t i = 0; i < 3; ++i) {
        test::check_close(found.workers[i], x[i]);
        const char* kept = kind == OptimizerKind::adagrad ? "optimizer.G" : "optimizer.s";
        test::check_close(found.kept[i].at(kept), s[i]);
      }
    }
  }
}

TEST_CASE("every scheme takes the optimizers that its row says, and repeats", "[scheme]") {
  const LoadedData data = test::sparse_problem();
  for (const Scheme& scheme : schemes()) {
    for (const OptimizerKind kind :
         {OptimizerKind::sgd, OptimizerKind::nesterov, OptimizerKind::adagrad, OptimizerKind::adam,
          OptimizerKind::adamw, OptimizerKind::lion}) {
      const bool allowed = scheme.optimizers.range == OptimizerRange::any ||
                           (scheme.optimizers.range == OptimizerRange::velocity &&
                            (kind == OptimizerKind::sgd || kind == OptimizerKind::nesterov));
      Configuration c = test::quick(scheme.name, 4, 60);
      c.optimizer = {.kind = kind, .lr = 0.02, .momentum = 0.5};
      c.optimizer.lr_schedule = parse_lr_schedule("cosine", "test");
      CAPTURE(scheme.name, optimizer_text(kind));
      if (!allowed) {
        CHECK_THROWS_WITH(test::train(c, data), ContainsSubstring(scheme.name + " takes"));
        continue;
      }
      const RunResult result = test::train(c, data);
      CHECK(result.summary.train_loss < result.metrics.front().train_loss);
      CHECK(test::train(c, data).summary.model_hash == result.summary.model_hash);
    }
  }
}

TEST_CASE("every scheme steps hidden matrices by muon, or says why not", "[scheme]") {
  const LoadedData data{"blobs", generate_blobs(400, 6, 3, 1.0, 1),
                        generate_blobs(100, 6, 3, 1.0, 2)};
  std::vector<std::string> refused;
  for (const Scheme& scheme : schemes()) {
    if (scheme.optimizers.range != OptimizerRange::any) continue;
    CAPTURE(scheme.name);
    Configuration c = test::quick(scheme.name, 4, 40);
    c.model = "mlp:7,5";
    c.optimizer = {.kind = OptimizerKind::muon, .lr = 0.02};
    RunResult result;
    try {
      result = test::train(c, data);
    } catch (const OptionError& error) {
      CHECK_THAT(error.what(), ContainsSubstring("it steps whole matrices, and " + scheme.name));
      refused.push_back(scheme.name);
      continue;
    }
    CHECK(result.summary.train_loss < 0.9 * result.metrics.front().train_loss);
    CHECK(test::train(c, data).summary.model_hash == result.summary.model_hash);
  }
  CHECK(refused == std::vector<std::string>{"zero-1", "tensor-split"});

  Configuration c = test::quick("ps-sync", 4, 40);
  c.optimizer.kind = OptimizerKind::muon;
  c.servers = 3;
  c.model = "mlp:7,5";
  CHECK_THROWS_WITH(test::train(c, data), ContainsSubstring("3 servers divide one of mlp:7,5"));
  c.servers = 1;
  c.model = "mlp:7";
  CHECK_THROWS_WITH(test::train(c, data), ContainsSubstring("mlp:7 has none"));
}
