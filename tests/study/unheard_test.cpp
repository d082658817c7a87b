#include "trainyard/study/unheard.hpp"

#include "report/results.hpp"
#include "support/catch.hpp"

namespace trainyard {

TEST_CASE("an average before a message can have arrived is heard by nobody", "[study]") {
  Summary s = bare_result("local-sgd").summary;
  s.consensus_distance = 0.1;
  s.messages = 10;
  s.bytes_sent = 10'000;
  s.latency_s = 1e-3;
  s.bandwidth_bytes_per_s = 1e6;  // a message of 1000 bytes takes 2 ms
  s.seconds_to_target = 1.9e-3;
  CHECK(came_unheard(s));
  s.seconds_to_target = 2.1e-3;
  CHECK_FALSE(came_unheard(s));
  s.messages = 0;
  CHECK(came_unheard(s));
  s.consensus_distance.reset();  // a server's model does not move without one
  s.seconds_to_target = 1e-6;
  CHECK_FALSE(came_unheard(s));
  CHECK_FALSE(came_unheard(bare_result("local-sgd").summary));  // never there
}

}  // namespace trainyard
