// Portions of a batch, given out and done.
#include "scheme/portions.hpp"

#include <vector>

#include "support/catch.hpp"

using namespace trainyard;

TEST_CASE("portions go out in their order and then once more, the least taken first", "[scheme]") {
  Portions portions(4);
  portions.begin();
  CHECK(portions.take() == 0);
  CHECK(portions.take() == 1);
  CHECK(portions.finish(0));
  CHECK(portions.take() == 2);
  CHECK(portions.take() == 3);
  CHECK(portions.finish(2));
  CHECK(portions.left() == 2);
  CHECK(portions.take() == 1);  // 1 and 3 are not done, each with one worker at it
  CHECK(portions.take() == 3);
  CHECK(portions.take() == 1);
  CHECK(portions.finish(3));
  CHECK(portions.take() == 1);
  CHECK(portions.finish(1));
  CHECK(portions.left() == 0);
}

TEST_CASE("a portion is done once, however often it is finished", "[scheme]") {
  Portions portions(2);
  for (int batch = 0; batch < 3; ++batch) {
    portions.begin();
    CHECK(portions.left() == 2);
    CHECK(portions.take() == 0);
    CHECK(portions.finish(0));
    CHECK_FALSE(portions.finish(0));
    CHECK(portions.left() == 1);
    CHECK(portions.take() == 1);
    CHECK(portions.finish(1));
    CHECK_FALSE(portions.finish(0));
    CHECK(portions.left() == 0);
  }
}
