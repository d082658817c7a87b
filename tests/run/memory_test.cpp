#include "run/memory.hpp"

#include "trainyard/base/error.hpp"
#include "trainyard/base/memory_account.hpp"
#include "trainyard/data/generate.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/resolve.hpp"
#include "trainyard/run/run.hpp"

#include "run/small_runs.hpp"
#include "support/catch.hpp"
#include "support/layered_schemes.hpp"
#include "support/memory_bound.hpp"

namespace trainyard {

namespace {

/// A model that is large beside the data: 20,000 parameters or so, 64 rows.
LoadedData large_model_data(bool sparse) {
  return {"large",
          sparse ? generate_sparse_logistic(64, 20000, 4, 3) : generate_blobs(64, 39, 500, 1.0, 3),
          {}};
}

Configuration configuration_of(const Scheme& scheme, const std::string& topology) {
  Configuration c = small_configuration(scheme.name);
  c.batch = 2;
  c.ingredients["topology"] = topology;
  c.network.latency = std::chrono::microseconds(100);
  c.network.bytes_per_second = 1e9;
  c.epochs.reset();
  c.steps = 12;
  c.evaluate_every = 0.5;  // every fourth step
  return c;
}

/// Bytes that the run takes at the most.
double taken_by(const Configuration& resolved, const LoadedData& data) {
  reset_memory_peak();
  const std::size_t before = memory_held();
  (void)run_experiment(plan_run(resolved, data), {});
  return static_cast<double>(memory_peak() - before);
}

void check_estimate(const Scheme& scheme, const Configuration& configuration,
                    const LoadedData& data) {
  const Configuration c = resolve(configuration, {scheme.name}, data, {});
  const auto model = make_model({c.model, c.l2, c.l1}, data.train);
  const double model_bytes = static_cast<double>(model->dimension() * bytes_of(model->scalar()));
  const double taken = taken_by(c, data) / model_bytes;
  const double estimate = models_held(scheme, c, *model);
  INFO(scheme.name << " over " << ingredient_name(c.ingredients, "topology") << ": " << taken
                   << " models, estimated " << estimate);
  // Evaluating 64 rows takes one model or two more; how many replicas of a look are there at once
  // depends on how far workers drift apart.
  CHECK(estimate > 0.7 * taken);
  CHECK(estimate < 1.4 * taken);
  CHECK(estimate < 8.0 * (3.0 + 4.0 * 2.0));  // what is taken for generous without a run
}

}  // namespace

TEST_CASE("what a run takes is known before it", "[run]") {
  const LoadedData dense = large_model_data(false);
  const LoadedData sparse = large_model_data(true);
  for (const Scheme& scheme : schemes()) {
    if (test::divides_layers(scheme)) continue;  // only the least is known, which is tested below
    // Tables depend on rows; they ask for the room.
    if (scheme.name == "gt-saga" || scheme.name == "lt-admm-vr") continue;
    check_estimate(scheme, configuration_of(scheme, "ring"), dense);
    check_estimate(scheme, configuration_of(scheme, "ring"), sparse);
    if (takes(scheme, "topology")) check_estimate(scheme, configuration_of(scheme, "full"), dense);
    if (scheme.optimizers.range != OptimizerRange::any) continue;
    Configuration adam = configuration_of(scheme, "ring");
    adam.optimizer.kind = OptimizerKind::adam;
    check_estimate(scheme, adam, dense);
  }
}

TEST_CASE("a run that is larger than the memory is refused before it begins", "[run]") {
  LoadedData data = large_model_data(true);
  data.largest_feature_line = 17;
  Configuration c = configuration_of(find_scheme("ps-sync"), "ring");
  c.sparse_wire = SparseWire::off;  // so that it holds more than what every run holds
  const auto resolve_with = [&](std::size_t free_bytes) {
    const MemoryBound bound(memory_held() + free_bytes);
    return resolve(c, {"ps-sync"}, data, {});
  };
  const auto bytes = static_cast<std::size_t>(taken_by(resolve(c, {"ps-sync"}, data, {}), data));
  CHECK_NOTHROW(resolve_with(bytes + bytes / 4));
  CHECK_THROWS_AS(resolve_with(bytes - bytes / 4), RunError);
  CHECK_THROWS_WITH(
      resolve_with(bytes - bytes / 4),
      ContainsSubstring("ps-sync with 4 workers holds about ") &&
          ContainsSubstring("line 17 of large has feature index 20000, the largest") &&
          ContainsSubstring("--force-memory"));
  // Where even the replicas do not fit, nothing is tried.
  CHECK_THROWS_WITH(resolve_with(bytes / 4), ContainsSubstring("holds at least 11 vectors"));
}

TEST_CASE("the least that a run holds is no more than it holds", "[run]") {
  const LoadedData data = large_model_data(true);
  for (const Scheme& scheme : schemes()) {
    INFO(scheme.name);
    const Configuration c = configuration_of(scheme, "ring");
    const double taken = taken_by(resolve(c, {scheme.name}, data, {}), data);
    const MemoryBound bound(memory_held() + static_cast<std::size_t>(1.4 * taken));
    CHECK_NOTHROW(resolve(c, {scheme.name}, data, {}));
  }
}

TEST_CASE("a run that outgrows the memory all the same ends with a message", "[run]") {
  const LoadedData data = large_model_data(true);
  const Configuration c =
      resolve(configuration_of(find_scheme("ring"), "ring"), {"ring"}, data, {});
  const double taken = taken_by(c, data);
  for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
    Configuration here = c;
    here.time = time;
    const std::size_t before = memory_held();
    const MemoryBound bound(before + static_cast<std::size_t>(taken / 2));
    CHECK_THROWS_AS(run_experiment(plan_run(here, data), {}), RunError);
    CHECK(memory_held() == before);
  }
}

}  // namespace trainyard
