// What a worker offers to schemes beside gradients.
#include "trainyard/runtime/worker.hpp"

#include <chrono>

#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/resolve.hpp"
#include "trainyard/run/run.hpp"
#include "trainyard/runtime/overlapped_gradient.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"
#include "support/training.hpp"

namespace trainyard {

namespace {

/// Halves its gradient by arithmetic of its own.
void half_gradient_worker(Worker& worker) {
  while (worker.next_step()) {
    const Vector gradient = worker.compute_gradient();
    worker.compute(0.5, [&] { kernels::scale(0.5, gradient); });
    worker.apply(gradient);
  }
}

RunResult run_of(const Scheme& scheme, Configuration c) {
  const LoadedData data = test::dense_problem();
  c = resolve(c, {c.scheme}, data, {});
  return run_experiment(plan_run(scheme, c, data), {});
}

}  // namespace

TEST_CASE("arithmetic of a scheme's own takes its time, and a straggler longer", "[runtime]") {
  Scheme halved = find_scheme("local-sgd");
  halved.name = "halved";
  halved.worker = half_gradient_worker;
  Configuration c = test::quick("local-sgd", 2, 4);
  c.time = TimeMode::simulated;
  c.compute_time = std::chrono::milliseconds(2);
  c.stragglers = {{1, 3.0}};
  const RunResult result = run_of(halved, c);
  CHECK(result.summary.seconds == Approx(4 * (2e-3 + 1e-3) * 3.0));
  CHECK(to_seconds(result.accounts[0].wait) == Approx(4 * (2e-3 + 1e-3) * 2.0));

  Scheme backwards = find_scheme("local-sgd");
  backwards.worker = [](Worker& worker) {
    while (worker.next_step()) worker.compute(-0.5, [] {});
  };
  CHECK_THROWS_AS(run_of(backwards, c), InternalError);

  // What is computed is what the gradient at half the step size makes.
  Scheme plain = find_scheme("local-sgd");
  plain.worker = [](Worker& worker) {
    while (worker.next_step()) worker.apply(worker.compute_gradient(), 0.5);
  };
  CHECK(result.summary.model_hash == run_of(plain, c).summary.model_hash);
}

TEST_CASE("a gradient in parts takes as long as the whole, with noise and pauses", "[runtime]") {
  const LoadedData data{"blobs", generate_blobs(60, 12, 4, 1.0, 3), {}};
  const auto run = [&](void (*program)(Worker&), TimeMode time) {
    Scheme scheme = find_scheme("local-sgd");
    scheme.worker = program;
    Configuration c = test::quick("local-sgd", 2, 6);
    c.model = "mlp:10,8";
    c.time = time;
    c.compute_time = std::chrono::milliseconds(3);
    c.stragglers = {{1, 1.7}};
    c.compute_noise.exponential = 0.5;
    c.compute_noise.pause_probability = 0.5;
    c.compute_noise.pause = std::chrono::milliseconds(2);
    return run_experiment(plan_run(scheme, resolve(c, {c.scheme}, data, {}), data), {});
  };
  const auto whole = [](Worker& worker) {
    while (worker.next_step()) worker.apply(worker.compute_gradient());
  };
  const auto in_parts = [](Worker& worker) {
    OverlappedGradient gradients(worker);
    while (worker.next_step()) {
      std::size_t end = worker.replica().size();
      int parts = 0;
      const Vector gradient = gradients.compute(
          [&](Vector all, ParameterRange part) {
            require(all.size() == worker.replica().size(), "the whole one");
            require(part.first + part.count == end, "the one before the last part");
            end = part.first;
            ++parts;
          },
          [](Message&) {});
      require(end == 0 && parts == 3, "all of it, by layers");
      worker.apply(gradient);
    }
  };
  const RunResult plain = run(whole, TimeMode::simulated);
  const RunResult parts = run(in_parts, TimeMode::simulated);
  CHECK(parts.summary.seconds == plain.summary.seconds);
  CHECK(parts.summary.seconds > 1.7 * 6 * 3e-3);
  CHECK(parts.summary.model_hash == plain.summary.model_hash);
  CHECK(run(in_parts, TimeMode::wall).summary.model_hash == plain.summary.model_hash);
}

}  // namespace trainyard
