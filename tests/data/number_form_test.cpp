#include "data/number_form.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"

namespace trainyard {

TEST_CASE("how a number is written shows in it, or does not", "[data][table]") {
  struct Case {
    const char* text;
    NumberForm form;
  };
  for (const Case& c : std::vector<Case>{{"12", NumberForm::whole},
                                         {"-12e3", NumberForm::whole},
                                         {"1.5", NumberForm::point},
                                         {".5", NumberForm::point},
                                         {"5.", NumberForm::point},
                                         {"0.123", NumberForm::point},
                                         {"1234.567", NumberForm::point},
                                         {"1,234.5", NumberForm::point},
                                         {"1,234,567", NumberForm::point},
                                         {"1,5", NumberForm::comma},
                                         {"-1,5E-3", NumberForm::comma},
                                         {"0,123", NumberForm::comma},
                                         {"1.234,5", NumberForm::comma},
                                         {"1.234", NumberForm::either_point},
                                         {"1.234.567", NumberForm::either_point},
                                         {"192.168.100.200", NumberForm::either_point},
                                         {"1,234", NumberForm::either_comma},
                                         {"", NumberForm::no_number},
                                         {"-", NumberForm::no_number},
                                         {"e5", NumberForm::no_number},
                                         {"1e", NumberForm::no_number},
                                         {"1,2,3", NumberForm::no_number},
                                         {"12,34.5", NumberForm::no_number},
                                         {"01.02.2024", NumberForm::no_number},
                                         {"a", NumberForm::no_number}}) {
    INFO(c.text);
    CHECK(number_form(c.text) == c.form);
  }
}

TEST_CASE("a number becomes one with a point and without thousands", "[data][table]") {
  CHECK(plain_number_text("-1.234,5", ',') == "-1234.5");
  CHECK(plain_number_text("1.234.567", ',') == "1234567");
  CHECK(plain_number_text("1,5e-3", ',') == "1.5e-3");
  CHECK(plain_number_text("1,234.5", '.') == "1234.5");
  CHECK(plain_number_text("12", ',') == "12");
  for (const char* none : {"1.5", "1,2,3", "", "x", "1,5,"}) {
    INFO(none);
    CHECK(plain_number_text(none, ',').empty());
  }
  CHECK(whole_number("-12") == -12);
  CHECK_FALSE(whole_number("1.0"));
  CHECK_FALSE(whole_number(""));
}

}  // namespace trainyard
