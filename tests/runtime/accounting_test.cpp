#include "runtime/accounting.hpp"

#include <array>

#include "support/catch.hpp"
#include "support/runtimes.hpp"

using namespace trainyard;
using test::setup_of;

TEST_CASE("in virtual, compute + transfer + wait is the run's time for every rank, exactly",
          "[runtime]") {
  const Network network{.latency = seconds(1), .bytes_per_second = 4.0};
  const std::array<float, 2> payload{};  // 8 bytes: 2 s on the wire, 3 s with the latency
  const RuntimeReport report = run_virtual(setup_of(2, 0, network), [&](Rank& rank) {
    rank.begin();
    if (rank.rank() == 0) {
      rank.compute({.simulated = seconds(5)}, [] {});
      rank.send(1, payload);
    } else {
      rank.compute({.simulated = seconds(1)}, [] {});
      (void)rank.receive(0);  // blocked from 1 to 8: 4 s until it starts, 3 s on the wire
      rank.compute({.simulated = seconds(2)}, [] {});
    }
  });
  CHECK(to_seconds(report.elapsed) == 10);
  const RankAccount& sender = report.accounts[0];
  CHECK(to_seconds(sender.compute) == 5);
  CHECK(to_seconds(sender.wait) == 5);  // until the other has ended
  CHECK(sender.messages_sent == 1);
  CHECK(sender.bytes_sent == 8);
  const RankAccount& receiver = report.accounts[1];
  CHECK(to_seconds(receiver.compute) == 3);
  CHECK(to_seconds(receiver.transfer) == 3);
  CHECK(to_seconds(receiver.wait) == 4);
}

TEST_CASE("in wall the three add up too, and injected delay is honoured, never early",
          "[runtime]") {
  const Network network{.latency = seconds(0.01), .bytes_per_second = 1e6};
  const std::array<float, 250> payload{};  // 1000 bytes: 1 ms on the wire
  Time received{0};
  const RuntimeReport report = run_wall(setup_of(2, 0, network), [&](Rank& rank) {
    rank.begin();
    if (rank.rank() == 0) {
      for (int i = 0; i < 5; ++i) rank.send(1, payload);
    } else {
      for (int i = 0; i < 5; ++i) (void)rank.receive(0);
      received = rank.now();
    }
  });
  CHECK(received >= seconds(0.055));
  for (const RankAccount& account : report.accounts) {
    CHECK(account.compute + account.transfer + account.wait == report.elapsed);
    CHECK(account.compute >= Duration{0});
  }
  // How much of it depends on when the thread came to wait; that it waited for the wire does not.
  CHECK(report.accounts[1].transfer > Duration{0});
  CHECK(report.accounts[1].transfer <= report.elapsed);
}

TEST_CASE("a blocked time is split at the moment the message starts", "[runtime]") {
  RankAccount account;
  const auto s = [](double value) { return seconds(value); };
  charge_blocked(account, s(0), s(10), s(4), s(10));
  CHECK(to_seconds(account.wait) == 4);
  CHECK(to_seconds(account.transfer) == 6);
  charge_blocked(account, s(8), s(10), s(4), s(10));  // it had started before
  CHECK(to_seconds(account.transfer) == 8);
  charge_blocked(account, s(20), s(20), s(4), s(10));  // it had arrived before
  CHECK(to_seconds(account.wait) == 4);
  charge_blocked(account, s(0), s(3), Time::max(), Time::max());  // perfect network: no wire
  CHECK(to_seconds(account.wait) == 7);
}

TEST_CASE("in wall a straggler's computation takes its factor longer than it took", "[runtime]") {
  Duration work{0};
  Duration whole{0};
  run_wall(setup_of(1), [&](Rank& rank) {
    rank.begin();
    const Time began = rank.now();
    rank.compute({.slowdown = 5.0}, [&] {
      const Time working = rank.now();
      while (work < seconds(0.002)) work = rank.now() - working;
    });
    whole = rank.now() - began;
  });
  CHECK(work >= seconds(0.002));
  CHECK(whole >= 5 * work);
}
