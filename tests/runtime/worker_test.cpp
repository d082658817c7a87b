// What a worker offers to schemes beside gradients.
#include "trainyard/runtime/worker.hpp"

#include <chrono>

#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/resolve.hpp"
#include "trainyard/run/run.hpp"
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

}  // namespace trainyard
