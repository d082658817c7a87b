#include "trainyard/study/student.hpp"

#include <cmath>

#include "support/catch.hpp"

namespace trainyard {

TEST_CASE("half of the interval of a mean is Student's", "[study]") {
  // scipy.stats.t.ppf(0.975, [1, 2, 9]): 12.706204736174698, 4.302652729911275, 2.262157162740992.
  CHECK(student_half_width(1.0, 2) == Approx(12.706204736174698 / std::sqrt(2.0)));
  CHECK(student_half_width(0.5, 3) == Approx(0.5 * 4.302652729911275 / std::sqrt(3.0)));
  CHECK(student_half_width(2.0, 10) == Approx(2.0 * 2.262157162740992 / std::sqrt(10.0)));
  CHECK(student_half_width(0.0, 5) == 0.0);
}

}  // namespace trainyard
