// Buckwild: Hogwild with a model in 8 or 16 bits. The rounding is right on average, so that steps
// far shorter than a unit still count; what is stored are whole numbers of the unit.
#include <cmath>
#include <set>

#include "trainyard/run/plan.hpp"
#include "trainyard/run/resolve.hpp"
#include "trainyard/runtime/shared_model.hpp"

#include "support/catch.hpp"
#include "support/training.hpp"

using namespace trainyard;
using test::quick;
using test::train;

namespace {

const LoadedData& sparse_rows() {
  static const LoadedData data = test::sparse_problem(2000, 300);
  return data;
}

Configuration buckwild(double bits, double range, std::uint64_t steps) {
  Configuration c = quick("buckwild", 1, steps);
  c.hyperparameters = {{"model-bits", bits}, {"model-range", range}};
  c.optimizer.lr = 0.5;
  return c;
}

constexpr double eight = 0.0, sixteen = 1.0;  // places among the choices

}  // namespace

TEST_CASE("a number in few bits is rounded at random, and right on average", "[runtime]") {
  for (const int bits : {8, 16}) {
    const FixedPoint format = FixedPoint::of_range(bits, 2.0);
    const std::vector<float> zero(1, 0.0F);
    for (const double target : {0.3, -0.3, 0.7777, -1.9, 0.0}) {
      constexpr int draws = 100000;
      XorShift rounding(7);
      double sum = 0.0;
      std::set<long> places;
      for (int draw = 0; draw < draws; ++draw) {
        SharedModel model(zero, {format});
        std::vector<float> change{static_cast<float>(target)}, copy(1);
        model.add_rounded(1.0F, change, copy, rounding);
        places.insert(std::lround(static_cast<double>(copy[0]) / format.unit));
        sum += copy[0];
      }
      CAPTURE(bits, target);
      const double place = target / format.unit, p = place - std::floor(place);
      const double deviation = format.unit * std::sqrt(p * (1 - p) / draws);
      CHECK(std::abs(sum / draws - target) < 4 * deviation + 1e-6);
      REQUIRE(places.size() <= 2);
      CHECK(*places.begin() >= std::floor(place) - 1e-3);
      CHECK(*places.rbegin() <= std::ceil(place) + 1e-3);
    }
  }
}

TEST_CASE("a number in few bits stays within its range, whatever is added", "[runtime]") {
  const FixedPoint format = FixedPoint::of_range(8, 1.27);
  SharedModel model(std::vector<float>{1.0F, -5.0F, 0.004F}, {format});
  std::vector<float> copy(3);
  model.read(copy);
  CHECK(copy[0] == Approx(1.0));  // the nearest
  CHECK(copy[1] == Approx(-1.27));
  CHECK(copy[2] == 0.0F);
  XorShift rounding(1);
  const std::vector<float> change{1e30F, -1e30F, std::nanf("")};
  model.add_rounded(1.0F, change, copy, rounding);
  CHECK(copy[0] == Approx(1.27));
  CHECK(copy[1] == Approx(-1.27));
  CHECK(copy[2] == Approx(-1.27));
}

// 10/32767 is no power of two: a number times the unit, divided by it, is not always itself.
TEST_CASE("a change of nothing leaves a number in few bits where it is", "[runtime]") {
  const FixedPoint format = FixedPoint::of_range(16, 10.0);
  std::vector<float> all;
  for (int q = -32767; q <= 32767; ++q) all.push_back(format.unit * static_cast<float>(q));
  SharedModel model(all, {format});
  std::vector<float> before(all.size()), after(all.size());
  model.read(before);
  XorShift rounding(3);
  for (int time = 0; time < 20; ++time) {
    model.add_rounded(1.0F, std::vector<float>(all.size(), 0.0F), after, rounding);
  }
  CHECK(after == before);
  // A thousandth of a unit moves one of a thousand, whichever number it is added to.
  model.add_rounded(1.0F, std::vector<float>(all.size(), format.unit / 1000.0F), after, rounding);
  std::size_t moved = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    moved += static_cast<std::size_t>(after[i] != before[i]);
  }
  CHECK(std::abs(static_cast<double>(moved) - 65.5) < 4 * std::sqrt(65.5));
}

TEST_CASE("buckwild in 16 bits is hogwild, but for its rounding", "[scheme][rule:buckwild]") {
  for (const char* model : {"logistic", "least-squares", "softmax"}) {
    CAPTURE(model);
    Configuration c = buckwild(sixteen, 8.0, 4000);
    c.model = model;
    c.optimizer.lr = 0.05;
    const Summary rounded = train(c, sparse_rows()).summary;
    c.scheme = "hogwild";
    c.hyperparameters = {};
    const Summary exact = train(c, sparse_rows()).summary;
    CHECK(rounded.train_loss == Approx(exact.train_loss).epsilon(2e-3));
    CHECK(rounded.model_hash != exact.model_hash);
  }
}

// Steps of a hundredth of a unit: rounded to the nearest number, none of them would leave a trace.
TEST_CASE("buckwild's steps count however short they are", "[scheme]") {
  Configuration c = buckwild(eight, 127.0, 20000);
  c.batch = 1;
  c.optimizer.lr = 0.05;
  RunResult rounded = train(c, sparse_rows());
  for (const float w : rounded.model.view().floats()) CHECK(w == std::round(w));  // the unit is 1
  c.scheme = "hogwild";
  c.hyperparameters = {};
  RunResult exact = train(c, sparse_rows());
  double product = 0.0, size = 0.0;
  for (std::size_t j = 0; j < 300; ++j) {
    product +=
        static_cast<double>(rounded.model.view().floats()[j]) * exact.model.view().floats()[j];
    size += static_cast<double>(exact.model.view().floats()[j]) * exact.model.view().floats()[j];
  }
  CHECK(size > 0.5);
  CHECK(product > 0.3 * size);
}

TEST_CASE("buckwild's floor grows with its unit", "[scheme]") {
  const auto loss = [](double bits, double range) {
    Configuration c = buckwild(bits, range, 6000);
    c.batch = 1;
    return train(c, sparse_rows()).summary.train_loss;
  };
  const double fine = loss(sixteen, 16.0), coarse = loss(eight, 16.0), coarser = loss(eight, 64.0);
  CAPTURE(fine, coarse, coarser);
  CHECK(fine < coarse);
  CHECK(coarse < coarser);
}

TEST_CASE("buckwild's threads reach what one does", "[scheme]") {
  for (const double bits : {eight, sixteen}) {
    Configuration c = buckwild(bits, 8.0, 3000);
    c.workers = 4;
    c.time = TimeMode::wall;
    const Summary many = train(c, sparse_rows()).summary;
    c.workers = 1;
    c.steps = 12000;
    const Summary one = train(c, sparse_rows()).summary;
    CAPTURE(bits, many.train_loss, one.train_loss);
    // A thread that is stopped between reading and writing undoes what others did meanwhile: where
    // four share two busy cores a fifth of the updates is lost now and then, and more where others
    // want the cores too. Nothing learnt is 0.69, and one has 0.14.
    CHECK(many.train_loss < one.train_loss + 0.5 * (0.69 - one.train_loss));
  }
}

TEST_CASE("buckwild does not round what is not finite", "[scheme]") {
  const LoadedData& data = sparse_rows();
  Configuration c = buckwild(sixteen, 8.0, 400);
  c.model = "mlp:5";
  c.l2 = 1e38;  // λw is beyond all floats where w is at the end of its range
  c.optimizer.lr = 1.0;
  const Configuration resolved = resolve(c, {"buckwild"}, data, {});
  std::string said;
  RunHooks hooks;
  hooks.remark = [&](const std::string& text) { said += text + "\n"; };
  const Summary summary = run_experiment(plan_run(resolved, data), hooks).summary;
  CHECK(summary.diverged);
  CHECK_THAT(said, ContainsSubstring("buckwild: in step"));
}

TEST_CASE("buckwild says how many weights are at the ends of their range", "[scheme]") {
  const LoadedData& data = sparse_rows();
  const auto said = [&](double lr) {
    Configuration c = buckwild(eight, 2.0, 200);
    c.optimizer.lr = lr;
    std::string text;
    RunHooks hooks;
    hooks.remark = [&](const std::string& remark) { text += remark + "\n"; };
    (void)run_experiment(plan_run(resolve(c, {"buckwild"}, data, {}), data), hooks);
    return text;
  };
  CHECK_THAT(said(1e6), ContainsSubstring("of 300 parameters are ±2, the largest that their 8"));
  CHECK_THAT(said(1e-3), !ContainsSubstring("the largest that"));
}
