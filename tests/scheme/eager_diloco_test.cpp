// Eager DiLoCo against its rule written out, and against diloco.
#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/training.hpp"

using namespace trainyard;

namespace {

using Doubles = std::vector<double>;

constexpr double step_size = 0.1, eta = 0.6, mu = 0.8;
constexpr int period = 4;

Configuration configuration(int workers, std::uint64_t steps, bool is_eager) {
  Configuration c;
  c.scheme = "eager-diloco";
  c.workers = workers;
  c.steps = steps;
  c.optimizer.lr = step_size;
  c.hyperparameters = {{"period", period},
                       {"outer-lr", eta},
                       {"outer-momentum", mu},
                       {"outer-gradient", is_eager ? 0.0 : 1.0}};
  return c;
}

}  // namespace

TEST_CASE("eager-diloco takes the others' ways a round late and its own at once",
          "[scheme][rule:eager-diloco]") {
  const Dataset data = test::unlike_data(3);
  const std::size_t size = data.features / 2, n = 3;
  for (const bool is_eager : {true, false}) {
    std::vector<Doubles> x(n, Doubles(size, 0.0)), outer = x, velocity = x, stale = x;
    Doubles late(size, 0.0);  // the mean way of the round before
    for (int done = 1; done <= 23; ++done) {
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < size; ++j) {
          const double curvature = static_cast<double>(data.dense_row(i)[j]);
          x[i][j] -=
              step_size * curvature * (x[i][j] - static_cast<double>(data.dense_row(i)[size + j]));
        }
      }
      if (done % period == 0) {
        Doubles mean(size, 0.0);
        for (std::size_t i = 0; i < n; ++i) {
          for (std::size_t j = 0; j < size; ++j) {
            const double way = outer[i][j] - x[i][j];
            const double taken = is_eager ? late[j] + (way - stale[i][j]) / n : late[j];
            mean[j] += way / n;
            stale[i][j] = way;
            velocity[i][j] = mu * velocity[i][j] + taken;
            outer[i][j] -= eta * (taken + mu * velocity[i][j]);
            x[i][j] = outer[i][j];
          }
        }
        late = mean;
      }
      CAPTURE(is_eager, done);
      const test::Replicas found = test::run_on_quadratic(
          configuration(3, static_cast<std::uint64_t>(done), is_eager), data);
      for (std::size_t i = 0; i < n; ++i) test::check_close(found.workers[i], x[i]);
    }
  }
}

TEST_CASE("eager-diloco of one worker is diloco", "[scheme]") {
  const Dataset data = test::unlike_data(1);
  const Configuration c = configuration(1, 22, true);
  Configuration same = c;
  same.scheme = "diloco";
  same.hyperparameters.erase("outer-gradient");
  test::check_close(test::run_on_quadratic(c, data).workers[0],
                    test::run_on_quadratic(same, data).workers[0]);
}

/// A round of 4 ms, and a ring of 2.4 ms: hidden, also behind the run's last three steps.
TEST_CASE("eager-diloco waits for no ring that a round covers", "[scheme]") {
  const LoadedData data = test::dense_problem();
  Configuration c = test::quick("eager-diloco", 4, 43);
  c.hyperparameters["period"] = 4;
  const double alone = test::train(c, data).summary.seconds;
  c.network = {.latency = std::chrono::microseconds(400)};
  CHECK(test::train(c, data).summary.seconds == Approx(alone).epsilon(1e-9));
  c.scheme = "diloco";
  CHECK(test::train(c, data).summary.seconds > 1.05 * alone);
}
