// Streaming DiLoCo against the trajectories that torchft has recorded of its own (its test
// fixtures of local_sgd.py): two workers alike, an inner step of 2 each time, an outer SGD of step
// size 2, six steps a period and two fragments of one number.
#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/golden.hpp"

using namespace trainyard;

namespace {

using Doubles = std::vector<double>;

struct Fixture {
  double delay, local_share;
  std::vector<Doubles> fragments;  // [2]: a worker's number after 0, 1, … 15 steps
  std::vector<Doubles> outer;      // of both fragments, after 3, 6, 9 and 12 steps
};

const Doubles alone{1, -1, -3, -5, -7, -9, -11, -13, -15, -17, -19, -21, -23, -25, -27, -29};

const std::vector<Fixture> fixtures{
    {0,
     0.0,
     {{1, -1, -3, -11, -13, -15, -17, -19, -21, -35, -37, -39, -41, -43, -45, -59},
      {1, -1, -3, -5, -7, -9, -23, -25, -27, -29, -31, -33, -47, -49, -51, -53}},
     {{-11, 1}, {-11, -23}, {-35, -23}, {-35, -47}}},
    {0,
     0.5,
     {{1, -1, -3, -8, -10, -12, -14, -16, -18, -24.5, -26.5, -28.5, -30.5, -32.5, -34.5, -40.25},
      {1, -1, -3, -5, -7, -9, -17, -19, -21, -23, -25, -27, -32, -34, -36, -38}},
     {{-11, 1}, {-11, -23}, {-29, -23}, {-29, -35}}},
    {0, 1.0, {alone, alone}, {{-11, 1}, {-11, -23}, {-23, -23}, {-23, -23}}},
    {1,
     0.0,
     {{1, -1, -3, -7, -9, -11, -13, -15, -17, -27, -29, -31, -33, -35, -37, -47},
      {1, -1, -3, -5, -7, -9, -19, -21, -23, -25, -27, -29, -39, -41, -43, -45}},
     {{-7, 1}, {-7, -19}, {-27, -19}, {-27, -39}}},
    {1,
     0.5,
     {{1, -1, -3, -6, -8, -10, -12, -14, -16, -21.5, -23.5, -25.5, -27.5, -29.5, -31.5, -35.75},
      {1, -1, -3, -5, -7, -9, -15, -17, -19, -21, -23, -25, -29, -31, -33, -35}},
     {{-7, 1}, {-7, -19}, {-25, -19}, {-25, -31}}},
    {1, 1.0, {alone, alone}, {{-7, 1}, {-7, -19}, {-23, -19}, {-23, -23}}},
};

Configuration configuration(double period, double fragments, double delay, double local_share) {
  Configuration c;
  c.scheme = "streaming-diloco";
  c.hyperparameters = {{"period", period},
                       {"fragments", fragments},
                       {"fragment-delay", delay},
                       {"local-share", local_share}};
  return c;
}

}  // namespace

TEST_CASE("streaming-diloco goes as torchft's recorded trajectories",
          "[scheme][rule:streaming-diloco]") {
  // A gradient of 2 wherever it is taken, to 1e-7: the optimum is far away, and the curvature
  // small.
  constexpr double curvature = 1e-9;
  const Doubles far(2, 1.0 - 2.0 / curvature);
  const Dataset data =
      test::quadratic_data({Doubles(2, curvature), Doubles(2, curvature)}, {far, far});
  for (const Fixture& fixture : fixtures) {
    for (std::size_t done = 1; done < 16; ++done) {
      CAPTURE(fixture.delay, fixture.local_share, done);
      Configuration c = configuration(6, 2, fixture.delay, fixture.local_share);
      c.workers = 2;
      c.steps = done;
      c.optimizer.lr = 1.0;
      c.hyperparameters["outer-lr"] = 2.0;
      c.hyperparameters["outer-momentum"] = 0.0;
      const test::Replicas found =
          test::run_on_quadratic(c, data, {}, {.starts = {{1.0, 1.0}, {1.0, 1.0}}});
      for (std::size_t p = 0; p < 2; ++p) {
        CHECK(found.workers[0][p] == Approx(fixture.fragments[p][done]).margin(1e-4));
        CHECK(found.workers[1][p] == Approx(fixture.fragments[p][done]).margin(1e-4));
        if (done % 3 != 0 || done / 3 > fixture.outer.size()) continue;
        CHECK(found.kept[0].at("outer model")[p] ==
              Approx(fixture.outer[done / 3 - 1][p]).margin(1e-4));
      }
    }
  }
}

/// The same, where worker 1 is down in a part of the run: who is there after so many steps. Models
/// begin at 0, as a worker that comes back goes on with what it has fetched.
test::Replicas with_a_crash(const char* fault, std::size_t steps, double delay) {
  constexpr double curvature = 1e-9;
  const Doubles far(2, -2.0 / curvature);
  const Dataset data =
      test::quadratic_data({Doubles(2, curvature), Doubles(2, curvature)}, {far, far});
  Configuration c = configuration(6, 2, delay, 0.0);
  c.workers = 2;
  c.steps = steps;
  c.optimizer.lr = 1.0;
  c.hyperparameters["outer-lr"] = 2.0;
  c.hyperparameters["outer-momentum"] = 0.0;
  c.line_time = Duration{0};
  parse_faults(fault, "--fault", c.network.faults);
  c.network.faults.on_failure = OnFailure::shrink;
  c.network.faults.detection = Duration{0};
  return test::run_on_quadratic(c, data);
}

// Its seventh fixture: worker 1 crashes before the second fragment's turn, and is back after nine
// steps of the other's, whose history is as if nothing had been.
TEST_CASE("who comes back to streaming-diloco goes on as in torchft's record",
          "[scheme][rule:streaming-diloco]") {
  const std::vector<Doubles> expected{
      {-11, -13, -15, -17, -19, -21, -35, -37, -39, -41, -43, -45, -59, -61, -63, -65, -67, -69,
       -83},
      {-5, -7, -9, -23, -25, -27, -29, -31, -33, -47, -49, -51, -53, -55, -57, -71, -73, -75, -77}};
  for (std::size_t done = 3; done <= 21; ++done) {
    CAPTURE(done);
    const test::Replicas found = with_a_crash("crash:1@5500us-9200us", done, 0);
    const int there = done >= 3 && (done <= 5 || done > 9) ? 2 : 1;
    for (int worker = 0; worker < there; ++worker) {
      for (std::size_t p = 0; p < 2; ++p) {
        CHECK(found.workers[static_cast<std::size_t>(worker)][p] ==
              Approx(expected[p][done - 3] - 1).margin(1e-4));
      }
    }
  }
}

// A fragment is sent after the second step, and worker 1 crashes before its turn after the third:
// it begins again at the outer model. When the worker is back the turn of the fragment that is
// under way passes.
TEST_CASE("a fragment under way when a worker has crashed goes back to the outer model",
          "[scheme][rule:streaming-diloco]") {
  double fragment = 0.0, sent = 0.0, outer = 0.0;
  for (std::size_t done = 1; done <= 21; ++done) {
    CAPTURE(done);
    fragment -= 2.0;
    if (done % 6 == 2) sent = outer - fragment;
    if (done == 3) fragment = outer;
    if (done == 9 || done == 21) fragment = outer -= 2.0 * sent;
    const test::Replicas found = with_a_crash("crash:1@2500us-14200us", done, 1);
    CHECK(found.workers[0][0] == Approx(fragment).margin(1e-4));
    if (done > 14) CHECK(found.workers[1][0] == Approx(fragment).margin(1e-4));
  }
}

// Two steps between a fragment's sending and its turn: worker 1 crashes in one, and is back after
// it.
TEST_CASE("who is back before the turn does not undo that the fragment goes back",
          "[scheme][rule:streaming-diloco]") {
  double fragment = 0.0, sent = 0.0, outer = 0.0;
  for (std::size_t done = 1; done <= 9; ++done) {
    CAPTURE(done);
    fragment -= 2.0;
    if (done == 7) sent = outer - fragment;
    if (done == 3) fragment = outer;
    if (done == 9) fragment = outer - 2.0 * sent;
    const test::Replicas found = with_a_crash("crash:1@1500us-1600us", done, 2);
    CHECK(found.workers[0][0] == Approx(fragment).margin(1e-4));
    if (done > 2) CHECK(found.workers[1][0] == Approx(fragment).margin(1e-4));
  }
}

TEST_CASE("streaming-diloco of one fragment that is waited for is diloco", "[scheme]") {
  const Dataset data = test::unlike_data(4);
  for (const double optimizer : {0.0, 1.0}) {
    Configuration c = configuration(4, 1, 0, 0.0);
    c.hyperparameters["outer-optimizer"] = optimizer;
    c.workers = 4;
    c.steps = 22;
    c.optimizer.lr = 0.1;
    Configuration same = c;
    same.scheme = "diloco";
    same.hyperparameters = {{"period", 4.0}, {"outer-optimizer", optimizer}};
    test::check_close(test::run_on_quadratic(c, data).model,
                      test::run_on_quadratic(same, data).model);
  }
}

/// Turns after ⌊k H/P⌋ steps: of three fragments in seven steps after 2, 4 and 7.
TEST_CASE("fragments need not divide the period", "[scheme]") {
  const Dataset data = test::quadratic_data({{1.0, 2.0, 0.5}}, {{3.0, -1.0, 2.0}});
  Doubles x(3, 0.0), outer(3, 0.0);
  for (std::size_t done = 1; done <= 16; ++done) {
    for (std::size_t j = 0; j < 3; ++j) {
      x[j] -= 0.1 * Doubles{1.0, 2.0, 0.5}[j] * (x[j] - Doubles{3.0, -1.0, 2.0}[j]);
      if (done % 7 == Doubles{2, 4, 0}[j]) x[j] = outer[j] += 0.5 * (x[j] - outer[j]);
    }
    CAPTURE(done);
    Configuration c = configuration(7, 3, 0, 0.0);
    c.workers = 1;
    c.steps = done;
    c.optimizer.lr = 0.1;
    c.hyperparameters["outer-lr"] = 0.5;
    c.hyperparameters["outer-momentum"] = 0.0;
    test::check_close(test::run_on_quadratic(c, data).workers[0], x);
  }
}

/// The workers differ; what each does after its fragment was sent is kept in its own share.
TEST_CASE("streaming-diloco of unlike workers follows its rule", "[scheme]") {
  constexpr std::size_t n = 3;
  constexpr double eta = 0.7, mu = 0.9, alpha = 0.25, gamma = 0.1;
  const std::vector<Doubles> h{{1.0, 0.25, 4.0}, {0.5, 0.75, 1.0}, {2.0, 0.125, 0.5}};
  const std::vector<Doubles> b{{1.0, -2.0, 0.5}, {-1.0, 3.0, 0.25}, {4.0, 0.5, -2.0}};
  const Dataset data = test::quadratic_data(h, b);
  std::vector<Doubles> x(n, Doubles(3, 0.0));
  Doubles outer(3, 0.0), velocity(3, 0.0), way(3, 0.0);
  for (std::size_t done = 1; done <= 30; ++done) {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < 3; ++j) x[i][j] -= gamma * h[i][j] * (x[i][j] - b[i][j]);
    }
    const std::size_t p = (done - 1) / 4 % 3;  // P = 3 numbers, H = 12, τ = 2
    if (done % 4 == 2) {
      way[p] = 0.0;
      for (std::size_t i = 0; i < n; ++i) way[p] += (outer[p] - x[i][p]) / n;
    }
    if (done % 4 == 0) {
      velocity[p] = mu * velocity[p] + way[p];
      outer[p] -= eta * (way[p] + mu * velocity[p]);
      for (std::size_t i = 0; i < n; ++i) x[i][p] = (1 - alpha) * outer[p] + alpha * x[i][p];
    }
    CAPTURE(done);
    Configuration c = configuration(12, 3, 2, alpha);
    c.workers = n;
    c.steps = done;
    c.optimizer.lr = gamma;
    const test::Replicas found = test::run_on_quadratic(c, data);
    for (std::size_t i = 0; i < n; ++i) test::check_close(found.workers[i], x[i]);
  }
}

TEST_CASE("fragments that do not fit into the period are refused", "[scheme]") {
  const auto error_of = [](const Configuration& c) {
    try {
      const Hyperparameters complete = with_fallbacks(find_scheme(c.scheme), c.hyperparameters, 4);
      (void)cast_of(find_scheme(c.scheme), 4, 1, {}, complete);
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  CHECK_THAT(error_of(configuration(2, 3, 0, 0.0)), ContainsSubstring("turn once in --period 2"));
  CHECK_THAT(error_of(configuration(6, 2, 3, 0.0)), ContainsSubstring("expected fewer"));
  CHECK(error_of(configuration(6, 2, 2, 0.0)) == "none");
}
