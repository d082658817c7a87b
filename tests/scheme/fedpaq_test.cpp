// FedPAQ: without compression it is fedavg; with a codec the model moves by the mean of C of how
// far the drawn workers have come.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/replicas.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

constexpr double gamma_of_tests = 0.1;

Configuration federated(const std::string& scheme, const std::string& codec, double participation,
                        std::uint64_t steps) {
  Configuration c;
  c.scheme = scheme;
  c.workers = 4;
  c.steps = steps;
  c.optimizer.lr = gamma_of_tests;
  c.hyperparameters = {{"period", 3.0}, {"participation", participation}};
  c.ingredients = {{"codec", codec}};
  return c;
}

}  // namespace

TEST_CASE("fedpaq without compression is fedavg", "[scheme]") {
  const Dataset data = test::unlike_data(4);
  for (const double participation : {1.0, 0.5, 0.25}) {
    for (const int servers : {1, 2}) {
      for (const std::uint64_t steps : {2U, 3U, 31U}) {
        CAPTURE(participation, servers, steps);
        Configuration c = federated("fedpaq", "identity", participation, steps);
        c.servers = servers;
        const test::Replicas found = test::run_on_quadratic(c, data);
        c = federated("fedavg", "identity", participation, steps);
        c.servers = servers;
        const test::Replicas expected = test::run_on_quadratic(c, data);
        for (std::size_t i = 0; i < 4; ++i) {
          test::check_close(found.workers[i], expected.workers[i]);
        }
      }
    }
  }
}

TEST_CASE("fedpaq moves the model by the mean of encoded updates", "[scheme][rule:fedpaq]") {
  const Dataset data = test::unlike_data(4);
  const std::size_t d = data.features / 2;
  constexpr double most = 0.02;
  std::vector<double> model(d, 0.0);
  std::size_t clipped = 0;
  for (int round = 0; round < 8; ++round) {
    std::vector<double> mean(d, 0.0);
    for (std::size_t i = 0; i < 4; ++i) {
      const float* row = data.dense.data() + i * data.features;
      for (std::size_t j = 0; j < d; ++j) {
        const double curvature = row[j], minimum = row[d + j];
        const double way =
            (model[j] - minimum) * (std::pow(1.0 - gamma_of_tests * curvature, 3) - 1.0);
        clipped += static_cast<std::size_t>(std::abs(way) > most);
        mean[j] += std::clamp(way, -most, most) / 4.0;
      }
    }
    for (std::size_t j = 0; j < d; ++j) model[j] += mean[j];
  }
  CHECK(clipped > 8);  // or it would be fedavg
  CHECK(clipped < 8 * 4 * d);
  const test::Replicas found =
      test::run_on_quadratic(federated("fedpaq", "clip:0.02", 1.0, 24), data);
  test::check_close(found.model, model);
  for (const auto& replica : found.workers) test::check_close(replica, model);
}

TEST_CASE("fedpaq sends encoded vectors up and whole ones down", "[scheme]") {
  const LoadedData data = test::dense_problem(400, 20);
  Configuration c = test::quick("fedpaq", 5, 60);
  c.hyperparameters = {{"period", 10.0}, {"participation", 0.4}};
  c.ingredients = {{"codec", "sign"}};
  const RunResult result = test::train(c, data);
  CHECK(result.summary.samples == 60U * 2U * 4U);
  CHECK(result.summary.bytes_sent == 6U * (2U * (4U + 3U) + 5U * 20U * sizeof(float)));
}
