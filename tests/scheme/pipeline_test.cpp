// A scheme whose workers hold a stage of the model each, in a few lines: the same bits as one rank
// that holds all of it.
#include <string>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/runtime/run_state.hpp"
#include "trainyard/runtime/stage_pass.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/own_row.hpp"
#include "support/catch.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::mine;
using test::quick;
using test::train;

namespace {

/// Units go up from stage to stage, slopes come down, and everybody steps on its own layers.
void pass_up_and_down(Worker& worker) {
  Communicator& comm = worker.comm();
  const int below = comm.rank() - 1, above = comm.rank() + 1;
  StagePass pass(worker);
  while (worker.next_step()) {
    const Batch batch = worker.minibatches().next();
    const ConstVector up = pass.stage().first ? pass.forward(batch)
                                              : pass.forward(batch, comm.receive(below).vector());
    if (!pass.stage().last) comm.send(above, up);
    const ConstVector down =
        pass.stage().last ? pass.backward() : pass.backward(comm.receive(above).vector());
    if (!pass.stage().first) comm.send(below, down);
    worker.apply(pass.gradient());
  }
}

Scheme pipeline() {
  Scheme scheme = mine(pass_up_and_down);
  scheme.cast = cast::pipeline;
  return scheme;
}

LoadedData blobs() {
  return {"blobs", generate_blobs(300, 12, 4, 1.0, 3), generate_blobs(50, 12, 4, 1.0, 4)};
}

Configuration resolved(int workers, const LoadedData& data) {
  Configuration c = quick("sequential", workers, 40);
  c.model = "mlp:10,8,6,5";
  c.l2 = 1e-3;
  c.optimizer.lr = 0.2;
  c.evaluate_every = 0.1;
  c.network.latency = std::chrono::microseconds(50);
  c.network.bytes_per_second = 1e6;
  return resolve(c, {c.scheme}, data, {});
}

}  // namespace

TEST_CASE("a pipeline of stages trains to the bits of one rank", "[scheme]") {
  const LoadedData data = blobs();
  const Scheme scheme = pipeline();
  for (const auto kind : {OptimizerKind::sgd, OptimizerKind::adam}) {
    for (const int workers : {1, 2, 3, 5}) {
      for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
        CAPTURE(static_cast<int>(kind), workers, time == TimeMode::wall);
        Configuration c = resolved(workers, data);
        c.optimizer.kind = kind;
        const RunResult one = run_experiment(plan_run(c, data), {});
        c.time = time;
        const RunResult staged = run_experiment(plan_run(scheme, c, data), {});
        CHECK(staged.summary.model_hash == one.summary.model_hash);
        CHECK(staged.summary.samples == one.summary.samples);
        CHECK(staged.summary.samples_computed == one.summary.samples_computed);
        REQUIRE(staged.metrics.size() == one.metrics.size());
        for (std::size_t look = 0; look < one.metrics.size(); ++look) {
          CHECK(staged.metrics[look].train_loss == one.metrics[look].train_loss);
          CHECK(staged.metrics[look].test_loss == one.metrics[look].test_loss);
        }
        CHECK_FALSE(staged.summary.consensus_distance);
      }
    }
  }
}

TEST_CASE("a pipeline without microbatches takes as long as one rank and its messages",
          "[scheme]") {
  const LoadedData data = blobs();
  for (const int workers : {2, 4}) {
    const Configuration c = resolved(workers, data);
    const Scheme scheme = pipeline();  // outlives the plan
    const Plan plan = plan_run(scheme, c, data);
    const RunResult staged = run_experiment(plan, {});
    // Units of a row that cross a cut, both ways, of `workers` minibatches of 4 rows.
    double step = workers * 1e-3;
    std::uint64_t bytes = 0;
    for (const Stage& stage : plan.model->layered()->cut(workers)) {
      if (stage.last) continue;
      const std::size_t crossing = 4U * static_cast<unsigned>(workers) * 4U * stage.outputs;
      step += 2 * (50e-6 + static_cast<double>(crossing) / 1e6);
      bytes += 2 * crossing;
    }
    CHECK(staged.summary.seconds == Approx(40 * step).epsilon(1e-6));
    CHECK(staged.summary.bytes_sent == 40 * bytes);
    CHECK(staged.summary.messages == 40U * 2U * static_cast<unsigned>(workers - 1));
  }
}

namespace {

/// Pipelines of two stages that never meet: workers 0 and 1, 2 and 3.
void pass_in_pairs(Worker& worker) {
  Communicator& comm = worker.comm();
  StagePass pass(worker);
  while (worker.next_step()) {
    const Batch batch = worker.minibatches().next();
    if (pass.stage().first) {
      comm.send(comm.rank() + 1, pass.forward(batch));
      (void)pass.backward(comm.receive(comm.rank() + 1).vector());
    } else {
      (void)pass.forward(batch, comm.receive(comm.rank() - 1).vector());
      comm.send(comm.rank() - 1, pass.backward());
    }
    worker.apply(pass.gradient());
  }
}

std::vector<Holding> two_stages_twice(const Model& model, const Cast&) {
  const std::vector<Stage> stages = model.layered()->cut(2);
  return {stages[0].parameters, stages[1].parameters, stages[0].parameters, stages[1].parameters};
}

Cast pairs_of_their_own(const CastSetting& s) {
  return {
      .workers = s.workers, .shares = {{0, 1}, {0, 1}, {2, 3}, {2, 3}}, .holds = two_stages_twice};
}

Cast pairs_that_do_the_same(const CastSetting& s) {
  const std::vector<int> all{0, 1, 2, 3};
  return {.workers = s.workers, .shares = {all, all, all, all}, .holds = two_stages_twice};
}

}  // namespace

TEST_CASE("the model of workers with the same part is their mean", "[scheme]") {
  const LoadedData data = blobs();
  const Configuration c = resolved(4, data);
  Scheme scheme = mine(pass_in_pairs);
  scheme.cast = pairs_that_do_the_same;
  const RunResult alike = run_experiment(plan_run(scheme, c, data), {});
  const RunResult one = run_experiment(plan_run(c, data), {});
  CHECK(alike.summary.model_hash == one.summary.model_hash);
  CHECK(alike.summary.consensus_distance == 0.0);
  CHECK(alike.summary.samples_computed == 2 * one.summary.samples_computed);

  scheme.cast = pairs_of_their_own;
  std::vector<float> mean;
  double squares = 0.0;
  RunHooks hooks;
  hooks.finished = [&](const RunState& state) {
    for (const int stage : {0, 1}) {
      const auto x = state.replica(stage).floats(), y = state.replica(stage + 2).floats();
      for (std::size_t j = 0; j < x.size(); ++j) {
        mean.push_back(static_cast<float>((static_cast<double>(x[j]) + y[j]) / 2.0));
        squares += (static_cast<double>(x[j]) - y[j]) * (static_cast<double>(x[j]) - y[j]) / 4.0;
      }
    }
  };
  const RunResult apart = run_experiment(plan_run(scheme, c, data), hooks);
  const auto model = apart.model.view().floats();
  CHECK(std::vector(model.begin(), model.end()) == mean);
  CHECK(squares > 1e-4);
  REQUIRE(apart.summary.consensus_distance);
  CHECK(*apart.summary.consensus_distance == Approx(squares).epsilon(1e-9));
  CHECK(apart.summary.samples_computed == apart.summary.samples);
}

TEST_CASE("a stage takes as many minibatches at once as it has room for", "[scheme]") {
  const LoadedData data = blobs();
  const Configuration c = resolved(1, data);
  const auto run = [&](void (*program)(Worker&)) {
    Scheme scheme = mine(program);
    scheme.cast = cast::pipeline;
    return run_experiment(plan_run(scheme, c, data), {});
  };
  // Backward they go in the order in which they came.
  const RunResult in_turn = run([](Worker& worker) {
    StagePass pass(worker, 2);
    while (worker.next_step()) {
      (void)pass.forward(worker.minibatches().next());
      const std::vector<RowRange> next(1, worker.minibatches().next().front());
      (void)pass.forward(next);
      REQUIRE(pass.in_flight() == 2);
      (void)pass.backward();
      const std::vector<float> kept(pass.gradient().floats().begin(),
                                    pass.gradient().floats().end());
      (void)pass.backward();
      REQUIRE(pass.in_flight() == 0);
      worker.apply(kept);
    }
  });
  const RunResult alone = run([](Worker& worker) {
    StagePass pass(worker);
    while (worker.next_step()) {
      (void)pass.forward(worker.minibatches().next());
      (void)pass.backward();
      worker.apply(pass.gradient());
      (void)worker.minibatches().next();
    }
  });
  CHECK(in_turn.summary.model_hash == alone.summary.model_hash);
  CHECK_THROWS_WITH(run([](Worker& worker) {
                      StagePass pass(worker, 2);
                      while (worker.next_step()) (void)pass.forward(worker.minibatches().next());
                    }),
                    ContainsSubstring("no more minibatches go forward than there is room for"));
  CHECK_THROWS_WITH(run([](Worker& worker) {
                      StagePass pass(worker, 2);
                      while (worker.next_step()) (void)pass.backward();
                    }),
                    ContainsSubstring("forward() comes before backward()"));
}

TEST_CASE("what does not go with parts of a model is refused", "[scheme]") {
  const LoadedData data = blobs();
  Configuration c = resolved(3, data);
  CHECK_THROWS_WITH(
      [&] {
        c.model = "softmax";
        (void)plan_run(pipeline(), c, data);
      }(),
      "--model softmax: mine: a model without layers cannot be divided by them; mlp:H1,H2,… has "
      "layers");
  CHECK_THROWS_WITH(
      [&] {
        c.model = "mlp:5";
        (void)plan_run(pipeline(), c, data);
      }(),
      "--model mlp:5: mine: a model of 2 layers cannot be cut into 3 stages");
  c.model = "mlp:10,8";
  Scheme whole = mine();
  whole.cast = cast::pipeline;
  CHECK_THROWS_WITH(run_experiment(plan_run(whole, c, data), {}),
                    "scheme 'mine': .cast: its program calls compute_gradient(), which needs the "
                    "whole model, of which .holds gives a worker a part");
  const auto refused = [&](HoldingRule rule, const char* why) {
    static HoldingRule holds;
    holds = rule;
    Scheme scheme = pipeline();
    scheme.cast = [](const CastSetting& s) { return Cast{.workers = s.workers, .holds = holds}; };
    CHECK_THROWS_WITH(plan_run(scheme, c, data), ContainsSubstring(why));
  };
  refused([](const Model&, const Cast&) { return std::vector<Holding>(2); },
          "scheme 'mine': .cast: .holds says of another number of workers");
  refused(
      [](const Model& m, const Cast&) {
        return std::vector<Holding>{{0, 5}, {5, m.dimension() - 5}, {0, 0}};
      },
      "scheme 'mine': .cast: .holds gives a worker nothing");
  refused(
      [](const Model& m, const Cast&) {
        return std::vector<Holding>{{0, 5}, {5, 5}, {9, m.dimension()}};
      },
      "or what the model does not have");
  refused(
      [](const Model& m, const Cast&) {
        return std::vector<Holding>{{0, 5}, {4, 6}, {10, m.dimension() - 10}};
      },
      "gives some parameters to more workers than others");
  refused(
      [](const Model& m, const Cast&) {
        Holding last(10, 2);
        last.add({13, m.dimension() - 13});
        return std::vector<Holding>{{0, 5}, {5, 5}, last};
      },
      "gives some parameters to more workers than others");
  refused(
      [](const Model&, const Cast&) {
        Holding last(10, 2);
        last.ranges.push_back({13, std::size_t{0} - 5});
        return std::vector<Holding>{{0, 5}, {5, 5}, last};
      },
      "or what the model does not have");
  refused(
      [](const Model& m, const Cast&) {
        return std::vector<Holding>{{0, 5}, {5, 5}, {11, m.dimension() - 11}};
      },
      "gives some parameters to more workers than others");
}
