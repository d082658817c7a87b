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
