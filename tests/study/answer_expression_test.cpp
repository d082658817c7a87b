// Numbers out of a command's answer.
#include "study/answer_expression.hpp"

#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "trainyard/base/error.hpp"

#include "support/catch.hpp"

namespace trainyard {

namespace {

const nlohmann::json answer = nlohmann::json::parse(R"({
  "seconds": 12, "reached": null, "name": "ring",
  "rows": [{"rule": "young", "interval_s": 120, "shares": [{"share": "50%", "bits": 8}]},
           {"rule": "all-reduce:tree", "interval_s": 90.5}],
  "by": {"a b": 7}})");

std::string error_of(std::string_view expression) {
  try {
    (void)evaluated(expression, answer);
  } catch (const InternalError& error) {
    return error.what();
  }
  return "none";
}

}  // namespace

TEST_CASE("an expression finds members, and elements by place or by a word of theirs", "[study]") {
  CHECK(evaluated("seconds", answer) == 12.0);
  CHECK(evaluated("rows[1].interval_s", answer) == 90.5);
  CHECK(evaluated("rows[all-reduce:tree].interval_s", answer) == 90.5);
  CHECK(evaluated("rows[young].shares[50%].bits", answer) == 8.0);
  CHECK(evaluated("by[a b]", answer) == 7.0);
  CHECK(evaluated("reached", answer) == std::numeric_limits<double>::infinity());
}

TEST_CASE("an expression calculates as usual", "[study]") {
  CHECK(evaluated("rows[0].interval_s / 60 - 1", answer) == 1.0);
  CHECK(evaluated("2 + 3 * seconds", answer) == 38.0);
  CHECK(evaluated("(2 + 3) * seconds / 2 / 5", answer) == 6.0);
  CHECK(evaluated("-seconds - -2", answer) == -10.0);
  CHECK(evaluated("log(rows[0].interval_s / seconds) / log(10)", answer) == Approx(1.0));
}

TEST_CASE("what an expression does not find is named", "[study]") {
  CHECK_THAT(error_of("rows[daly].interval_s"), ContainsSubstring("no 'daly'"));
  CHECK_THAT(error_of("rows[2].interval_s"), ContainsSubstring("no '2'"));
  CHECK_THAT(error_of("second"), ContainsSubstring("no 'second'"));
  CHECK_THAT(error_of("name"), ContainsSubstring("no number, but \"ring\""));
  CHECK_THAT(error_of("seconds 3"), ContainsSubstring("'3' is left"));
  CHECK_THAT(error_of("(seconds"), ContainsSubstring("a ) is missing"));
  CHECK_THAT(error_of("rows[0"), ContainsSubstring("a ] is missing"));
  CHECK_THAT(error_of("2 +"), ContainsSubstring("expected a number or a name"));
}

}  // namespace trainyard
