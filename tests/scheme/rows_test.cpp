#include "trainyard/scheme/scheme.hpp"

#include "support/catch.hpp"

using namespace trainyard;

TEST_CASE("every scheme has a rule, a source and a program", "[scheme]") {
  for (const Scheme& scheme : schemes()) {
    CAPTURE(scheme.name);
    CHECK_FALSE(scheme.summary.empty());
    CHECK_FALSE(scheme.step.empty());
    CHECK_FALSE(scheme.source.empty());
    CHECK(scheme.worker != nullptr);
    CHECK(&find_scheme(scheme.name) == &scheme);
  }
  CHECK_THROWS_WITH(find_scheme("rign"), ContainsSubstring("did you mean 'ring'"));
}
