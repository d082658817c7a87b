#include "trainyard/runtime/trace.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "support/catch.hpp"
#include "support/runtimes.hpp"

using namespace trainyard;

namespace {

constexpr StepRange every_step{.first = 0, .last = 1'000'000};

struct Recorded {
  RuntimeReport report;
  Trace trace;
};

template <typename Program>
Recorded record(const test::Runtime& runtime, RuntimeSetup setup, const Program& program,
                std::size_t most_records = TraceRecorder::default_most_records) {
  TraceRecorder recorder(every_step, most_records);
  setup.recorder = &recorder;
  Recorded recorded;
  recorded.report = runtime.run(setup, [&](Rank& rank) {
    rank.begin();
    program(rank);
  });
  recorded.trace = recorder.take();
  return recorded;
}

/// Everyone computes, passes something on around a circle, and asks the server for something.
void circle_and_server(Rank& rank) {
  const std::array<float, 100> payload{};
  if (rank.rank() == rank.server(0)) {
    while (const auto message = rank.receive_any()) rank.send(message->from(), payload);
    return;
  }
  const int n = rank.workers();
  for (int round = 0; round < 4; ++round) {
    rank.compute({.simulated = std::chrono::milliseconds(1 + rank.rank())}, [] {});
    rank.send((rank.rank() + 1) % n, std::span(payload).first(25));
    (void)rank.receive((rank.rank() + n - 1) % n);
    rank.barrier();
    rank.send(rank.server(0), std::span(payload).first(50));
    (void)rank.receive(rank.server(0));
  }
}

const Network slow{.latency = std::chrono::microseconds(300), .bytes_per_second = 1e6};

Duration total(const std::vector<TracedSpan>& spans, Activity activity) {
  Duration sum{0};
  for (const TracedSpan& span : spans) {
    if (span.activity == activity) sum += span.until - span.from;
  }
  return sum;
}

void check_spans(const Trace& trace, const RuntimeReport& report) {
  REQUIRE(trace.spans.size() == report.accounts.size());
  CHECK(trace.from == Time{0});
  CHECK(trace.until == report.elapsed);
  for (std::size_t rank = 0; rank < trace.spans.size(); ++rank) {
    CAPTURE(rank);
    const auto& spans = trace.spans[rank];
    CHECK(total(spans, Activity::compute) == report.accounts[rank].compute);
    CHECK(total(spans, Activity::transfer) == report.accounts[rank].transfer);
    CHECK(total(spans, Activity::wait) == report.accounts[rank].wait);
    Time reached = trace.from;
    for (const TracedSpan& span : spans) {
      CHECK(span.from == reached);
      CHECK(span.until > span.from);
      reached = span.until;
    }
    CHECK(reached == trace.until);
  }
}

void check_messages(const Trace& trace, const RuntimeReport& report) {
  std::vector<RankAccount> counted(report.accounts.size());
  for (std::size_t i = 0; i < trace.messages.size(); ++i) {
    const Transfer& m = trace.messages[i];
    CHECK(m.id == i);
    CHECK(m.posted <= m.start);
    CHECK(m.start <= m.first_bit);
    CHECK(m.first_bit <= m.end);
    if (i > 0) CHECK(trace.messages[i - 1].posted <= m.posted);
    RankAccount& from = counted[static_cast<std::size_t>(m.from)];
    RankAccount& to = counted[static_cast<std::size_t>(m.to)];
    ++from.messages_sent;
    from.bytes_sent += m.bytes;
    ++to.messages_received;
    to.bytes_received += m.bytes;
  }
  for (std::size_t rank = 0; rank < counted.size(); ++rank) {
    CAPTURE(rank);
    CHECK(counted[rank].messages_sent == report.accounts[rank].messages_sent);
    CHECK(counted[rank].bytes_sent == report.accounts[rank].bytes_sent);
    CHECK(counted[rank].messages_received == report.accounts[rank].messages_received);
    CHECK(counted[rank].bytes_received == report.accounts[rank].bytes_received);
  }
}

/// No port holds two messages at once.
void check_ports(const Trace& trace) {
  std::map<std::pair<char, int>, std::vector<TimeSpan>> ports;
  for (const Transfer& m : trace.messages) {
    ports[{'s', m.from}].push_back(send_port_hold(m, trace.ports));
    ports[{'r', m.to}].push_back(receive_port_hold(m, trace.ports));
  }
  for (auto& [port, holds] : ports) {
    std::ranges::sort(holds, {}, &TimeSpan::from);
    for (std::size_t i = 1; i < holds.size(); ++i) CHECK(holds[i - 1].until <= holds[i].from);
  }
}

}  // namespace

TEST_CASE("a trace says what the accounts say, on both runtimes and any network", "[runtime]") {
  Network cut_through = slow;
  cut_through.ports = PortMode::cutthrough;
  for (const test::Runtime& runtime : test::runtimes()) {
    for (const Network& network : {Network{}, slow, cut_through}) {
      CAPTURE(runtime.name, network.perfect(), port_mode_text(network.ports));
      const auto [report, trace] =
          record(runtime, test::setup_of(3, 1, network), circle_and_server);
      CHECK(trace.workers == 3);
      CHECK(trace.servers == 1);
      CHECK_FALSE(trace.cut);
      CHECK(trace.messages.size() == 3 * 4 * 3);
      check_spans(trace, report);
      check_messages(trace, report);
      if (!network.perfect()) check_ports(trace);
    }
  }
}

TEST_CASE("the times of a message and of the one that waits behind it", "[runtime]") {
  const Network network{.latency = seconds(1.5), .bytes_per_second = 4.0};
  const std::array<float, 5> payload{};  // 20 bytes: 5 s
  const auto [report, trace] =
      record(test::runtimes()[0], test::setup_of(2, 0, network), [&](Rank& rank) {
        if (rank.rank() == 0) {
          rank.compute({.simulated = seconds(2)}, [] {});
          rank.send(1, payload);
          rank.compute({.simulated = seconds(1)}, [] {});
          rank.send(1, payload);
        } else {
          (void)rank.receive(0);
          (void)rank.receive(0);
        }
      });
  REQUIRE(trace.messages.size() == 2);
  const Transfer& second = trace.messages[1];
  CHECK(to_seconds(trace.messages[0].posted) == 2);
  CHECK(to_seconds(trace.messages[0].end) == 8.5);
  CHECK(second.from == 0);
  CHECK(second.to == 1);
  CHECK(second.bytes == 20);
  CHECK(to_seconds(second.posted) == 3);
  CHECK(to_seconds(second.start) == 8.5);
  CHECK(to_seconds(second.first_bit) == 10);
  CHECK(to_seconds(second.end) == 15);
  REQUIRE(trace.spans[1].size() == 2);  // waits until 2, then something is on the wire until 15
  CHECK(to_seconds(trace.spans[1][0].until) == 2);
  CHECK(trace.spans[1][1].activity == Activity::transfer);
}

TEST_CASE("a message that nobody waits for is in the trace all the same", "[runtime]") {
  const std::array<float, 250> payload{};  // 1 ms
  for (const test::Runtime& runtime : test::runtimes()) {
    CAPTURE(runtime.name);
    const auto [report, trace] = record(runtime, test::setup_of(2, 0, slow), [&](Rank& rank) {
      if (rank.rank() == 0) rank.send(1, payload);
    });
    REQUIRE(trace.messages.size() == 1);
    CHECK(trace.messages[0].end - trace.messages[0].start == std::chrono::microseconds(1300));
    // Threads may take longer to end than the message does to arrive.
    if (runtime.name == std::string("virtual")) CHECK(trace.messages[0].end > trace.until);
  }
}

TEST_CASE("a full trace closes its window and says so", "[runtime]") {
  for (const test::Runtime& runtime : test::runtimes()) {
    CAPTURE(runtime.name);
    const std::array<float, 25> payload{};
    const auto [report, trace] = record(
        runtime, test::setup_of(2, 0, slow),
        [&](Rank& rank) {
          for (int i = 0; i < 100; ++i) {
            rank.send(1 - rank.rank(), payload);
            (void)rank.receive(1 - rank.rank());
          }
        },
        64);
    CHECK(trace.cut);
    CHECK(trace.until < report.elapsed);
    CHECK(trace.messages.size() <= 64);
    CHECK(trace.messages.size() >= 8);
    for (const auto& spans : trace.spans) {
      REQUIRE_FALSE(spans.empty());
      CHECK(spans.back().until == trace.until);
    }
  }
}

TEST_CASE("the window is open for the steps that were asked for", "[runtime]") {
  TraceRecorder recorder({.first = 1, .last = 3});
  recorder.begin(2, 0, PortMode::circuit);
  const auto at = [](double value) { return seconds(value); };
  const auto message = [&](int from, double posted) {
    recorder.message({.from = from,
                      .to = 1 - from,
                      .posted = at(posted),
                      .start = at(posted),
                      .first_bit = at(posted),
                      .end = at(posted + 1)});
  };
  // Both workers begin a step every 10 s, the second worker a second after the first.
  for (int step = 0; step < 6; ++step) {
    recorder.step_begins(at(10.0 * step));
    message(0, 10.0 * step + 0.5);
    recorder.step_begins(at(10.0 * step + 1));
    recorder.blocked(0, at(10.0 * step + 4), at(10.0 * step + 9), at(10.0 * step + 5),
                     at(10.0 * step + 8));
    message(1, 10.0 * step + 9);
  }
  recorder.finish({at(60), at(60)});
  const Trace trace = recorder.take();
  CHECK(trace.from == at(10));
  CHECK(trace.until == at(31));  // the second worker begins step 3
  REQUIRE(trace.messages.size() == 5);
  CHECK(trace.messages.front().posted == at(10.5));
  CHECK(trace.messages.back().posted == at(30.5));
  CHECK(total(trace.spans[0], Activity::transfer) == at(6));
  CHECK(total(trace.spans[0], Activity::wait) == at(4));
  CHECK(total(trace.spans[0], Activity::compute) == at(11));
  CHECK_FALSE(trace.cut);
}
