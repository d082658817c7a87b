#include <chrono>
#include <vector>

#include "trainyard/runtime/rank.hpp"

#include "support/catch.hpp"

using namespace trainyard;
using namespace std::chrono_literals;

// More ranks than cores, and messages of a microsecond: threads are preempted at every point
// between the post of a message and its arrival. Some of what workers send is taken by poll_any(),
// some by receive(), so that entries are left behind.
TEST_CASE("a server on a thread answers everyone and sees nothing early", "[runtime]") {
  constexpr int workers = 8, trips = 1500;
  const bool takes_turns = GENERATE(false, true);
  int early = 0, taken = 0;
  const auto serve = [&](Rank& rank, const Message& message) {
    early += static_cast<int>(message.end() > rank.now());
    ++taken;
    rank.send(message.from(), message.floats());
  };
  std::vector<int> answers(workers);
  run_wall({.workers = workers,
            .servers = 1,
            .network = {.latency = 1us, .bytes_per_second = 1e10, .ports = PortMode::cutthrough},
            .pinned_to = {},
            .cores_are_shared = true},
           [&](Rank& rank) {
             rank.begin();
             if (rank.rank() == workers) {
               while (const auto message = rank.receive_any()) {
                 serve(rank, *message);
                 if (takes_turns && taken % 100 < 20) {
                   if (const auto another = rank.poll(taken % workers)) serve(rank, *another);
                   if (const auto another = rank.poll_any()) serve(rank, *another);
                 }
               }
               return;
             }
             const std::vector<float> question(16, static_cast<float>(rank.rank()));
             for (int i = 0; i < trips; ++i) {
               rank.send(workers, std::span(question));
               const Message answer = rank.receive(workers);
               answers[static_cast<std::size_t>(rank.rank())] +=
                   static_cast<int>(answer.floats()[0] == question[0]);
             }
           });
  CHECK(early == 0);
  CHECK(taken == workers * trips);
  CHECK(answers == std::vector<int>(workers, trips));
}
