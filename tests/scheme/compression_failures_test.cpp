// What goes wrong with compression, as the papers say it does, beside what does not.
#include <cmath>
#include <string>
#include <vector>

#include "trainyard/base/random.hpp"

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

/// Workers that agree on the optimum but not on the curvatures: nothing but compression keeps them
/// from it.
Dataset one_optimum(int workers, std::size_t d) {
  RandomStream random(7, Purpose::data_generator);
  std::vector<double> optimum(d);
  for (double& b : optimum) b = 2.0 * random.uniform() - 1.0;
  std::vector<std::vector<double>> h;
  for (int i = 0; i < workers; ++i) {
    auto& row = h.emplace_back(d);
    for (double& curvature : row) curvature = 1.0 + 0.5 * random.uniform();
  }
  return test::quadratic_data(h, std::vector(static_cast<std::size_t>(workers), optimum));
}

/// Mean over workers of ‖x_i − x*‖².
double distance(const Dataset& data, const test::Replicas& run) {
  const std::vector<double> optimum = test::optimum(data);
  double sum = 0.0;
  for (const std::vector<double>& replica : run.workers) {
    for (std::size_t j = 0; j < optimum.size(); ++j) {
      sum += (replica[j] - optimum[j]) * (replica[j] - optimum[j]);
    }
  }
  return sum / static_cast<double>(run.workers.size());
}

double distance_of(const std::string& scheme, const std::string& codec, std::uint64_t steps,
                   const Hyperparameters& hyperparameters = {}) {
  const Dataset data = one_optimum(8, 100);
  Configuration c;
  c.scheme = scheme;
  c.workers = 8;
  c.optimizer.lr = 0.1;
  c.steps = steps;
  c.ingredients = {{"codec", codec}, {"topology", "ring"}};
  c.hyperparameters = hyperparameters;
  return distance(data, test::run_on_quadratic(c, data));
}

}  // namespace

TEST_CASE("encoded models stall where models do not", "[scheme]") {
  CHECK(distance_of("d-psgd", "identity", 600) < 1e-24);
  CHECK(distance_of("naive-compression", "identity", 600) < 1e-24);
  for (const char* codec : {"qsgd:7", "natural", "terngrad"}) {
    CAPTURE(codec);
    CHECK(distance_of("naive-compression", codec, 600) > 1e-2);
    CHECK(distance_of("naive-compression", codec, 1200) > 1e-2);
  }
  // The ways out, with as many bits.
  CHECK(distance_of("dcd", "qsgd:7", 600) < 1e-20);
  CHECK(distance_of("choco", "qsgd:7", 600) < 1e-20);
}

TEST_CASE("dcd diverges where a codec's error is large beside the spectral gap", "[scheme]") {
  for (const char* codec : {"qsgd:1", "qsgd:2", "qsgd:3"}) {
    CAPTURE(codec);
    const double found = distance_of("dcd", codec, 3000);
    CHECK((!std::isfinite(found) || found > 1e3));
  }
  for (const char* codec : {"qsgd:7", "qsgd:15", "qsgd:127"}) {
    CAPTURE(codec);
    CHECK(distance_of("dcd", codec, 3000) < 1e-20);
  }
  // The same codecs do no harm to choco.
  for (const char* codec : {"qsgd:2", "qsgd:3"}) {
    CAPTURE(codec);
    CHECK(distance_of("choco", codec, 3000, {{"consensus-rate", 0.05}}) < 1e-20);
  }
}

TEST_CASE("what a biased codec leaves out is missing where nobody keeps it", "[scheme]") {
  const LoadedData data = test::dense_problem(400, 200);
  const auto loss = [&](const char* scheme, const char* codec) {
    Configuration c = test::quick(scheme, 8, 400);
    c.l2 = 1e-3;
    c.optimizer.lr = 0.5;
    c.ingredients["codec"] = codec;
    c.partition = parse_partition("contiguous", "--partition");
    return test::train(c, data).summary.train_loss;
  };
  const double exact = loss("csgd", "identity");
  const double kept = loss("ec-sgd", "top-k:1%"), lost = loss("csgd", "top-k:1%");
  CAPTURE(exact, kept, lost);
  CHECK(kept - exact < 0.1 * (lost - exact));
}

// The ring keeps no error, so what it decodes is not shrunk either: an unbiased codec's sum is
// right on average, and its error is (1 + ω)^(n−1) − 1 times as large at most, hop by hop.
TEST_CASE("a ring that encodes at each hop is right on average, and wrong by ever more",
          "[scheme]") {
  const int n = 8;
  const std::size_t d = 24;
  std::vector<std::vector<double>> h(static_cast<std::size_t>(n), std::vector<double>(d, 1.0)), b;
  RandomStream random(11, Purpose::data_generator);
  for (int i = 0; i < n; ++i) {
    auto& row = b.emplace_back(d);
    for (double& value : row) value = random.normal();
  }
  const Dataset data = test::quadratic_data(h, b);
  const std::vector<double> optimum = test::optimum(data);
  // One step of length 1 from 0 is the mean of the optima, but for what coding adds.
  const auto first_steps = [&](int workers_of_form, double form, std::vector<double>& mean) {
    constexpr int draws = 400;
    double squares = 0.0;
    for (int seed = 1; seed <= draws; ++seed) {
      Configuration c;
      c.scheme = "coded-all-reduce";
      c.workers = workers_of_form;
      c.optimizer.lr = 1.0;
      c.steps = 1;
      c.seed = static_cast<std::uint64_t>(seed);
      c.ingredients["codec"] = "natural";
      c.hyperparameters["coded-form"] = form;
      const std::vector<double> model = test::run_on_quadratic(c, data).model;
      for (std::size_t j = 0; j < d; ++j) {
        mean[j] += model[j] / draws;
        squares += (model[j] - optimum[j]) * (model[j] - optimum[j]) / draws;
      }
    }
    return squares;
  };
  std::vector<double> mean(d, 0.0);
  const double error = first_steps(n, 2.0, mean);
  double size = 0.0, bias = 0.0;
  for (std::size_t j = 0; j < d; ++j) {
    size += optimum[j] * optimum[j];
    bias += (mean[j] - optimum[j]) * (mean[j] - optimum[j]);
  }
  CAPTURE(error, size, bias);
  CHECK(bias < 25.0 * error / 400.0);  // of the mean of 400 draws: within five of its deviations
  CHECK(error > 0.0);
}

// Worker 0 alone has something to say. Its part p is encoded anew at each of p hops and once more
// at the end, and random-k of a half has ω = 1 exactly: E‖C(x)‖² = 2 ‖x‖².
TEST_CASE("a ring that encodes at each hop is wrong by (1 + ω) to the number of hops", "[scheme]") {
  constexpr std::size_t n = 5, part = 8, d = n * part;
  constexpr int draws = 3000;
  std::vector<std::vector<double>> h(n, std::vector<double>(d, 1.0)), b(n, std::vector<double>(d));
  RandomStream random(12, Purpose::data_generator);
  for (double& value : b[0]) value = random.normal();
  const Dataset data = test::quadratic_data(h, b);
  std::vector<double> sum(n, 0.0), squares(n, 0.0);  // of ‖error‖² of each part
  for (int seed = 1; seed <= draws; ++seed) {
    Configuration c;
    c.scheme = "coded-all-reduce";
    c.workers = n;
    c.optimizer.lr = 1.0;  // one step from 0 is the mean of the b, but for what coding adds
    c.steps = 1;
    c.seed = static_cast<std::uint64_t>(seed);
    c.ingredients["codec"] = "random-k:50%";
    c.hyperparameters["coded-form"] = 2.0;
    const std::vector<double> model = test::run_on_quadratic(c, data).model;
    for (std::size_t p = 0; p < n; ++p) {
      double error = 0.0;
      for (std::size_t j = p * part; j < (p + 1) * part; ++j) {
        error += std::pow(static_cast<double>(n) * model[j] - b[0][j], 2);
      }
      sum[p] += error / draws;
      squares[p] += error * error / draws;
    }
  }
  for (std::size_t p = 0; p < n; ++p) {
    double size = 0.0;
    for (std::size_t j = p * part; j < (p + 1) * part; ++j) size += b[0][j] * b[0][j];
    const double deviation = std::sqrt((squares[p] - sum[p] * sum[p]) / draws);
    const double expected = (std::pow(2.0, static_cast<double>(p + 1)) - 1.0) * size;
    CAPTURE(p, sum[p], expected, deviation);
    CHECK(deviation < 0.1 * expected);
    CHECK(std::abs(sum[p] - expected) < 5.0 * deviation + 1e-6 * expected);  // of floats
  }
}
