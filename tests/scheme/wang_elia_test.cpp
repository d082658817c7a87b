// Wang and Elia's algorithm against its lines, with its integral and without, and where it comes to
// rest.
#include "scheme/gossip_rules.hpp"
#include "support/catch.hpp"

using namespace trainyard;
using test::Rows;

namespace {

constexpr double step_size = 0.2;

Configuration configuration(int workers, std::uint64_t steps, double share = 0.5) {
  Configuration c;
  c.scheme = "wang-elia";
  c.workers = workers;
  c.steps = steps;
  c.optimizer.lr = step_size;
  c.ingredients["topology"] = "ring";
  c.hyperparameters = {{"mixing-share", share}};
  return c;
}

/// s (I − W)
Rows k_of(const Rows& w, double share) {
  return test::combined({{share, test::moved_by(0.0, w)}, {-share, w}});
}

}  // namespace

TEST_CASE("wang-elia follows its paper", "[scheme][rule:wang-elia]") {
  const int n = 6;
  const Dataset data = test::unlike_data(n);
  const test::Special special{
      .starts = {{1.0, 0.0}, {-1.0, 2.0}, {0.5, 0.5}, {0.0, -3.0}, {2.0, 1.0}, {-0.5, 0.0}}};
  for (const char* topology : {"ring", "star", "path", "full"}) {
    for (const double share : {0.5, 0.7}) {
      const Rows k = k_of(test::matrix_of(topology, n), share);
      Rows x = special.starts, z = test::all_zero(n, 2);
      for (std::uint64_t step = 1; step <= 25; ++step) {
        CAPTURE(topology, share, step);
        const Rows old = x;
        x = test::combined({{1.0, old},
                            {-1.0, test::mixed_rows(k, test::combined({{1.0, old}, {1.0, z}}))},
                            {-step_size, test::gradients_of(data, old)}});
        z = test::combined({{1.0, z}, {1.0, test::mixed_rows(k, old)}});
        Configuration c = configuration(n, step, share);
        c.ingredients["topology"] = topology;
        test::check_rows(test::run_on_quadratic(c, data, {}, special).workers, x);
      }
    }
  }
}

TEST_CASE("wang-elia without its integral is a rule of two steps", "[scheme]") {
  // X^{t+2} = (2I − K) X^{t+1} − (I − K + K²) X^t − γ(G^{t+1} − G^t).
  const int n = 5;
  const Dataset data = test::unlike_data(n);
  const Rows k = k_of(test::matrix_of("ring", n), 0.5);
  Rows before = test::all_zero(n, 2), g = test::gradients_of(data, before);
  Rows x = test::combined({{1.0, before}, {-step_size, g}});
  for (std::uint64_t step = 1; step <= 40; ++step) {
    CAPTURE(step);
    test::check_rows(test::run_on_quadratic(configuration(n, step), data).workers, x);
    const Rows newest = test::gradients_of(data, x);
    const Rows next = test::combined({{2.0, x},
                                      {-1.0, test::mixed_rows(k, x)},
                                      {-1.0, before},
                                      {1.0, test::mixed_rows(k, before)},
                                      {-1.0, test::mixed_rows(k, test::mixed_rows(k, before))},
                                      {-step_size, newest},
                                      {step_size, g}});
    before = x;
    x = next;
    g = newest;
  }
}

TEST_CASE("wang-elia comes to rest at the optimum", "[scheme]") {
  const int n = 5;
  const Dataset data = test::unlike_data(n);
  for (const char* topology : {"ring", "star", "full"}) {
    CAPTURE(topology);
    Configuration c = configuration(n, 6000);
    c.ingredients["topology"] = topology;
    const test::Replicas found = test::run_on_quadratic(c, data);
    CHECK(test::farthest(found.workers, test::optimum(data)) < 1e-11);
    double sum = 0.0;
    for (const auto& kept : found.kept) sum += kept.at("integral")[0];
    CHECK(sum == Approx(0.0).margin(1e-11));
  }
}
