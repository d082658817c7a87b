#include "runtime/wall/shared_switch.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "support/catch.hpp"

using namespace trainyard;
using namespace std::chrono_literals;

namespace {

const Network network{.latency = 10us, .bytes_per_second = 1e9};

std::unique_ptr<Envelope> message(int from, int to, std::size_t bytes) {
  auto envelope = std::make_unique<Envelope>();
  envelope->from = from;
  envelope->to = to;
  envelope->bytes_to_send = bytes;
  return envelope;
}

/// Tells the envelopes when they arrive, as the runtime does, and keeps what started.
struct Log {
  std::vector<Transfer> started;
  void operator()(const Transfer& transfer) {
    started.push_back(transfer);
    // relaxed: read when the threads have been joined, or by who works the switch.
    static_cast<Envelope*>(transfer.cookie)->arrives.store(transfer.end, std::memory_order_relaxed);
  }
};

}  // namespace

TEST_CASE("a shared switch does what a switch does", "[runtime]") {
  Log log;
  SharedSwitch shared(network, 3, 0, std::ref(log));
  const auto first = message(0, 1, 1000), second = message(0, 2, 1000), third = message(1, 2, 1000);
  shared.post(*first, 0us);
  shared.post(*second, 0us);
  shared.post(*third, 1us);
  CHECK(log.started.empty());  // posting does not work it

  CHECK(shared.work(2us, 2us) == Time(11us));  // when the first one's ports free
  REQUIRE(log.started.size() == 2);
  CHECK(log.started[0].end == Time(11us));
  CHECK(log.started[1].posted == Time(1us));
  CHECK(log.started[1].end == Time(12us));

  // The second one waits for its receiver until 12, and takes 11; its sender is free at 11.
  CHECK(shared.work_for(*second, 3us, 3us) == Time(23us));
  CHECK(shared.work_for(*second, 12us, 12us) == Time(23us));
  CHECK(second->arrives.load(std::memory_order_relaxed) == Time(23us));
}

TEST_CASE("what is listed late is posted when the switch was worked last", "[runtime]") {
  Log log;
  SharedSwitch shared(network, 4, 0, std::ref(log));
  shared.work(5us, 5us);
  const auto late = message(0, 1, 0), later = message(2, 1, 0), early = message(3, 1, 0);
  shared.post(*late, 1us);   // its thread has slept since
  shared.post(*later, 8us);  // these two have come to the list in the wrong order
  shared.post(*early, 7us);
  shared.work(9us, 9us);
  shared.work(100us, 100us);
  REQUIRE(log.started.size() == 3);
  CHECK(log.started[0].cookie == late.get());
  CHECK(log.started[0].posted == Time(5us));
  CHECK(log.started[1].cookie == early.get());
  CHECK(log.started[2].cookie == later.get());
}

TEST_CASE("nothing is posted before what has happened", "[runtime]") {
  Log log;
  SharedSwitch shared(network, 3, 0, std::ref(log));
  const auto first = message(0, 1, 1000), second = message(0, 2, 1000);
  shared.post(*first, 1us);
  shared.work(1us, 13us);  // its clock was read before its thread was held up
  shared.post(*second, 2us);
  shared.work(14us, 14us);
  REQUIRE(log.started.size() == 2);
  CHECK(log.started[1].start >= log.started[0].end);
}

TEST_CASE("a hurried run has all its messages arrive", "[runtime]") {
  Log log;
  SharedSwitch shared(network, 2, 0, std::ref(log));
  const Time far = SharedSwitch::hurried;
  const auto first = message(0, 1, 1'000'000'000), second = message(0, 1, 1);
  shared.post(*first, 0us);
  shared.work(1us, far);
  shared.post(*second, 2us);
  shared.work(3us, far);
  REQUIRE(log.started.size() == 2);
  CHECK(log.started[1].posted == Time(2us));
  CHECK(log.started[1].end < far);
}

// Each thread posts and works; nobody waits for anybody, and each message starts once.
TEST_CASE("many threads work one switch", "[runtime]") {
  constexpr int ranks = 8;
  constexpr std::size_t each = 1500;
  Log log;
  log.started.reserve(ranks * each);
  SharedSwitch shared(network, ranks, 0, std::ref(log));
  std::vector<std::vector<std::unique_ptr<Envelope>>> sent(ranks);
  for (int r = 0; r < ranks; ++r) {
    for (std::size_t m = 0; m < each; ++m) {
      const int to = (r + 1 + static_cast<int>(m % (ranks - 1))) % ranks;
      sent[static_cast<std::size_t>(r)].push_back(message(r, to, m % 100));
    }
  }
  {
    std::vector<std::jthread> threads;
    for (const auto& mine : sent) {
      threads.emplace_back([&] {
        Time now{0};
        for (const auto& envelope : mine) {
          now += 1us;
          shared.post(*envelope, now);
          shared.work(now, now);
        }
      });
    }
  }
  shared.work(1s, 1s);

  REQUIRE(log.started.size() == ranks * each);
  std::array<Time, ranks> sender_free{}, receiver_free{};
  std::array<std::size_t, ranks> sent_by{};
  for (const Transfer& transfer : log.started) {
    const auto from = static_cast<std::size_t>(transfer.from);
    CHECK(transfer.cookie == sent[from][sent_by[from]++].get());  // each sender is a FIFO
    CHECK(transfer.start >= transfer.posted);
    CHECK(transfer.start >= sender_free[from]);
    CHECK(transfer.start >= receiver_free[static_cast<std::size_t>(transfer.to)]);
    sender_free[from] = receiver_free[static_cast<std::size_t>(transfer.to)] = transfer.end;
  }
}

// A litmus test. Each thread lists its message, then finds the switch free or taken; who has it
// gives it back, then looks at the list. Were a processor to let either's second go before its
// first, both would take the message for the other's, and it would lie there. x86 would, too:
// stores wait while later loads go on.
TEST_CASE("where nobody works the switch no message is listed", "[runtime]") {
  constexpr int most_rounds = 20'000;
  constexpr Duration of_a_round = 1ms;  // all ports are free again
  const auto began = std::chrono::steady_clock::now();
  Log log;
  log.started.reserve(2 * most_rounds);
  SharedSwitch shared(network, 4, 0, std::ref(log));
  std::atomic<int> met{0};
  bool goes_on = true;  // written and read on either side of a meeting
  std::size_t rounds = 0, left = 0;
  const auto meet = [&](int so_many) {
    met.fetch_add(1, std::memory_order_acq_rel);
    for (int looks = 1; met.load(std::memory_order_acquire) < so_many; ++looks) {
      if (looks % 500 == 0) std::this_thread::yield();
    }
  };
  const auto check = [&](Time now) {
    if (log.started.size() != 2 * ++rounds) ++left;
    shared.work(now, now);  // a list that an envelope is still on would bite its tail
    // On busy cores each meeting may wait for one.
    goes_on = rounds < most_rounds && std::chrono::steady_clock::now() - began < 300ms;
  };
  const auto work = [&](int rank) {
    const auto envelope = message(rank, rank + 2, 100);
    for (int meetings = 0;; meetings += 6) {
      const Time now = (meetings / 6 + 1) * of_a_round;
      meet(meetings + 2);
      shared.post(*envelope, now);
      shared.work(now, now);
      meet(meetings + 4);
      if (rank == 0) check(now);
      meet(meetings + 6);
      if (!goes_on) return;
    }
  };
  {
    const std::jthread other(work, 1);
    work(0);
  }
  CHECK(left == 0);
  CHECK(log.started.size() == 2 * rounds);
}
