#include "trainyard/run/run.hpp"

#include <atomic>
#include <cmath>
#include <map>
#include <string>
#include <thread>

#include <tbb/global_control.h>

#include "trainyard/data/generate.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/run/evaluation.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "run/small_runs.hpp"
#include "support/catch.hpp"
#include "support/layered_schemes.hpp"

namespace trainyard {

TEST_CASE("evaluation does not depend on the number of cores", "[run]") {
  const Dataset data = generate_dense_logistic(3000, 20, 1);
  const auto model = make_model({"mlp:7", 1e-3}, data);
  AlignedBuffer<float> parameters(model->dimension());
  model->initialize(parameters.span(), 1);
  const std::atomic<bool> interrupted{false};
  const GracePeriod grace(interrupted);
  const Tally all_cores = evaluate_all(*model, parameters.span(), data, grace).value();
  CHECK(all_cores.rows == data.rows);
  for (const std::size_t cores : {1U, 2U, 3U, 8U}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, cores);
    const Tally tally = evaluate_all(*model, parameters.span(), data, grace).value();
    CHECK(tally.loss_sum == all_cores.loss_sum);  // to the last bit
    CHECK(tally.correct == all_cores.correct);
  }
}

TEST_CASE("whoever asks for the end does not wait for an evaluation", "[run]") {
  const Dataset data = generate_dense_logistic(3000, 20, 1);
  const auto model = make_model({"logistic", 0.0}, data);
  const AlignedBuffer<float> parameters = AlignedBuffer<float>::zeroed(model->dimension());
  std::atomic<bool> interrupted{false};
  const GracePeriod grace(interrupted);
  CHECK_FALSE(grace.is_over());
  interrupted = true;
  CHECK(evaluate_all(*model, parameters.span(), data, grace));  // small models are still looked at
  while (!grace.is_over()) std::this_thread::yield();
  CHECK_FALSE(evaluate_all(*model, parameters.span(), data, grace));
}

TEST_CASE("how often a run is evaluated changes neither the model nor the clock", "[run]") {
  for (const Scheme& scheme : schemes()) {
    INFO(scheme.name);
    Configuration c = small_configuration(scheme.name);
    c.network.latency = std::chrono::microseconds(70);
    c.stragglers = {{1, 1.7}};
    c.evaluate_every = 0.1;
    const RunResult often = run_small(c);
    c.evaluate_every = 100.0;
    const RunResult once = run_small(c);
    CHECK(often.metrics.size() > once.metrics.size());
    CHECK(once.metrics.size() == 2);  // the start and the end
    CHECK(often.summary.model_hash == once.summary.model_hash);
    CHECK(often.summary.seconds == once.summary.seconds);
    CHECK(often.summary.bytes_sent == once.summary.bytes_sent);
    CHECK(often.summary.train_loss == once.summary.train_loss);
  }
}

TEST_CASE("every curve begins at the same loss and ends where the summary says", "[run]") {
  for (const Scheme& scheme : schemes()) {
    INFO(scheme.name);
    Configuration c = small_configuration(scheme.name);
    c.hyperparameters = {{"participation", 1.0}, {"delta", 0.5}};
    const RunResult result = run_small(c);
    CHECK(result.metrics.front().step == 0.0);
    // A network begins with random weights.
    if (c.model.empty()) CHECK(result.metrics.front().train_loss == Approx(std::log(2.0)));
    CHECK(result.metrics.back().train_loss == result.summary.train_loss);
    // Of two passes L-BFGS takes one to see where it is and one for its first step.
    CHECK(result.summary.train_loss < (scheme.name == "sandblaster" ? 0.65 : 0.6));
    CHECK(result.summary.epochs == Approx(2.0));
    CHECK(result.summary.samples == 1200);
    if (scheme.order.pace == Pace::server) {  // some are dropped, or computed twice
      CHECK(result.summary.steps >= 30.0);
      // Of equal workers these lose nothing, the others what is late.
      const bool loses_nothing =
          scheme.name.starts_with("ringmaster") || scheme.name.starts_with("rennala");
      CHECK((result.summary.samples_computed > 1200) == !loses_nothing);
    } else {
      CHECK(result.summary.steps == 30.0);
      CHECK(result.summary.samples_computed == 1200);
    }
    CHECK(result.summary.compute_s + result.summary.transfer_s + result.summary.wait_s ==
          Approx(result.summary.seconds).epsilon(1e-9));
    // Of gradients: elastic averaging has others' models a step old, but no old gradients.
    const bool of_rounds = scheme.name == "async-local-sgd" || scheme.name == "halos" ||
                           scheme.name == "fedasync" || scheme.name == "fedbuff";
    const bool stale =
        scheme.order.pace == Pace::free || by_arrival(scheme) || scheme.name == "pipedream";
    CHECK(result.summary.staleness.has_value() ==
          (of_rounds || (stale && scheme.family != SchemeFamily::synchronous &&
                         scheme.family != SchemeFamily::local_updates &&
                         scheme.family != SchemeFamily::decentralised &&
                         !scheme.name.starts_with("rennala"))));  // whose are all fresh
    CHECK(result.summary.consensus_distance.has_value() ==
          (cast_of(scheme, c).model == ModelHome::replicas && !test::divides_layers(scheme)));
  }
}

TEST_CASE("a run ends at its target, and says when it was there", "[run]") {
  for (const Scheme& scheme : schemes()) {
    INFO(scheme.name);
    Configuration c = small_configuration(scheme.name);
    c.epochs = 50.0;
    c.evaluate_every = 0.2;
    c.target_loss = 0.45;
    const Summary reached = run_small(c).summary;
    REQUIRE(reached.seconds_to_target);
    CHECK(reached.epochs < 49.0);
    CHECK(*reached.epochs_to_target <= reached.epochs);
    CHECK(*reached.seconds_to_target <= reached.seconds);
    c.target_loss = -1.0;
    c.epochs = 0.5;
    CHECK(!run_small(c).summary.seconds_to_target);
  }
  Configuration c = small_configuration("ring");
  c.target_loss = 0.7;  // where it begins
  const Summary at_once = run_small(c).summary;
  CHECK(at_once.steps == 0.0);
  CHECK(at_once.seconds_to_target == 0.0);
}

TEST_CASE("simulated seconds end a run", "[run]") {
  // A round of ten steps with a pass over a share of 15 minibatches, half of one, or two gradients
  // a step: it is ended, too.
  const std::map<std::string, double> rounds{
      {"q-fedavg", 0.0175}, {"mime", 0.035}, {"mime-lite", 0.025}};
  for (const Scheme& scheme : schemes()) {
    INFO(scheme.name);
    Configuration c = small_configuration(scheme.name);
    c.epochs.reset();
    c.seconds = std::chrono::milliseconds(20);
    const Summary summary = run_small(c).summary;
    // The steps under way are ended: with one rank for four workers a step is 4 ms.
    const auto round = rounds.find(scheme.name);
    const double latest =
        round == rounds.end() ? 0.024 : std::ceil(0.020 / round->second) * round->second;
    CHECK(summary.seconds >= 0.020);
    CHECK(summary.seconds <= latest + 1e-12);
  }
}

TEST_CASE("a diverging run is a result", "[run]") {
  for (const Scheme& scheme : schemes()) {
    if (scheme.name == "buckwild") continue;     // its model cannot leave its range
    if (scheme.name == "sandblaster") continue;  // its line search steps back
    if (scheme.name == "fedopt") continue;       // Adam's steps are no longer than its own
    if (scheme.name == "dlm") continue;          // steps are bounded by its penalty
    if (scheme.name == "admm") continue;         // and here
    if (scheme.name == "q-fedavg") continue;     // goes the less far the longer its ways are
    INFO(scheme.name);
    Configuration c = small_configuration(scheme.name);
    c.epochs = 1000.0;
    c.optimizer.lr = 1e9;
    const RunResult result = run_small(c);
    CHECK(result.summary.diverged);
    CHECK(result.summary.epochs < 2.0);
    CHECK(result.metrics.size() >= 2);
  }
}

TEST_CASE("an interrupt ends a run with what it has", "[run]") {
  for (const Scheme& scheme : schemes()) {
    INFO(scheme.name);
    std::atomic<bool> interrupted{false};
    const RunHooks hooks{
        .evaluated = [&](const Metrics& metrics) { interrupted = metrics.epoch > 0.9; },
        .remark = {},
        .interrupted = &interrupted};
    Configuration c = small_configuration(scheme.name);
    c.epochs = 1000.0;
    const Summary summary = run_small(c, hooks).summary;
    CHECK(summary.interrupted);
    CHECK(summary.epochs >= 0.9);
    CHECK(summary.epochs < 3.0);
  }
}

}  // namespace trainyard
