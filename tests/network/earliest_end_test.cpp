#include <algorithm>
#include <chrono>
#include <vector>

#include "trainyard/base/random.hpp"
#include "trainyard/network/switch.hpp"

#include "support/catch.hpp"

using namespace trainyard;

namespace {

constexpr Duration latency = std::chrono::microseconds(10);

/// A message that waits, the bounds that were told of it, and when it arrived.
struct Waiting {
  Switch::Ticket ticket;
  bool started = false;
  Time latest_bound{0};
  Time end{0};
};

}  // namespace

TEST_CASE("a sender's queue to idle receivers arrives at its earliest ends", "[network]") {
  for (const PortMode ports : {PortMode::circuit, PortMode::cutthrough}) {
    Switch sw({.latency = latency, .bytes_per_second = 1e6, .ports = ports}, 5);
    std::vector<Time> bounds(12), ends(12);
    for (int m = 0; m < 12; ++m) {
      const auto bytes = static_cast<std::uint64_t>(1 + m % 3);
      const Switch::Ticket ticket = sw.post(0, 1 + m % 4, bytes, Time{0});
      bounds[static_cast<std::size_t>(m)] = sw.earliest_end(ticket);
    }
    sw.advance(Time::max() - Time{1}, [&](const Transfer& t) { ends[t.id] = t.end; });
    CHECK(ends == bounds);
  }
}

TEST_CASE("what a receiver has taken on comes first", "[network]") {
  Switch sw({.latency = latency, .bytes_per_second = 1e6}, 3);
  std::vector<Time> ends(2);
  const auto started = [&](const Transfer& t) { ends[t.id] = t.end; };
  sw.post(1, 0, 1000, Time{0});
  sw.advance(Time{0}, started);
  const Switch::Ticket second = sw.post(2, 0, 1, Time{1});
  const Time bound = sw.earliest_end(second);
  sw.advance(Time::max() - Time{1}, started);
  CHECK(bound == ends[1]);
  CHECK(bound > ends[0]);
}

TEST_CASE("no message arrives before its earliest end", "[network]") {
  const std::uint64_t seed = GENERATE(1, 2, 3, 4, 5, 6);
  INFO("seed " << seed);
  RandomStream random(seed, Purpose::network);
  const PortMode ports = seed % 2 == 0 ? PortMode::circuit : PortMode::cutthrough;
  const int ranks = 5;
  Switch sw({.latency = latency,
             .bytes_per_second = 1e6,
             .ports = ports,
             .jitter = parse_jitter("exponential:20us", "jitter")},
            ranks);
  std::vector<Waiting> messages;
  const auto look = [&] {
    for (Waiting& message : messages) {
      if (message.started) continue;
      message.latest_bound = std::max(message.latest_bound, sw.earliest_end(message.ticket));
    }
  };
  const auto started = [&](const Transfer& t) {
    messages[t.id].started = true;
    messages[t.id].end = t.end;
  };
  Time now{0};
  for (int m = 0; m < 400; ++m) {
    now += std::chrono::microseconds(random.below(30));
    sw.advance(now, started);
    const auto from = static_cast<int>(random.below(ranks));
    const auto to =
        static_cast<int>((static_cast<std::uint64_t>(from) + 1 + random.below(ranks - 1)) % ranks);
    messages.push_back({.ticket = sw.post(from, to, random.below(50), now)});
    look();
  }
  while (sw.next_event() < Time::max()) {
    sw.advance(sw.next_event(), started);
    look();
  }
  for (const Waiting& message : messages) {
    REQUIRE(message.started);
    CHECK(message.latest_bound <= message.end);
  }
  const auto waited = std::ranges::count_if(
      messages, [](const Waiting& message) { return message.latest_bound == message.end; });
  CHECK(waited > 200);  // nor are the bounds far too low
}
