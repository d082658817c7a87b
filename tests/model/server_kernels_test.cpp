#include <cmath>
#include <limits>
#include <vector>

#include "trainyard/model/kernels.hpp"

#include "support/catch.hpp"

using namespace trainyard;

TEST_CASE("the distance after a step is the greatest over the coordinates", "[model][kernels]") {
  const std::vector<float> gradient{1.0F, -2.0F, 4.0F}, x{0.0F, 1.0F, 3.0F}, from{0.5F, 1.0F, 0.0F};
  // x − g / 2 = (−0.5, 2, 1)
  CHECK(kernels::distance_after_step(0.5, gradient, x, from) == 1.0);
  CHECK(kernels::distance_after_step(0.0, gradient, x, from) == 3.0);
  CHECK(kernels::distance_after_step(1.0, {}, {}, {}) == 0.0);
  for (std::size_t j = 0; j < 3; ++j) {
    std::vector<float> broken = gradient;
    broken[j] = std::nanf("");
    CHECK(kernels::distance_after_step(0.5, broken, x, from) ==
          std::numeric_limits<double>::infinity());
  }
}
