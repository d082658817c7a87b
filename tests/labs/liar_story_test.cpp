// The story of the page about a liar (stories_test.cpp has the others').
#include "labs/shown.hpp"

namespace trainyard::story {

TEST_CASE("story: liar", "[labs]") {
  const std::string mean = "ps-sync", median = "ps-sync:median", krum = "ps-sync:krum:1",
                    mixed = "ps-sync:nnm:1+trimmed-mean:1", clipped = "ps-sync:centered-clip:0.5";
  const Shown honest = shown("liar", {{"byzantine", "none"}}), uphill = shown("liar");
  const auto above = [&](const Shown& page, const std::string& label) {
    return page.loss(label) - honest.loss(mean);
  };
  CHECK(uphill.loss(mean) > 100.0);
  for (const std::string& label : {mixed, clipped}) {
    CAPTURE(label);
    CHECK(above(uphill, label) < 0.01);
  }
  for (const char* attack : {"none", "1:sign-flip", "1:ipm:15", "1:alie:1.5", "1:label-flip"}) {
    CAPTURE(attack);
    const Shown page = shown("liar", {{"byzantine", attack}});
    CHECK(page.loss(krum) == Approx(0.655).epsilon(0.03));
    CHECK(page.loss(krum) > 1.35 * page.loss(median));
  }
  const Shown unlike = shown("liar", {{"byzantine", "none"}, {"partition", "shards"}});
  CHECK(above(unlike, mean) == Approx(0.0).margin(0.005));
  CHECK(unlike.of(krum).test_accuracy == Approx(0.266).epsilon(0.05));
  CHECK(unlike.loss(median) > 2.5 * honest.loss(mean));
  CHECK(unlike.loss(mixed) > 1.5 * honest.loss(mean));
  CHECK(above(shown("liar", {{"partition", "shards"}}), mixed) < 0.02);
  const double little = above(shown("liar", {{"byzantine", "1:alie:1.5"}}), mean);
  CHECK(little == Approx(0.033).epsilon(0.1));
  CHECK(above(shown("liar", {{"byzantine", "1:label-flip"}}), mean) ==
        Approx(5.0 * little).epsilon(0.1));
}

}  // namespace trainyard::story
