#include "trainyard/base/counted.hpp"

#include "support/catch.hpp"

namespace trainyard {

TEST_CASE("one thing has no s, and anything else has", "[base]") {
  CHECK(counted(1, "row") == "1 row");
  CHECK(counted(0, "row") == "0 rows");
  CHECK(counted(32561U, "row") == "32561 rows");
  CHECK(counted(1, "class", "classes") == "1 class");
  CHECK(counted(10, "class", "classes") == "10 classes");
  CHECK(counted("1", "epoch") == "1 epoch");
  CHECK(counted("0.5", "epoch") == "0.5 epochs");
}

}  // namespace trainyard
