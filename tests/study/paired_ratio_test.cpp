#include "trainyard/study/paired_ratio.hpp"

#include <cmath>
#include <vector>

#include "support/catch.hpp"

namespace trainyard {

TEST_CASE("seeds bear out a ratio whose interval by Student's t has no 1 in it", "[study]") {
  // scipy.stats.t.ppf(0.975, 2) is 4.302652729911275; logarithms of 3, -1 and 1: 1 ± t 2 / √3.
  const double e = std::exp(1.0), half = 4.302652729911275 * 2.0 / std::sqrt(3.0);
  const auto unsure =
      paired_ratio(std::vector{1.0, 2.0, 3.0}, std::vector{e * e * e, 2.0 / e, 3.0 * e});
  REQUIRE(unsure);
  CHECK(unsure->mean == Approx(e));
  CHECK(unsure->low == Approx(std::exp(1.0 - half)));
  CHECK(unsure->high == Approx(std::exp(1.0 + half)));
  CHECK(unsure->pairs == 3);
  CHECK_FALSE(unsure->is_borne_out());
  CHECK(paired_ratio(std::vector{4.0, 5.0, 6.0}, std::vector{5.0, 6.1, 7.6})->is_borne_out());
  // The same in each seed: no spread, and any ratio is one.
  const auto sure = paired_ratio(std::vector{0.1, 0.2}, std::vector{0.2, 0.4});
  CHECK(sure->high - sure->low < 1e-9);
  CHECK(sure->is_borne_out());
  CHECK_FALSE(paired_ratio(std::vector{1.0}, std::vector{2.0}));
}

}  // namespace trainyard
