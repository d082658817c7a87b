// Scaffnew against its paper's lines, with the coins that the run draws, and where it comes to
// rest.
#include "trainyard/base/random.hpp"

#include "scheme/gossip_rules.hpp"
#include "support/catch.hpp"

using namespace trainyard;
using test::Rows;

namespace {

constexpr double step_size = 0.1;

Configuration configuration(const char* scheme, std::uint64_t steps, double probability) {
  Configuration c;
  c.scheme = scheme;
  c.workers = 4;
  c.steps = steps;
  c.seed = 5;
  c.optimizer.lr = step_size;
  c.hyperparameters = {{"mixing-probability", probability}, {"period", 5.0}};
  return c;
}

}  // namespace

TEST_CASE("scaffnew follows its paper with the coins that all workers draw",
          "[scheme][rule:scaffnew]") {
  const Dataset data = test::unlike_data(4);
  const Rows mean(4, std::vector<double>(4, 0.25));
  for (const double probability : {0.3, 1.0}) {
    RandomStream coin(5, Purpose::scheme, ~std::uint32_t{0});
    Rows x = test::all_zero(4, 2), h = x;
    for (std::uint64_t step = 1; step <= 30; ++step) {
      const Rows z =
          test::combined({{1.0, x}, {-step_size, test::gradients_of(data, x)}, {step_size, h}});
      x = coin.uniform() < probability ? test::mixed_rows(mean, z) : z;
      const double rate = probability / step_size;
      h = test::combined({{1.0, h}, {rate, x}, {-rate, z}});
      for (const char* collective : {"ring", "ps"}) {
        CAPTURE(probability, step, collective);
        Configuration c = configuration("scaffnew", step, probability);
        c.ingredients["collective"] = collective;
        test::check_rows(test::run_on_quadratic(c, data).workers, x);
      }
    }
  }
}

TEST_CASE("scaffnew with an average after every step is synchronous SGD", "[scheme]") {
  const Dataset data = test::unlike_data(4);
  for (const std::uint64_t steps : {1U, 2U, 40U}) {
    test::check_close(test::run_on_quadratic(configuration("scaffnew", steps, 1.0), data).model,
                      test::run_on_quadratic(configuration("ring", steps, 1.0), data).model);
  }
}

TEST_CASE("scaffnew comes to rest at the optimum, where local-sgd does not", "[scheme]") {
  const Dataset data = test::unlike_data(4);
  const std::vector<double> best = test::optimum(data);
  const auto rest = [&](const char* scheme) {
    return test::run_on_quadratic(configuration(scheme, 6000, 0.2), data);
  };
  const test::Replicas found = rest("scaffnew");
  CHECK(test::farthest(found.workers, best) < 1e-11);
  const Rows gradients = test::gradients_of(data, found.workers);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    for (std::size_t j = 0; j < best.size(); ++j) {
      CHECK(found.kept[i].at("control variate")[j] == Approx(gradients[i][j]).margin(1e-10));
    }
  }
  CHECK(test::farthest(rest("local-sgd").workers, best) > 1e-2);
}
