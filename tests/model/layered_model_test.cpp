// A model cut into stages computes what it computes in one piece.
#include "trainyard/model/layered_model.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "trainyard/base/error.hpp"

#include "model/cut_layers.hpp"
#include "model/problems.hpp"
#include "support/catch.hpp"

using namespace trainyard;

namespace {

double costliest(const std::vector<double>& costs, const std::vector<std::size_t>& ends) {
  double most = 0.0;
  std::size_t first = 0;
  for (const std::size_t end : ends) {
    most = std::max(most, std::accumulate(costs.begin() + static_cast<std::ptrdiff_t>(first),
                                          costs.begin() + static_cast<std::ptrdiff_t>(end), 0.0));
    first = end;
  }
  return most;
}

/// The least over all ways to cut layers from `first` on into so many parts, by trying all.
double least_by_trying(const std::vector<double>& costs, std::vector<std::size_t>& ends,
                       std::size_t parts) {
  const std::size_t first = ends.empty() ? 0 : ends.back();
  if (parts == 1) {
    ends.push_back(costs.size());
    const double cost = costliest(costs, ends);
    ends.pop_back();
    return cost;
  }
  double least = 1e300;
  for (std::size_t end = first + 1; end + parts <= costs.size() + 1; ++end) {
    ends.push_back(end);
    least = std::min(least, least_by_trying(costs, ends, parts - 1));
    ends.pop_back();
  }
  return least;
}

/// The whole model's gradient, by one stage after another, each with memory of its own.
std::vector<float> staged_gradient(const Model& model, const std::vector<Stage>& stages,
                                   std::span<const float> parameters, Batch batch) {
  const LayeredModel& layers = *model.layered();
  std::vector<float> gradient(model.dimension(), 7.0F);
  std::vector<Workspace> spaces(stages.size());
  std::vector<std::span<const float>> below(stages.size() + 1);
  const auto part = [](auto all, const Stage& stage) {
    return std::span(all).subspan(stage.parameters.first, stage.parameters.count);
  };
  for (std::size_t s = 0; s < stages.size(); ++s) {
    below[s + 1] =
        layers.forward(stages[s], part(parameters, stages[s]), batch, below[s], spaces[s]);
  }
  std::span<const float> above;
  for (std::size_t s = stages.size(); s-- > 0;) {
    above = layers.backward(stages[s], part(parameters, stages[s]), batch, below[s], above,
                            part(std::span(gradient), stages[s]), spaces[s]);
  }
  CHECK(above.empty());
  return gradient;
}

}  // namespace

TEST_CASE("layers are cut such that the costliest stage costs least", "[model]") {
  std::mt19937 random(16);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<double> costs(1 + random() % 7);
    for (double& cost : costs) cost = static_cast<double>(1 + random() % 20);
    for (std::size_t parts = 1; parts <= costs.size(); ++parts) {
      const std::vector<std::size_t> ends = cut_layers(costs, parts);
      CAPTURE(trial, costs, parts, ends);
      REQUIRE(ends.size() == parts);
      REQUIRE(std::is_sorted(ends.begin(), ends.end(), std::less_equal<>()));
      REQUIRE(ends.back() == costs.size());
      std::vector<std::size_t> tried;
      REQUIRE(costliest(costs, ends) == least_by_trying(costs, tried, parts));
    }
  }
}

TEST_CASE("stages one after another give the gradient of the whole model, to the bit", "[model]") {
  std::mt19937 random(17);
  for (const std::string name : {"mlp:6", "mlp:7,5", "mlp:9,1,4", "mlp:40,30,20,10"}) {
    for (const double l2 : {0.0, 0.05}) {
      const test::Problem problem = test::make_problem(5, 70, 9, 4, 0.4);
      for (const Dataset* data : {&problem.dense, &problem.sparse}) {
        const auto model = make_model({name, l2}, *data);
        REQUIRE(model->layered() != nullptr);
        const auto parameters = test::random_parameters(*model, random(), 0.5);
        const auto layers = static_cast<int>(std::count(name.begin(), name.end(), ',')) + 2;
        for (int stages = 1; stages <= layers; ++stages) {
          for (const auto& rows : {std::vector<std::size_t>{3}, {0, 1, 2, 3, 40, 7, 8}}) {
            CAPTURE(name, l2, data->sparse, stages, rows.size());
            const auto batch = test::batch_of(*data, rows);
            CHECK(staged_gradient(*model, model->layered()->cut(stages), parameters, batch) ==
                  test::gradient_of(*model, parameters, batch));
          }
        }
      }
    }
  }
}

TEST_CASE("stages are all layers, and their arithmetic adds up to a gradient's", "[model]") {
  const test::Problem problem = test::make_problem(5, 70, 9, 4, 0.4);
  const auto model = make_model({"mlp:16,8,8", 0.0}, problem.dense);
  const LayeredModel& layers = *model->layered();
  for (int stages = 1; stages <= 4; ++stages) {
    double work = 0.0;
    std::size_t next = 0, units = 9;
    for (const Stage& stage : layers.cut(stages)) {
      CHECK(stage.parameters.first == next);
      CHECK(stage.inputs == units);
      CHECK(stage.first == (next == 0));
      next += stage.parameters.count;
      units = stage.outputs;
      CHECK(stage.last == (next == model->dimension()));
      work += stage.forward + stage.backward;
      CHECK(layers.stage_of(stage.parameters).first_layer == stage.first_layer);
      CHECK(layers.stage_of(stage.parameters).layers == stage.layers);
    }
    CHECK(next == model->dimension());
    CHECK(units == 4);
    CHECK(work == Approx(1.0));
  }
  // Products a row: 9·16, 16·8, 8·8, 8·4, forward once; backward once for the first layer, as the
  // data have no slopes, and twice for the others.
  const std::vector<Stage> each = layers.cut(4);
  const double all = 2 * 144 + 3 * (128 + 64 + 32);
  CHECK(each[0].forward == Approx(144 / all));
  CHECK(each[0].backward == Approx(144 / all));
  CHECK(each[1].forward == Approx(128 / all));
  CHECK(each[1].backward == Approx(256 / all));
}

TEST_CASE("what is no stage is refused", "[model]") {
  const test::Problem problem = test::make_problem(5, 70, 9, 2, 0.4);
  const auto model = make_model({"mlp:16,8", 0.0}, problem.dense);
  const LayeredModel& layers = *model->layered();
  CHECK_THROWS_WITH(layers.cut(4), ContainsSubstring("3 layers cannot be cut into 4 stages"));
  for (const ParameterRange part :
       {ParameterRange{0, 0}, {1, 159}, {0, 159}, {0, 161}, {160, 135}, {298, 18}}) {
    CAPTURE(part.first, part.count);
    CHECK_THROWS_AS(layers.stage_of(part), InternalError);
  }
  CHECK(layers.stage_of({160, 136}).first_layer == 1);
  for (const char* name : {"logistic", "softmax"}) {
    CHECK(make_model({name, 0.0}, problem.dense)->layered() == nullptr);
  }
}
