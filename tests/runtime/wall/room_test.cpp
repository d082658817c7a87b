// Messages that nobody takes in, of ranks that wait for room, and of ranks that wait for something
// else.
#include <atomic>
#include <chrono>
#include <span>
#include <thread>
#include <vector>

#include "trainyard/runtime/rank.hpp"

#include "support/catch.hpp"
#include "support/runtimes.hpp"

using namespace trainyard;
using namespace std::chrono_literals;

namespace {

/// A hang ends the test at once.
RuntimeSetup narrow(int workers, int servers, const Network& network, bool cores_are_shared) {
  RuntimeSetup setup = test::setup_of(workers, servers, network);
  setup.cores_are_shared = cores_are_shared;
  setup.channel_capacity = 2;
  setup.hang_patience = 300ms;
  return setup;
}

const std::vector<Network>& networks() {
  static const std::vector<Network> all{{}, {.latency = 20us}, {.latency = 1ms}};
  return all;
}

void send_in_a_row(Rank& rank, int to, int messages) {
  for (int i = 0; i < messages; ++i) {
    const auto value = static_cast<float>(i);
    rank.send(to, std::span(&value, 1));
  }
}

/// How many of those from there are not what was sent in that place.
int out_of_order(Rank& rank, int from, int messages) {
  int wrong = 0;
  for (int i = 0; i < messages; ++i) {
    const Message message = rank.receive(from);
    wrong += static_cast<int>(message.floats()[0] != static_cast<float>(i));
  }
  return wrong;
}

}  // namespace

TEST_CASE("ranks that all send before they receive do not wait for each other's room",
          "[runtime]") {
  constexpr int ranks = 3, messages = 20;
  for (const Network& network : networks()) {
    for (const bool cores_are_shared : {true, false}) {
      CAPTURE(to_seconds(network.latency), cores_are_shared);
      std::vector<int> wrong(ranks, -1);
      const RuntimeReport report =
          run_wall(narrow(ranks, 0, network, cores_are_shared), [&](Rank& rank) {
            rank.begin();
            int& own = wrong[static_cast<std::size_t>(rank.rank())] = 0;
            for (int step = 1; step < ranks; ++step) {
              send_in_a_row(rank, (rank.rank() + step) % ranks, messages);
            }
            for (int step = 1; step < ranks; ++step) {
              own += out_of_order(rank, (rank.rank() + step) % ranks, messages);
            }
          });
      CHECK(wrong == std::vector<int>(ranks, 0));
      for (const RankAccount& account : report.accounts) {
        CHECK(account.messages_received == account.messages_sent);
        CHECK(account.compute + account.transfer + account.wait == report.elapsed);
      }
    }
  }
}

TEST_CASE("who waits for another or at a barrier, or has ended, holds up nobody who sends to it",
          "[runtime]") {
  constexpr int messages = 20;
  for (const Network& network : networks()) {
    for (const bool cores_are_shared : {true, false}) {
      CAPTURE(to_seconds(network.latency), cores_are_shared);
      std::vector<int> wrong(4, 0);
      run_wall(narrow(4, 1, network, cores_are_shared), [&](Rank& rank) {
        rank.begin();
        if (rank.rank() == 4) return;
        if (rank.rank() == 0) {
          for (const int to : {1, 3, 4}) send_in_a_row(rank, to, messages);
          rank.send_control(2, 0);
        }
        if (rank.rank() == 2) {
          rank.receive(0);
          rank.send_control(1, 0);
        }
        int& own = wrong[static_cast<std::size_t>(rank.rank())];
        if (rank.rank() == 1) {
          rank.receive(2);
          own = out_of_order(rank, 0, messages);
        }
        rank.barrier();
        if (rank.rank() == 3) own = out_of_order(rank, 0, messages);
      });
      CHECK(wrong == std::vector<int>(4, 0));
    }
  }
}

TEST_CASE("a sender is as many messages ahead of the network as a channel holds, and no more",
          "[runtime]") {
  constexpr std::size_t messages = 12;
  const RuntimeSetup setup = narrow(2, 0, {.latency = 1ms}, true);
  // The network's arrivals by the sender's own clock: when the receiver wakes is the machine's
  // affair.
  std::vector<Time> began(messages), sent(messages);
  run_wall(setup, [&](Rank& rank) {
    rank.begin();
    for (std::size_t i = 0; i < messages; ++i) {
      if (rank.rank() == 1) {
        (void)rank.receive(0);
        continue;
      }
      began[i] = rank.now();
      const float value = 0.0F;
      rank.send(1, std::span(&value, 1));
      sent[i] = rank.now();
    }
  });
  for (std::size_t i = setup.channel_capacity; i < messages; ++i) {
    CAPTURE(i);
    CHECK(sent[i] >= began[i - setup.channel_capacity] + setup.network.latency);
  }
}

TEST_CASE("an interrupted run that does not end by itself is given up", "[runtime]") {
  const std::atomic<bool> interrupted{true};
  for (const bool cores_are_shared : {true, false}) {
    CAPTURE(cores_are_shared);
    RuntimeSetup setup = test::setup_of(3);
    setup.cores_are_shared = cores_are_shared;
    setup.interrupted = &interrupted;
    setup.interrupt_patience = 20ms;
    std::atomic<bool> ended{false};
    const RuntimeReport report = run_wall(setup, [&](Rank& rank) {
      rank.begin();
      if (rank.rank() == 0) {  // steps that others have begun, far ahead
        const Time watchdog = rank.now() + 30s;
        while (rank.now() < watchdog) {
          rank.compute({}, [] { std::this_thread::sleep_for(1ms); });
          rank.stand_still([] {});  // as steps are looked at
        }
        ended = true;
      } else {
        (void)rank.receive(3 - rank.rank());  // who wait for each other
        ended = true;
      }
    });
    CHECK(report.given_up);
    CHECK_FALSE(ended);
    for (const RankAccount& account : report.accounts) {
      CHECK(account.compute + account.transfer + account.wait == report.elapsed);
    }
  }
}

TEST_CASE("an interrupted run is not given up while a rank is at one computation",
          "[runtime][slow]") {
  const std::atomic<bool> interrupted{true};
  RuntimeSetup setup = test::setup_of(2);
  setup.interrupted = &interrupted;
  setup.interrupt_patience = 1s;
  const RuntimeReport report = run_wall(setup, [](Rank& rank) {
    rank.begin();
    if (rank.rank() == 0) rank.compute({}, [] { std::this_thread::sleep_for(2500ms); });
    rank.barrier();
  });
  CHECK_FALSE(report.given_up);
}

TEST_CASE("an interrupted straggler stands still no longer, whether it serves others or not",
          "[runtime]") {
  const std::atomic<bool> interrupted{true};
  for (const bool serves : {false, true}) {
    CAPTURE(serves);
    RuntimeSetup setup = test::setup_of(2);
    setup.interrupted = &interrupted;
    const RuntimeReport report = run_wall(setup, [&](Rank& rank) {
      rank.begin();
      if (serves) {
        (void)rank.compute_serving(
            {.pause = 60s}, [] {}, [](Message&) { return true; });
      } else {
        rank.compute({.pause = 60s}, [] {});
      }
      rank.barrier();
    });
    CHECK(report.elapsed < 30s);
  }
}
