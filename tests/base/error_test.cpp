#include "trainyard/base/error.hpp"

#include <vector>

#include "support/catch.hpp"

using namespace trainyard;

TEST_CASE("the nearest known name is one that a finger slipped on", "[base]") {
  const std::vector<std::string> known{"ring", "gossip", "hogwild", "ps-sync", "ps-async"};
  CHECK(nearest_name("rign", known) == "ring");
  CHECK(nearest_name("hogwld", known) == "hogwild");
  CHECK(nearest_name("ps-snyc", known) == "ps-sync");
  CHECK(nearest_name("completely-different", known).empty());
}

TEST_CASE("an unknown name says what is known", "[base]") {
  const std::vector<std::string> known{"ring", "gossip"};
  REQUIRE_THROWS_WITH(throw_unknown("scheme", "rign", known),
                      "no scheme named 'rign'; did you mean 'ring'? (known: ring, gossip)");
}
