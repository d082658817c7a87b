// A gradient in parts is the whole one, and its parts come as backpropagation gets to them.
#include "trainyard/model/gradient_parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "model/problems.hpp"
#include "support/catch.hpp"

using namespace trainyard;

TEST_CASE("a gradient in parts has the bits of the whole, and is final part by part", "[model]") {
  std::mt19937 random(19);
  for (const std::string name : {"softmax", "mlp:6", "mlp:9,1,4", "mlp:40,30,20,10"}) {
    const test::Problem problem = test::make_problem(5, 70, 9, 4, 0.4);
    for (const Dataset* data : {&problem.dense, &problem.sparse}) {
      const auto model = make_model({name, 0.05}, *data);
      GradientInParts in_parts(*model);
      const bool layered = name != "softmax";
      const auto layers = static_cast<std::size_t>(std::count(name.begin(), name.end(), ','));
      REQUIRE(in_parts.parts().size() == (layered ? layers + 2 : 1));
      for (const auto& rows : {std::vector<std::size_t>{3}, {0, 1, 2, 3, 40, 7, 8}, {5, 6}}) {
        CAPTURE(name, data->sparse, rows.size());
        const auto batch = test::batch_of(*data, rows);
        const auto parameters = test::random_parameters(*model, random(), 0.5);
        const std::vector<float> whole = test::gradient_of(*model, parameters, batch);
        std::vector<float> gradient(whole.size(), std::numeric_limits<float>::quiet_NaN());
        std::size_t end = gradient.size();
        for (const GradientPart& part : in_parts.parts()) {
          in_parts.compute(part, parameters, batch, gradient);
          REQUIRE(part.parameters.first + part.parameters.count == end);
          end = part.parameters.first;
          const auto is_nan = [](float x) { return std::isnan(x); };
          CHECK(std::all_of(gradient.begin(), gradient.begin() + static_cast<long>(end), is_nan));
          CHECK(std::equal(gradient.begin() + static_cast<long>(end), gradient.end(),
                           whole.begin() + static_cast<long>(end)));
          // What is final is the caller's: the parts below do not read it.
          std::fill(gradient.begin() + static_cast<long>(end), gradient.end(), 1e30F);
          std::copy(whole.begin() + static_cast<long>(end), whole.end(),
                    gradient.begin() + static_cast<long>(end));
        }
        CHECK(end == 0);
      }
    }
  }
}

TEST_CASE("a part is final when the layers above and its own have been passed", "[model]") {
  const test::Problem problem = test::make_problem(5, 70, 9, 4, 1.0);
  const auto model = make_model({"mlp:16,8,8", 0.0}, problem.dense);
  const auto parts = gradient_parts(*model);
  REQUIRE(parts.size() == 4);
  // Products a row: 9·16, 16·8, 8·8, 8·4; forward each once, backward the first once and the others
  // twice.
  const double forward = 144 + 128 + 64 + 32, all = forward + 144 + 2 * (128 + 64 + 32);
  CHECK(parts[0].done == Approx((forward + 64) / all));
  CHECK(parts[1].done == Approx((forward + 64 + 128) / all));
  CHECK(parts[2].done == Approx((forward + 64 + 128 + 256) / all));
  CHECK(parts[3].done == 1.0);
  CHECK(parts[3].parameters == ParameterRange{0, 9 * 16 + 16});
  CHECK(parts[0].parameters == ParameterRange{160 + 136 + 72, 8 * 4 + 4});
  CHECK(parts[3].final_after(Duration{(1LL << 60U) + 1}) == Duration{(1LL << 60U) + 1});
  CHECK(parts[0].final_after(seconds(all)) == seconds(forward + 64));

  const auto without_layers = gradient_parts(*make_model({"softmax", 0.0}, problem.dense));
  REQUIRE(without_layers.size() == 1);
  CHECK(without_layers[0].parameters == ParameterRange{0, 9 * 4});
  CHECK(without_layers[0].done == 1.0);
}
