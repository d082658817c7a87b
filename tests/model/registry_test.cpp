// Names, sizes, starting points, and what is refused.
#include <cmath>
#include <string>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/model/model.hpp"

#include "model/problems.hpp"
#include "support/catch.hpp"

namespace trainyard {
namespace {

TEST_CASE("models have the parameters that their names say", "[model]") {
  const test::Problem two = test::make_problem(1, 10, 7, 2, 0.5);
  const test::Problem five = test::make_problem(1, 10, 7, 5, 0.5);
  CHECK(make_model({"logistic", 0.0}, two.sparse)->dimension() == 7);
  CHECK(make_model({"least-squares", 0.0}, two.dense)->dimension() == 7);
  CHECK(make_model({"softmax", 0.0}, five.dense)->dimension() == 35);
  CHECK(make_model({"mlp:3", 0.0}, two.dense)->dimension() == 7 * 3 + 3 + 3 * 2 + 2);
  CHECK(make_model({"mlp:11,4", 0.0}, five.sparse)->dimension() ==
        7 * 11 + 11 + 11 * 4 + 4 + 4 * 5 + 5);
}

TEST_CASE("every model of the list can be made and described", "[model]") {
  const test::Problem problem = test::make_problem(1, 10, 8, 2, 0.5);
  REQUIRE(models().size() == 5);
  for (const ModelInfo& info : models()) {
    CHECK(!info.summary.empty());
    const std::size_t colon = info.name.find(':');
    const std::string name = info.name.substr(0, colon) + (colon < info.name.size() ? ":4,2" : "");
    CHECK(make_model({name, 0.0}, problem.dense) != nullptr);
  }
}

std::string message(const std::string& name, const Dataset& data) {
  try {
    make_model({name, 0.0}, data);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST_CASE("wrong models are refused with what is accepted", "[model]") {
  const test::Problem two = test::make_problem(1, 10, 7, 2, 0.5);
  const test::Problem three = test::make_problem(1, 10, 7, 3, 0.5);
  CHECK_THAT(message("logisitc", two.dense), ContainsSubstring("did you mean 'logistic'"));
  CHECK_THAT(message("", two.dense), ContainsSubstring("mlp:H1,H2"));
  CHECK_THAT(message("logistic", three.dense), ContainsSubstring("two classes") &&
                                                   ContainsSubstring("has 3") &&
                                                   ContainsSubstring("softmax"));
  for (const std::string name : {"mlp", "logistic:3", "softmax:"}) {
    CHECK_THAT(message(name, two.dense),
               ContainsSubstring("'" + name + "'") && ContainsSubstring("written"));
  }
  for (const std::string name : {"mlp:", "mlp:0", "mlp:-3", "mlp:12,", "mlp:,4", "mlp:a", "mlp:3.5",
                                 "mlp:8,0,4", "mlp:1e12", "mlp:4 4"}) {
    INFO(name);
    CHECK_THAT(message(name, two.dense), ContainsSubstring("'" + name + "'"));
  }
}

TEST_CASE("models refuse labels that they cannot learn", "[model]") {
  const test::Problem real = test::make_problem(1, 10, 8, 1, 0.5);
  const test::Problem three = test::make_problem(1, 10, 8, 3, 0.5);
  for (const std::string name : {"logistic", "softmax", "mlp:4"}) {
    CHECK_THAT(message(name, real.sparse), ContainsSubstring("--model " + name + ":") &&
                                               ContainsSubstring("takes class labels") &&
                                               ContainsSubstring("real numbers") &&
                                               ContainsSubstring("least-squares"));
  }
  for (const std::string name : {"least-squares", "quadratic"}) {
    CHECK(message(name, real.dense) == "accepted");
  }
  CHECK_THAT(message("least-squares", three.dense),
             ContainsSubstring("real numbers") && ContainsSubstring("two classes") &&
                 ContainsSubstring("has 3") && ContainsSubstring("softmax"));
}

TEST_CASE("models that have no use for an intercept refuse it", "[model]") {
  const test::Problem problem = test::make_problem(1, 10, 8, 2, 0.5, true);
  for (const std::string name : {"logistic", "softmax", "least-squares"}) {
    CHECK(message(name, problem.dense) == "accepted");
    CHECK(message(name, problem.sparse) == "accepted");
  }
  CHECK_THAT(message("mlp:4", problem.sparse), ContainsSubstring("--model mlp:4:") &&
                                                   ContainsSubstring("biases of its own") &&
                                                   ContainsSubstring("no intercept"));
  CHECK_THAT(message("quadratic", problem.dense),
             ContainsSubstring("--model quadratic:") && ContainsSubstring("no intercept"));
}

TEST_CASE("linear models start at zero", "[model]") {
  const test::Problem problem = test::make_problem(1, 10, 7, 2, 0.5);
  for (const std::string name : {"logistic", "softmax", "least-squares"}) {
    const auto model = make_model({name, 0.0}, problem.dense);
    std::vector<float> parameters(model->dimension(), 5.0F);
    model->initialize(parameters, 3);
    CHECK(parameters == std::vector<float>(parameters.size(), 0.0F));
  }
}

TEST_CASE("networks start with He's variance, zero biases, and by their seed alone", "[model]") {
  const test::Problem problem = test::make_problem(1, 4, 400, 10, 0.5);
  const auto model = make_model({"mlp:300,200", 0.0}, problem.dense);
  std::vector<float> parameters(model->dimension(), 5.0F);
  model->initialize(parameters, 3);
  struct Shape {
    std::size_t inputs, outputs;
  };
  std::size_t next = 0;
  for (const auto& [inputs, outputs] : {Shape{400, 300}, {300, 200}, {200, 10}}) {
    const std::size_t weights = inputs * outputs;
    double sum = 0.0, squares = 0.0;
    for (std::size_t i = 0; i < weights; ++i) {
      const double weight = parameters[next + i];
      sum += weight;
      squares += weight * weight;
    }
    const double count = static_cast<double>(weights), variance = 2.0 / static_cast<double>(inputs);
    // Four standard errors: of the mean √(variance / count), of the variance variance·√(2 / count).
    CHECK(std::abs(sum / count) < 4.0 * std::sqrt(variance / count));
    CHECK(std::abs(squares / count - variance) < 4.0 * variance * std::sqrt(2.0 / count));
    next += weights;
    for (std::size_t o = 0; o < outputs; ++o) CHECK(parameters[next++] == 0.0F);
  }
  std::vector<float> again(model->dimension()), other(model->dimension());
  model->initialize(again, 3);
  model->initialize(other, 4);
  CHECK(again == parameters);
  CHECK(other != parameters);
}

TEST_CASE("a workspace keeps its buffers", "[model]") {
  Workspace workspace;
  const std::span<float> large = workspace.floats(2, 100);
  CHECK(large.size() == 100);
  CHECK(reinterpret_cast<std::uintptr_t>(large.data()) % 64 == 0);
  workspace.floats(7, 10);
  CHECK(workspace.floats(2, 40).data() == large.data());
  CHECK(workspace.floats(2, 40).size() == 40);
}

}  // namespace
}  // namespace trainyard
