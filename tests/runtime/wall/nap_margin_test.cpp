#include "runtime/wall/nap_margin.hpp"

#include "support/catch.hpp"

using namespace trainyard;
using namespace std::chrono_literals;

TEST_CASE("the margin of a sleep follows what sleeps overshoot", "[runtime]") {
  NapMargin nap;
  CHECK(nap.margin() == NapMargin::most);  // as long as nothing is known
  for (int i = 0; i < 200; ++i) nap.learn(40us);
  CHECK(nap.margin() == 50us);
  nap.learn(100us);
  CHECK(nap.margin() == 125us);  // at once
  nap.learn(10us);
  CHECK(nap.margin() == Duration(125us) - Duration(125us) / 32);  // slowly
  for (int i = 0; i < 200; ++i) nap.learn(1us);
  CHECK(nap.margin() == NapMargin::least);
  nap.learn(4ms);
  CHECK(nap.margin() == NapMargin::most);
}
