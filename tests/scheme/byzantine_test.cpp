// Liars among the workers, and the rules that withstand them, against closed forms and the rules
// written out.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

using Doubles = std::vector<double>;
using Rows = std::vector<Doubles>;

Configuration configuration(const std::string& scheme, int workers, std::uint64_t steps) {
  Configuration c;
  c.scheme = scheme;
  c.workers = workers;
  c.steps = steps;
  c.optimizer.lr = 0.1;
  c.hyperparameters["participation"] = 1.0;
  return c;
}

Configuration with(Configuration c, const std::string& kind, const std::string& text) {
  c.ingredients[kind] = text;
  return c;
}

/// So many workers with the same quadratic, h (x − 1)²/2.
Dataset alike(int workers, double h) {
  const Rows rows(static_cast<std::size_t>(workers), {h});
  return test::quadratic_data(rows, Rows(rows.size(), {1.0}));
}

/// Where gradient descent from 0 is after so many steps of size γ, which may be negative.
double descended(double h, double gamma, int steps) {
  return 1.0 - std::pow(1.0 - gamma * h, steps);
}

/// γ of descended() where the mean of n gradients has f lies in it.
double slowed(const std::string& attack, double n, double f) {
  if (attack == "sign-flip") return 0.1 * (1.0 - 2.0 * f / n);
  if (attack == "zero") return 0.1 * (1.0 - f / n);
  return 0.1 * (1.0 - (f / n) * (1.0 + 3.0));  // ipm:3
}

std::string refusal(const Configuration& c) {
  try {
    (void)test::train(c, test::dense_problem());
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("lies under the mean are plain steps of another length", "[scheme][byzantine]") {
  constexpr double h = 0.5;
  constexpr int n = 10, f = 3, steps = 12;
  for (const std::string scheme : {"ps-sync", "all-reduce", "local-sgd", "fedavg"}) {
    for (const std::string attack : {"sign-flip", "zero", "ipm:3"}) {
      CAPTURE(scheme, attack);
      Configuration c = with(configuration(scheme, n, steps), "byzantine", "3:" + attack);
      c.hyperparameters["period"] = 1;
      const test::Replicas found = test::run_on_quadratic(c, alike(n, h));
      test::check_close(found.model, {descended(h, slowed(attack, n, f), steps)});
    }
  }
}

TEST_CASE("inner-product manipulation ascends if and only if ε > (n − f)/f",
          "[scheme][byzantine]") {
  const auto end = [](const std::string& epsilon) {
    const Configuration c = with(configuration("ps-sync", 9, 20), "byzantine", "3:ipm:" + epsilon);
    return test::run_on_quadratic(c, alike(9, 0.5)).model.front();
  };
  CHECK(end("1.99") > 0.0);
  CHECK(std::abs(end("2")) < 1e-15);
  CHECK(end("2.01") < 0.0);
}

TEST_CASE("a robust rule takes the mean's place wherever updates are combined",
          "[scheme][byzantine]") {
  constexpr std::size_t n = 7;
  const Dataset data = test::unlike_data(n);
  const std::size_t size = data.features / 2;
  Doubles x(size, 0.0);
  for (int done = 1; done <= 8; ++done) {
    // Each coordinate's mean of what lies between the two largest and the two smallest; the last
    // two workers send the opposite of what they computed.
    for (std::size_t j = 0; j < size; ++j) {
      Doubles g;
      for (std::size_t i = 0; i < n; ++i) {
        const auto h = static_cast<double>(data.dense_row(i)[j]);
        const auto b = static_cast<double>(data.dense_row(i)[size + j]);
        g.push_back((i < n - 2 ? 1.0 : -1.0) * h * (x[j] - b));
      }
      std::ranges::sort(g);
      x[j] -= 0.1 * (g[2] + g[3] + g[4]) / 3.0;
    }
    for (const std::string scheme :
         {"ps-sync", "all-reduce", "local-sgd", "fedavg", "fedprox", "fedopt"}) {
      CAPTURE(scheme, done);
      Configuration c =
          configuration(scheme, static_cast<int>(n), static_cast<std::uint64_t>(done));
      c = with(with(c, "byzantine", "2:sign-flip"), "aggregate", "trimmed-mean:2");
      c.hyperparameters["period"] = 1;
      c.hyperparameters["proximal-mu"] = 0.0;
      c.hyperparameters["server-optimizer"] = 3;  // momentum
      c.hyperparameters["server-beta1"] = 0.0;
      c.hyperparameters["server-lr"] = 1.0;
      test::check_close(test::run_on_quadratic(c, data).model, x);
      c.servers = 2;  // a rule by coordinates is the same in shards
      if (scheme != "all-reduce" && scheme != "local-sgd") {
        test::check_close(test::run_on_quadratic(c, data).model, x);
      }
    }
  }
}

TEST_CASE("a liar that is alone in a round lies all the same", "[scheme][byzantine]") {
  // One worker of five a round: each round is a step of γ, or of −γ where the liar is drawn.
  Configuration c = with(configuration("fedavg", 5, 40), "byzantine", "1:sign-flip");
  c.hyperparameters["participation"] = 0.2;
  c.hyperparameters["period"] = 1;
  const double found = test::run_on_quadratic(c, alike(5, 0.5)).model.front();
  const double left = std::log(1.0 - found);
  const double forwards = std::log(1.0 - 0.05), backwards = std::log(1.0 + 0.05);
  const double lies = (left - 40.0 * forwards) / (backwards - forwards);
  CHECK(lies == Approx(std::round(lies)).margin(1e-9));
  CHECK(lies > 1.0);
  CHECK(lies < 20.0);
}

TEST_CASE("worker momentum sends the running mean of gradients", "[scheme][byzantine]") {
  const Dataset data = test::unlike_data(3);
  const std::size_t size = data.features / 2;
  constexpr double beta = 0.75;
  Doubles x(size, 0.0);
  Rows m(3, x);
  constexpr std::uint64_t steps = 9;
  for (std::uint64_t step = 0; step < steps; ++step) {
    for (std::size_t j = 0; j < size; ++j) {
      double mean = 0.0;
      for (std::size_t i = 0; i < 3; ++i) {
        const auto h = static_cast<double>(data.dense_row(i)[j]);
        const auto b = static_cast<double>(data.dense_row(i)[size + j]);
        m[i][j] = beta * m[i][j] + (1.0 - beta) * h * (x[j] - b);
        mean += m[i][j] / 3.0;
      }
      x[j] -= 0.1 * mean;
    }
  }
  for (const std::string scheme : {"ps-sync", "all-reduce"}) {
    CAPTURE(scheme);
    Configuration c = configuration(scheme, 3, steps);
    c.hyperparameters["worker-momentum"] = beta;
    test::check_close(test::run_on_quadratic(c, data).model, x);
  }
}

TEST_CASE("labels that liars flip turn their gradients round where the model is zero",
          "[scheme][byzantine]") {
  // Three workers with the same rows each, and a first step from 0, where σ(0) = ½: the gradient of
  // a row with the other label is the opposite.
  LoadedData data = test::dense_problem(60, 5);
  const auto third = data.train.rows / 3;
  for (std::size_t row = third; row < data.train.rows; ++row) {
    data.train.labels[row] = data.train.labels[row - third];
    for (std::size_t k = 0; k < data.train.features; ++k) {
      data.train.dense[row * data.train.features + k] =
          data.train.dense[(row - third) * data.train.features + k];
    }
  }
  Configuration c = test::quick("ps-sync", 3, 1);
  c.batch = third;
  c.partition = parse_partition("contiguous", "--partition");
  c.optimizer.lr = 0.3;
  const RunResult lied = test::train(with(c, "byzantine", "1:label-flip"), data);
  c.optimizer.lr = 0.1;
  const RunResult shorter = test::train(c, data);
  for (std::size_t j = 0; j < lied.model.size(); ++j) {
    CHECK(lied.model.view().floats()[j] == Approx(shorter.model.view().floats()[j]));
  }
}

TEST_CASE("a model that workers hold is the honest ones'", "[scheme][byzantine]") {
  // Between two meetings a liar's replica is where its flipped labels have led it.
  const LoadedData data = test::dense_problem(90, 5);
  Configuration c = test::quick("local-sgd", 3, 3);
  c.hyperparameters["period"] = 100;
  c.partition = parse_partition("contiguous", "--partition");
  const RunResult told = test::train(with(c, "byzantine", "1:label-flip"), data);
  const RunResult honest = test::train(with(c, "byzantine", "1:zero"), data);
  CHECK(told.summary.model_hash == honest.summary.model_hash);
  CHECK(told.summary.model_hash != test::train(c, data).summary.model_hash);
}

TEST_CASE("combining takes the time of a coordinate for each, where a rule is asked for",
          "[scheme][byzantine]") {
  const LoadedData data = test::dense_problem(90, 20);
  Configuration c = test::quick("ps-sync", 4, 10);
  c.aggregate_time = std::chrono::microseconds(1);
  const double plain = test::train(c, data).summary.seconds;
  const double robust = test::train(with(c, "aggregate", "median"), data).summary.seconds;
  CHECK(robust - plain == Approx(10 * 20e-6));
  CHECK(test::train(with(c, "byzantine", "1:zero"), data).summary.seconds == Approx(plain));
}

TEST_CASE("robust runs have the bits of virtual on threads", "[scheme][byzantine]") {
  const LoadedData data = test::dense_problem();
  for (const std::string scheme : {"ps-sync", "all-reduce", "local-sgd", "fedavg"}) {
    for (const std::string rule :
         {"bucketing:2+median", "nnm:2+krum:2", "centered-clip:0.1", "arc:2+geometric-median"}) {
      CAPTURE(scheme, rule);
      Configuration c = test::quick(scheme, 7, 6);
      c = with(with(c, "aggregate", rule), "byzantine", "2:gaussian:3");
      c.hyperparameters["participation"] = 1.0;
      c.hyperparameters["period"] = 2;
      const std::string simulated = test::train(c, data).summary.model_hash;
      c.time = TimeMode::wall;
      CHECK(test::train(c, data).summary.model_hash == simulated);
    }
  }
}

TEST_CASE("what cannot be combined robustly is refused by name", "[scheme][byzantine]") {
  const Configuration c = test::quick("ps-sync", 6, 3);
  const auto has = [](const std::string& text, const std::string& part) {
    CAPTURE(text);
    CHECK(text.find(part) != std::string::npos);
  };
  has(refusal(with(c, "aggregate", "krum:2")), "krum");
  has(refusal(with(c, "aggregate", "krum:2")), "2F + 3");
  Configuration shards = with(c, "aggregate", "krum:1");
  CHECK(refusal(shards).empty());
  shards.servers = 2;
  has(refusal(shards), "--servers");
  has(refusal(with(c, "byzantine", "3:zero")), "byzantine");
  has(refusal(with(c, "byzantine", "1:dissensus")), "dissensus");
  Configuration dealt = with(c, "byzantine", "1:label-flip");
  dealt.deal = Deal::pass;
  has(refusal(dealt), "label-flip");
  Configuration weighed = with(c, "aggregate", "median");
  weighed.weights = ShareWeights::rows;
  has(refusal(weighed), "--weights");
  Configuration sampled = with(test::quick("fedavg", 6, 3), "aggregate", "krum:1");
  has(refusal(sampled), "3 of 6 workers take part");
  Configuration velocity = with(test::quick("local-sgd", 6, 3), "aggregate", "median");
  velocity.optimizer.momentum = 0.9;
  has(refusal(velocity), "--momentum");
  Configuration few = with(test::quick("bridge", 6, 3), "topology", "ring");
  few.hyperparameters["tolerated"] = 1.0;
  has(refusal(few), "tolerated");
}
