#include "trainyard/run/target.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/run/evaluation.hpp"
#include "trainyard/run/resolve.hpp"

#include "model/problems.hpp"
#include "run/small_runs.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

Metrics look(double seconds, double loss) {
  Metrics metrics;
  metrics.seconds = seconds;
  metrics.epoch = 2.0 * seconds;
  metrics.train_loss = loss;
  return metrics;
}

}  // namespace

TEST_CASE("a target is reached on the straight line between two evaluations", "[run]") {
  const std::vector<Metrics> metrics{look(0, 1.0), look(1, 0.8), look(3, 0.4), look(4, 0.6),
                                     look(5, 0.1)};
  const auto at = [&](double loss) {
    return first_crossing({Target::Measure::loss, loss}, metrics);
  };
  CHECK(at(0.5)->seconds == Approx(2.5));
  CHECK(at(0.5)->epochs == Approx(5.0));
  CHECK(at(0.5)->interval_s == 2.0);
  CHECK(at(0.4)->seconds == 3.0);
  CHECK(at(0.35)->seconds == Approx(4.5));
  CHECK(at(2.0)->seconds == 0.0);
  CHECK(at(2.0)->interval_s == 0.0);
  CHECK_FALSE(at(0.05));
  CHECK_FALSE(first_crossing({}, {}));
}

TEST_CASE("nobody is at a target before a worker has done its first minibatch", "[run]") {
  std::vector<Metrics> metrics{look(0, 1.0), look(1, 0.5), look(2, 0.4)};
  const auto at = [&](double loss) {
    return first_crossing({Target::Measure::loss, loss}, metrics);
  };
  metrics[1].step = 10.0;
  metrics[2].step = 20.0;
  CHECK(at(0.99)->seconds == Approx(0.1));  // a line would have it at 0.02
  CHECK(at(0.99)->epochs == Approx(0.2));
  CHECK(at(0.8)->seconds == Approx(0.4));
  CHECK(at(0.499)->seconds == Approx(1.01));  // later steps are behind the first
  metrics[1].step = 0.5;
  CHECK(at(0.99)->seconds == 1.0);
}

TEST_CASE("accuracy rises to its target, and what was not measured never gets there", "[run]") {
  std::vector<Metrics> metrics{look(0, 1.0), look(1, 1.0), look(2, 1.0)};
  const Target accuracy{Target::Measure::accuracy, 0.8};
  const Target gradient{Target::Measure::gradient, 0.01};
  CHECK_FALSE(first_crossing(accuracy, metrics));
  CHECK_FALSE(first_crossing(gradient, metrics));
  metrics[1].test_accuracy = 0.7;
  metrics[2].test_accuracy = 0.9;
  CHECK(first_crossing(accuracy, metrics)->seconds == Approx(1.5));
  metrics[2].squared_gradient_norm = 0.001;
  CHECK(first_crossing(gradient, metrics)->seconds == 2.0);  // nothing is known before
  Summary summary;
  summary.target_loss = 3.0;
  set_target(accuracy, metrics, summary);
  CHECK_FALSE(summary.target_loss);
  CHECK(summary.target_accuracy == 0.8);
  CHECK(*summary.seconds_to_target == Approx(1.5));
  CHECK(summary.target_interval_s == 1.0);
  CHECK(target_text(accuracy) == "test accuracy 0.8");
  // Neither does what is not a number: std::max(0, NaN) would have it there.
  metrics[2].squared_gradient_norm = std::numeric_limits<double>::quiet_NaN();
  metrics[2].train_loss = std::numeric_limits<double>::quiet_NaN();
  for (const Target& target : {gradient, Target{Target::Measure::loss, 0.5}}) {
    CHECK(distance(target, metrics[2]) == std::numeric_limits<double>::infinity());
  }
}

TEST_CASE("the gradient's norm is that of the mean loss over all rows", "[run]") {
  // More rows than a block has, dense and sparse.
  const test::Problem problem = test::make_problem(5, 1300, 9, 2, 0.4);
  const std::atomic<bool> never{false};
  const GracePeriod grace(never);
  for (const Dataset* data : {&problem.dense, &problem.sparse}) {
    for (const char* name : {"logistic", "softmax", "mlp:4"}) {
      CAPTURE(name, data->sparse);
      const auto model = make_model({name, 0.05}, *data);
      const auto parameters = test::random_parameters(*model, 3, 0.5);
      double square = 0.0;
      for (const float slope : test::gradient_of(*model, parameters, test::whole(*data))) {
        square += static_cast<double>(slope) * slope;
      }
      CHECK(*squared_gradient_norm(*model, parameters, *data, grace) ==
            Approx(square).epsilon(1e-5));
    }
  }
}

TEST_CASE("a run ends at whichever target it is given", "[run]") {
  Configuration c = small_configuration("ring");
  c.epochs = 20;
  c.gradient_norm = true;
  const RunResult whole = run_small(c);
  REQUIRE(whole.metrics.size() > 10);
  const Metrics& fifth = whole.metrics[5];
  for (int which = 0; which < 3; ++which) {
    Configuration short_run = c;
    (which == 0   ? short_run.target_loss
     : which == 1 ? short_run.target_accuracy
                  : short_run.target_gradient) = which == 0   ? fifth.train_loss
                                                 : which == 1 ? *fifth.test_accuracy
                                                              : *fifth.squared_gradient_norm;
    const RunResult result = run_small(short_run);
    CAPTURE(which);
    CHECK(result.metrics.size() <= 7);  // and once when the steps that had begun are done
    REQUIRE(result.summary.seconds_to_target);
    CHECK(*result.summary.seconds_to_target <= fifth.seconds);
    short_run.gradient_norm = false;  // a target by it asks for it
    CHECK(run_small(short_run).summary.seconds_to_target == result.summary.seconds_to_target);
  }
  c.target_loss = 0.1;
  c.target_accuracy = 0.9;
  CHECK_THROWS_WITH(run_small(c), "--target-accuracy: another target is given, too; a run has one");
  c.target_loss.reset();
  LoadedData data = small_data();
  data.test = {};
  CHECK_THROWS_WITH(resolve(c, {"ring"}, data, {}),
                    ContainsSubstring("neither validation nor test rows"));
}

}  // namespace trainyard
