// Days since 1970-01-01, as `date -u -d 2024-02-29 +%s` divided by 86400 has them.
#include "data/dates.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"

namespace trainyard {

TEST_CASE("dates are days since 1970", "[data][table]") {
  struct Case {
    const char* text;
    double days;
  };
  for (const Case& c : std::vector<Case>{{"1970-01-01", 0},
                                         {"1969-12-31", -1},
                                         {"2024-02-29", 19782},
                                         {"2024/02/29", 19782},
                                         {"20240229", 19782},
                                         {"29.02.2024", 19782},
                                         {"2024-02-29 12:00", 19782.5},
                                         {"2024-02-29T06:00:00Z", 19782.25},
                                         {"2024-02-29T06:00:00+01:00", 19782.25},
                                         {"29.02.2024 18:00:00.0", 19782.75}}) {
    INFO(c.text);
    REQUIRE(parse_date(c.text));
    CHECK(*parse_date(c.text) == c.days);
  }
  for (const char* none : {"2023-02-29", "01/02/2024", "2024-13-01", "2024-01", "", "x", "12",
                           "2024-01-01 25:00", "2024-01-01 12", "2024-01-01x", "1.1.2024"}) {
    INFO(none);
    CHECK_FALSE(parse_date(none));
  }
}

}  // namespace trainyard
