// What a run says of its model is said of the model that it hands over: the last evaluation comes
// when everything under way has arrived or is dropped, or is the one that ended the run.
#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

#include "trainyard/model/model.hpp"
#include "trainyard/run/evaluation.hpp"
#include "trainyard/run/target.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "run/small_runs.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

/// Of the run's model, over all training rows: bit for bit what an evaluation finds.
double loss_of(const RunResult& result, const LoadedData& data) {
  const auto model =
      make_model({result.resolved.model, result.resolved.l2, result.resolved.l1}, data.train);
  const std::atomic<bool> never{false};
  const GracePeriod grace(never);
  const ConstVector values = result.model.view();
  const auto tally = evaluate_all(*model, values, data.train, grace);
  return tally->loss_sum / static_cast<double>(tally->rows) + model->penalty(values);
}

void check_stored(const RunResult& result, const LoadedData& data) {
  const Metrics& last = result.metrics.back();
  CHECK(result.summary.train_loss == loss_of(result, data));
  CHECK(result.summary.train_loss == last.train_loss);
  CHECK(result.summary.test_accuracy == last.test_accuracy);
  CHECK(result.summary.consensus_distance == last.consensus_distance);
  CHECK(result.summary.samples == last.samples);
  CHECK(result.summary.compute_s + result.summary.transfer_s + result.summary.wait_s ==
        Approx(result.summary.seconds).epsilon(1e-9));
}

/// Pushes, models and averages that come when the workers have ended.
const Hyperparameters much_under_way{{"push-period", 2}, {"fetch-period", 3},
                                     {"staleness", 3},   {"send-probability", 1.0},
                                     {"period", 2},      {"delta", 0.5}};

Configuration with_late_messages(const std::string& scheme, Duration latency) {
  Configuration c = small_configuration(scheme);
  c.hyperparameters = much_under_way;
  c.network.latency = latency;
  return c;
}

}  // namespace

TEST_CASE("what a run reports is of the model that it stores", "[run]") {
  const LoadedData data = small_data();
  for (const Scheme& scheme : schemes()) {
    for (const int milliseconds : {0, 3}) {
      for (const std::uint64_t steps : {1, 8}) {
        CAPTURE(scheme.name, milliseconds, steps);
        Configuration c = with_late_messages(scheme.name, std::chrono::milliseconds(milliseconds));
        c.epochs.reset();
        c.steps = steps;
        check_stored(run_small(c), data);
      }
    }
  }
}

TEST_CASE("on threads, too, what is reported is of what is stored", "[run]") {
  const LoadedData data = small_data();
  for (const char* scheme : {"downpour", "gosgd", "ssp", "ssp-strict", "essp", "easgd-async",
                             "eamsgd", "ad-psgd", "ps-async", "hogwild", "sgp-overlap", "ring"}) {
    CAPTURE(scheme);
    Configuration c = with_late_messages(scheme, std::chrono::microseconds(200));
    c.time = TimeMode::wall;
    check_stored(run_small(c), data);
    c.epochs = 100.0;
    c.evaluate_every = 0.5;
    c.target_loss = 0.5;
    const RunResult ended = run_small(c);
    check_stored(ended, data);
    CHECK(ended.summary.train_loss <= 0.5);
  }
}

TEST_CASE("a run ends at the evaluation that is at its target", "[run]") {
  const LoadedData data = small_data();
  for (const Scheme& scheme : schemes()) {
    CAPTURE(scheme.name);
    Configuration c = with_late_messages(scheme.name, std::chrono::microseconds(100));
    c.epochs = 50.0;
    c.evaluate_every = 0.2;
    c.stragglers = {{1, 2.5}};  // the others are ahead of the last evaluation
    // What the model learns in 2.5 ms steps, schemes by arrival in many more.
    c.target_loss = 0.55;
    const RunResult result = run_small(c);
    check_stored(result, data);
    const Target target{Target::Measure::loss, 0.55};
    const auto reached = [&](const Metrics& metrics) { return is_reached(target, metrics); };
    CHECK(std::ranges::count_if(result.metrics, reached) == 1);
    CHECK(reached(result.metrics.back()));
    CHECK(result.summary.seconds == Approx(result.metrics.back().seconds));
    CHECK(result.summary.steps == result.metrics.back().step);
    CHECK(result.summary.bytes_sent == result.metrics.back().bytes_sent);
  }
}

TEST_CASE("a target that is met before the first step is said to be", "[run]") {
  Configuration c = small_configuration("ring");
  c.target_loss = 10.0;
  std::vector<std::string> remarks;
  RunHooks hooks;
  hooks.remark = [&](const std::string& text) { remarks.push_back(text); };
  const RunResult result = run_small(c, hooks);
  CHECK(result.summary.steps == 0.0);
  CHECK(result.metrics.size() == 1);
  REQUIRE(remarks.size() == 1);
  CHECK(remarks.front() ==
        "note: the target, training loss 10, is met before the first step, so nothing is trained");
  c.target_loss = 0.5;
  remarks.clear();
  run_small(c, hooks);
  CHECK(remarks.empty());
}

TEST_CASE("epochs are of the rows that the model has learnt from", "[run]") {
  struct Sitting {
    const char* scheme;
    Hyperparameters hyperparameters;
    std::uint64_t minibatches;  // of ten workers' ten, in a step
  };
  for (const Sitting& sitting :
       {Sitting{"fedavg", {{"participation", 0.1}}, 1},
        Sitting{"fedpaq", {{"participation", 0.3}}, 3}, Sitting{"ps-backup", {{"backups", 2}}, 8},
        Sitting{"ps-backup-interrupt", {{"backups", 4}}, 6},
        Sitting{"uncoded", {{"distinct", 5}, {"copies", 2}}, 5}, Sitting{"gradient-coding", {}, 10},
        Sitting{"ring", {}, 10}}) {
    CAPTURE(sitting.scheme);
    Configuration c = small_configuration(sitting.scheme);
    c.workers = 10;
    c.batch = 5;
    c.epochs = 4.0;
    c.evaluate_every = 2.0;
    c.hyperparameters = sitting.hyperparameters;
    const RunResult result = run_small(c);
    CHECK(result.summary.epochs == Approx(4.0));
    CHECK(result.summary.samples == 4U * 600U);
    CHECK(result.summary.steps == 4.0 * 600 / (5.0 * static_cast<double>(sitting.minibatches)));
    REQUIRE(result.metrics.size() == 3);
    CHECK(result.metrics[1].epoch == Approx(2.0));
    // Schedules go by the same: γ / (1 + A · epochs so far), and a cosine ends with the run.
    CHECK(result.resolved.optimizer.step_epochs ==
          Approx(5.0 * static_cast<double>(sitting.minibatches) / 600));
  }
}

TEST_CASE("a schedule goes by the epochs of those who take part", "[run]") {
  // Equal rows, of which all have one gradient: one worker of ten is what one alone would be.
  const auto loss_with = [](double participation, int workers, std::size_t batch) {
    Configuration c = small_configuration("fedavg");
    c.workers = workers;
    c.batch = batch;
    c.epochs = 4.0;
    c.optimizer.lr_decay = 3.0;
    c.hyperparameters = {{"participation", participation}, {"period", 1}};
    return run_small(c);
  };
  const RunResult one = loss_with(1.0, 1, 60), of_ten = loss_with(0.1, 10, 60);
  CHECK(one.summary.steps == of_ten.summary.steps);
  // 40 steps of γ / (1 + 3t/10): other rows, and the same sum of steps; with epochs of all ten
  // workers the steps would shrink ten times as fast.
  CHECK(of_ten.summary.train_loss == Approx(one.summary.train_loss).epsilon(0.02));
}

TEST_CASE("a run by the clock drops what its network has no time for, and says so", "[run]") {
  for (const char* scheme : {"downpour", "gosgd"}) {
    for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
      CAPTURE(scheme, time_mode_text(time));
      Configuration c = small_configuration(scheme);
      c.time = time;
      c.epochs.reset();
      c.seconds = std::chrono::milliseconds(100);
      c.network.latency = std::chrono::milliseconds(20);
      c.hyperparameters = {{"fetch-period", 1e6}, {"send-probability", 1.0}};
      std::string said;
      RunHooks hooks;
      hooks.remark = [&](const std::string& text) { said += text + "\n"; };
      const RunResult result = run_small(c, hooks);
      check_stored(result, small_data());
      // 400 messages at a server that takes in 50 a second, or from ports that send as many.
      CHECK(result.summary.messages_dropped > 0U);
      CHECK_THAT(said, ContainsSubstring("still under way when the run's 100 ms were over"));
      if (time == TimeMode::simulated) CHECK(result.summary.seconds <= 0.105);
      CHECK(result.summary.seconds >= 0.1);
    }
  }
}

TEST_CASE("what is under way when a run has ended is counted", "[run]") {
  const auto dropped = [](const char* scheme) {
    return run_small(with_late_messages(scheme, std::chrono::milliseconds(1)))
        .summary.messages_dropped;
  };
  CHECK(dropped("ring") == 0U);
  CHECK(dropped("downpour") == 0U);    // the server takes in all
  CHECK(dropped("gosgd") == 0U);       // and so do these workers
  CHECK(dropped("sgp-overlap") > 0U);  // what was sent in the last step
}

}  // namespace trainyard
