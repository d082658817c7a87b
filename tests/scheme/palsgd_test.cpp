// Pseudo-asynchronous local SGD against its rule written out, and against diloco.
#include "trainyard/base/random.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/golden.hpp"

using namespace trainyard;

namespace {

using Doubles = std::vector<double>;

constexpr double step_size = 0.1, eta = 0.6, mu = 0.8, rate = 0.7;
constexpr int period = 6;

Configuration configuration(std::uint64_t steps, double probability) {
  Configuration c;
  c.scheme = "palsgd";
  c.workers = 3;
  c.steps = steps;
  c.seed = 11;
  c.optimizer.lr = step_size;
  c.hyperparameters = {{"period", period},
                       {"outer-lr", eta},
                       {"outer-momentum", mu},
                       {"pull-probability", probability},
                       {"pull-rate", rate}};
  return c;
}

}  // namespace

TEST_CASE("palsgd draws workers back by chance", "[scheme][rule:palsgd]") {
  const Dataset data = test::unlike_data(3);
  const std::size_t size = data.features / 2;
  constexpr double probability = 0.4;
  std::vector<RandomStream> chance;
  for (std::uint32_t i = 0; i < 3; ++i) chance.emplace_back(11U, Purpose::scheme, i + 1);
  Doubles outer(size, 0.0), velocity(size, 0.0);
  std::vector<Doubles> x(3, outer);
  int mixed = 0;
  for (int done = 1; done <= 31; ++done) {
    for (std::size_t i = 0; i < 3; ++i) {
      const bool mixes = done > 1 && chance[i].uniform() < probability;
      mixed += mixes ? 1 : 0;
      for (std::size_t j = 0; j < size; ++j) {
        const double curvature = static_cast<double>(data.dense_row(i)[j]);
        const double b = static_cast<double>(data.dense_row(i)[size + j]);
        x[i][j] -= mixes ? step_size * rate / probability * (x[i][j] - outer[j])
                         : step_size / (1 - probability) * curvature * (x[i][j] - b);
      }
    }
    for (std::size_t j = 0; j < size && done % period == 0; ++j) {
      const double way = outer[j] - (x[0][j] + x[1][j] + x[2][j]) / 3;
      velocity[j] = mu * velocity[j] + way;
      outer[j] -= eta * (way + mu * velocity[j]);
      for (Doubles& each : x) each[j] = outer[j];
    }
    CAPTURE(done);
    const test::Replicas found =
        test::run_on_quadratic(configuration(static_cast<std::uint64_t>(done), probability), data);
    for (std::size_t i = 0; i < 3; ++i) test::check_close(found.workers[i], x[i]);
  }
  CHECK(mixed > 20);
  CHECK(mixed < 60);
}

TEST_CASE("palsgd that never draws back is diloco", "[scheme]") {
  const Dataset data = test::unlike_data(3);
  const Configuration c = configuration(25, 0.0);
  Configuration same = c;
  same.scheme = "diloco";
  same.hyperparameters.erase("pull-probability");
  same.hyperparameters.erase("pull-rate");
  test::check_close(test::run_on_quadratic(c, data).model,
                    test::run_on_quadratic(same, data).model);
}
