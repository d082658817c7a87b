// ProxSkip among neighbours against its paper's lines, with the coins that the run draws, and
// against exact diffusion and LED.
#include "trainyard/base/random.hpp"

#include "scheme/gossip_rules.hpp"
#include "support/catch.hpp"

using namespace trainyard;
using test::Rows;

namespace {

constexpr double step_size = 0.2;

Configuration configuration(const char* scheme, int workers, std::uint64_t steps) {
  Configuration c;
  c.scheme = scheme;
  c.workers = workers;
  c.steps = steps;
  c.seed = 7;
  c.optimizer.lr = step_size;
  c.ingredients["topology"] = "ring";
  return c;
}

/// Whether a round follows each step: the stream that all workers share, as its documentation has
/// it.
std::vector<bool> coins(double probability, std::uint64_t steps) {
  RandomStream stream(7, Purpose::scheme, ~std::uint32_t{0});
  std::vector<bool> drawn;
  for (std::uint64_t t = 0; t < steps; ++t) drawn.push_back(stream.uniform() < probability);
  return drawn;
}

/// Algorithm 1: χ ≥ 1, and y as the paper has it.
Rows proxskip_of_the_paper(const Dataset& data, const Rows& w, double chi, double beta,
                           const std::vector<bool>& communicates) {
  const Rows w_a = test::moved_by(1.0 / (2.0 * chi), w);
  Rows x = test::all_zero(data.rows, data.features / 2), y = x;
  for (const bool communicate : communicates) {
    const Rows z = test::combined({{1.0, x}, {-step_size, test::gradients_of(data, x)}, {-1.0, y}});
    if (communicate) {
      x = test::mixed_rows(w_a, z);
      y = test::combined({{1.0, y}, {beta, z}, {-beta, x}});
    } else {
      x = z;
    }
  }
  return x;
}

}  // namespace

TEST_CASE("proxskip follows its paper with the coins that all workers draw",
          "[scheme][rule:proxskip]") {
  const int n = 6;
  const Dataset data = test::unlike_data(n);
  for (const char* topology : {"ring", "star", "path"}) {
    for (const auto& [probability, chi] :
         {std::pair{0.3, 1.0}, std::pair{0.6, 2.0}, std::pair{1.0, 1.0}}) {
      for (const double beta : {probability, 0.15}) {
        for (const std::uint64_t steps : {1U, 5U, 60U}) {
          CAPTURE(topology, probability, chi, beta, steps);
          Configuration c = configuration("proxskip", n, steps);
          c.ingredients["topology"] = topology;
          c.hyperparameters = {{"mixing-probability", probability},
                               {"mixing-share", 1.0 / (2.0 * chi)}};
          if (beta == 0.15) c.hyperparameters["correction-rate"] = beta;  // else the fallback
          test::check_rows(test::run_on_quadratic(c, data).workers,
                           proxskip_of_the_paper(data, test::matrix_of(topology, n), chi, beta,
                                                 coins(probability, steps)));
        }
      }
    }
  }
}

TEST_CASE("proxskip with a round after every step is exact-diffusion", "[scheme]") {
  const Dataset data = test::unlike_data(5);
  for (const std::uint64_t steps : {1U, 2U, 30U}) {
    Configuration c = configuration("proxskip", 5, steps);
    c.hyperparameters = {{"mixing-probability", 1.0}};
    CHECK(test::run_on_quadratic(c, data).workers ==
          test::run_on_quadratic(configuration("exact-diffusion", 5, steps), data).workers);
  }
}

TEST_CASE("proxskip comes to rest at the optimum, however rarely it communicates", "[scheme]") {
  const int n = 5;
  const Dataset data = test::unlike_data(n);
  for (const double probability : {0.5, 0.2}) {
    CAPTURE(probability);
    Configuration c = configuration("proxskip", n, 6000);
    c.hyperparameters = {{"mixing-probability", probability}};
    CHECK(test::farthest(test::run_on_quadratic(c, data).workers, test::optimum(data)) < 1e-11);
  }
}
