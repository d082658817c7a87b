// A message goes by hand to the rank that waits for one of its sender.
#include <stdexcept>
#include <vector>

#include "support/catch.hpp"
#include "support/runtimes.hpp"

using namespace trainyard;
using test::setup_of;

TEST_CASE("of two messages that come at once the one waited for is the first", "[runtime]") {
  std::vector<float> values;
  run_virtual(setup_of(3), [&](Rank& rank) {
    rank.begin();
    if (rank.rank() == 2) {
      for (const float value : {1.0F, 2.0F}) rank.send(1, std::vector<float>{value});
    } else if (rank.rank() == 1) {
      for (int i = 0; i < 2; ++i) values.push_back(rank.receive(2).floats().front());
      values.push_back(rank.receive(0).floats().front());
    } else {
      rank.send(1, std::vector<float>{3.0F});
    }
  });
  CHECK(values == std::vector<float>{1, 2, 3});
}

TEST_CASE("a run may end between a message's arrival and its receiver's turn", "[runtime]") {
  bool received = false;
  const auto program = [&](Rank& rank) {
    rank.begin();
    if (rank.rank() == 2) rank.send(1, std::vector<float>{1.0F});
    if (rank.rank() == 1) {
      (void)rank.receive(2);
      received = true;
    }
    rank.compute({.simulated = seconds(1)}, [] {});
    if (rank.rank() == 0) throw std::runtime_error("just then");
  };
  CHECK_THROWS_WITH(run_virtual(setup_of(3, 0, {.latency = seconds(1)}), program), "just then");
  CHECK_FALSE(received);
}
