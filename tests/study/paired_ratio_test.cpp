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

TEST_CASE("seeds tell apart by ratios, and by differences where there is a 0", "[study]") {
  CHECK(told_apart(std::vector{4.0, 5.0, 6.0}, std::vector{5.0, 6.1, 7.6}));
  CHECK_FALSE(told_apart(std::vector{1.0, 2.0, 3.0}, std::vector{1.1, 1.9, 3.0}));
  // Of 1, 2 and 3 the mean is 2 and half the interval 4.3027 / √3 = 2.4842; of 2, 3 and 4 it is 3.
  CHECK_FALSE(told_apart(std::vector{0.0, 0.0, 0.0}, std::vector{1.0, 2.0, 3.0}));
  CHECK(told_apart(std::vector{0.0, 0.0, 0.0}, std::vector{2.0, 3.0, 4.0}));
  CHECK(told_apart(std::vector{-2.0, -3.0, -4.0}, std::vector{0.0, 0.0, 0.0}));
  CHECK_FALSE(told_apart(std::vector{0.0, 0.0}, std::vector{0.0, 0.0}));
  CHECK_FALSE(told_apart(std::vector{0.0}, std::vector{1.0}));
}

}  // namespace trainyard
