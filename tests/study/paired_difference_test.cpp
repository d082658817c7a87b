#include "study/paired_difference.hpp"

#include <cmath>
#include <vector>

#include "support/catch.hpp"

namespace trainyard {

TEST_CASE("seeds bear out a difference that is beyond Student's interval", "[study]") {
  // scipy.stats.t.ppf(0.975, 2) is 4.302652729911275.
  const auto unsure = paired_difference(std::vector{4.0, 5.0, 6.0}, std::vector{7.0, 4.0, 7.0});
  REQUIRE(unsure);
  CHECK(unsure->mean == Approx(1.0));
  CHECK(unsure->half_width == Approx(4.302652729911275 * 2.0 / std::sqrt(3.0)));
  CHECK(unsure->pairs == 3);
  CHECK_FALSE(unsure->is_borne_out());
  const auto sure = paired_difference(std::vector{4.0, 5.0, 6.0}, std::vector{5.0, 6.1, 6.9});
  CHECK(sure->is_borne_out());
  CHECK(sure->half_width == Approx(4.302652729911275 * 0.1 / std::sqrt(3.0)));
  // The same in each seed: no spread, and any difference is one.
  CHECK(paired_difference(std::vector{0.1, 0.2}, std::vector{0.2, 0.3})->half_width < 1e-9);
  CHECK_FALSE(paired_difference(std::vector{1.0}, std::vector{2.0}));
}

}  // namespace trainyard
