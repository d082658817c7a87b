// Timelines as GOAL schedules, against LogGOPSim's rule, written anew here.
#include "trainyard/report/goal_text.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>
#include <sstream>
#include <string>
#include <vector>

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

/// A line of a schedule, and what of it is over.
struct Line {
  char kind = 'c';  // calc, send, recv
  double nanoseconds = 0.0;
  double bytes = 0.0;
  int peer = 0;
  std::uint64_t tag = 0;
  std::vector<std::size_t> after, beside;  // requires, irequires
  double begun = -1.0, ended = -1.0;       // ns
};

using Schedule = std::vector<std::vector<Line>>;  // by rank

Line line_of(std::istringstream& words) {
  Line line;
  std::string kind, bytes, between;
  words >> kind;
  line.kind = kind[0];
  if (kind == "calc") {
    words >> line.nanoseconds;
  } else {
    words >> bytes >> between >> line.peer >> between >> line.tag;
    line.bytes = std::stod(bytes);
  }
  REQUIRE(words);
  return line;
}

Schedule parsed(const std::string& text) {
  Schedule schedule;
  std::istringstream lines(text);
  for (std::string one; std::getline(lines, one);) {
    std::istringstream words(one);
    std::string first, second;
    words >> first;
    if (first == "num_ranks" || first == "}" || first.empty()) continue;
    if (first == "rank") {
      schedule.emplace_back();
    } else if (first.ends_with(":")) {
      CHECK(first == "l" + std::to_string(schedule.back().size()) + ":");
      schedule.back().push_back(line_of(words));
    } else {
      std::string how;
      words >> how >> second;
      Line& line = schedule.back()[std::stoul(first.substr(1))];
      (how == "requires" ? line.after : line.beside).push_back(std::stoul(second.substr(1)));
    }
  }
  return schedule;
}

/// LogGOPSim with o = g = O = 0 and no rendezvous: a send holds its sender's NIC for (s − 1)G, its
/// first byte is there L later, and the receiver's NIC has it for (s − 1)G, once it is free.
/// Whatever may begin does so in the order of time. Returns when the last line has ended, in ns.
double simulated(Schedule& schedule, double latency, double a_byte) {
  std::vector<double> sends(schedule.size(), 0.0), receives(schedule.size(), 0.0);
  std::map<std::pair<int, std::uint64_t>, double> first_bytes;  // of a receiver's tag
  double end = 0.0;
  for (;;) {
    // The line that may begin first.
    Line* next = nullptr;
    int rank = 0;
    double at = INFINITY;
    for (std::size_t r = 0; r < schedule.size(); ++r) {
      for (Line& line : schedule[r]) {
        if (line.begun >= 0.0) continue;
        double ready = 0.0;
        for (const std::size_t i : line.after) {
          ready = std::max(ready, schedule[r][i].ended < 0.0 ? INFINITY : schedule[r][i].ended);
        }
        for (const std::size_t i : line.beside) {
          ready = std::max(ready, schedule[r][i].begun < 0.0 ? INFINITY : schedule[r][i].begun);
        }
        if (line.kind == 's') ready = std::max(ready, sends[r]);
        if (line.kind == 'r') {
          const auto first = first_bytes.find({static_cast<int>(r), line.tag});
          ready = first == first_bytes.end() ? INFINITY : std::max(first->second, receives[r]);
        }
        if (ready < at) next = &line, rank = static_cast<int>(r), at = ready;
      }
    }
    if (next == nullptr) return end;
    const auto r = static_cast<std::size_t>(rank);
    const double held = std::max(0.0, next->bytes - 1.0) * a_byte;
    next->begun = at;
    next->ended = next->kind == 'c' ? at + next->nanoseconds : next->kind == 's' ? at : at + held;
    if (next->kind == 's') {
      sends[r] = at + held;
      first_bytes[{next->peer, next->tag}] = at + latency;
    }
    if (next->kind == 'r') receives[r] = at + held;
    end = std::max(end, next->ended);
  }
}

Timeline cut_through(const std::string& what, const std::string& workers) {
  return make_timeline(what, {{"workers", workers}, {"ports", "cutthrough"}});
}

}  // namespace

/// It may be off by a byte for each message on the longest way, and by roundings to nanoseconds.
TEST_CASE("a GOAL schedule takes by LogGOPSim's rule what the run took", "[report]") {
  for (const char* what : {"ring", "ps-sync", "gossip:one-peer-exp", "gossip:ring", "ddp"}) {
    const Timeline timeline = cut_through(what, "16");
    const double a_byte = 1e9 / timeline.bytes_per_second;
    Schedule schedule = parsed(goal_text(timeline));
    CAPTURE(what, timeline.trace.messages.size());
    REQUIRE(schedule.size() == timeline.names.size());
    const double took = simulated(schedule, 1e9 * to_seconds(timeline.latency), a_byte);
    const double slack = static_cast<double>(timeline.trace.messages.size()) * (a_byte + 1.0);
    CHECK(std::abs(took - 1e9 * to_seconds(timeline.makespan())) < slack);
    CHECK(slack < 0.05 * took);
    // And each message arrives when it did.
    for (std::size_t r = 0; r < schedule.size(); ++r) {
      for (const Line& line : schedule[r]) {
        if (line.kind != 'r') continue;
        const Transfer& message = timeline.trace.messages[line.tag];
        CHECK(message.to == static_cast<int>(r));
        CHECK(std::abs(line.ended - 1e9 * to_seconds(message.end - timeline.trace.from)) < slack);
      }
    }
  }
}

/// Times of timelines are whole nanoseconds here, 50 ns a byte, but for what layers take.
TEST_CASE("a GOAL schedule that is replayed takes what the run took", "[report]") {
  const OptionText latency{"latency", "300us"};
  for (const char* ports : {"circuit", "cutthrough"}) {
    // The last three have messages without bytes, which are free and have no place in a schedule.
    for (const char* what : {"ring", "ps-sync", "gossip:one-peer-exp", "gossip:ring", "ddp",
                             "power-sgd", "sandblaster", "decoupled-diloco"}) {
      CAPTURE(ports, what);
      const Timeline run = make_timeline(what, {{"workers", "16"}, {"ports", ports}, latency});
      const TemporaryFolder folder;
      const auto file = folder.write("run.goal", goal_text(run));
      const Timeline again = make_timeline(file.string(), {{"ports", ports}, latency});
      CHECK(again.names.size() == run.names.size());
      const Duration rounding = std::chrono::nanoseconds(std::string(what) == "ddp" ? 20 : 0);
      const auto is_near = [&](Time a, Time b) { return a - b <= rounding && b - a <= rounding; };
      CHECK(is_near(again.makespan(), run.makespan()));
      std::vector<Transfer> messages = run.trace.messages;
      std::erase_if(messages,
                    [](const Transfer& one) { return one.bytes == 0 && one.end == one.start; });
      REQUIRE(again.trace.messages.size() == messages.size());
      std::size_t as_before = 0;
      for (const Transfer& was : messages) {
        as_before += std::ranges::any_of(again.trace.messages, [&](const Transfer& is) {
          return is.from == was.from && is.to == was.to && is.bytes == was.bytes &&
                 is_near(is.posted, was.posted) && is_near(is.end, was.end);
        });
      }
      CHECK(as_before == messages.size());
      REQUIRE(again.rank_times.size() == run.names.size());
      CHECK(again.rank_times.front().computed >= std::chrono::milliseconds(3));
    }
  }
}

TEST_CASE("a GOAL schedule has every message twice and its computing once", "[report]") {
  const Timeline timeline = cut_through("d-psgd:ring", "4");
  Schedule schedule = parsed(goal_text(timeline));
  std::size_t sends = 0, receives = 0, in_order = 0;
  for (const auto& rank : schedule) {
    double computed = 0.0;
    for (const Line& line : rank) {
      sends += line.kind == 's' ? 1 : 0;
      receives += line.kind == 'r' ? 1 : 0;
      in_order += line.beside.size();
      computed += line.nanoseconds;
      for (const std::size_t i : line.after) CHECK(i < rank.size());
    }
    CHECK(computed >= 3e6);  // 3 ms a minibatch
  }
  CHECK(sends == timeline.trace.messages.size());
  CHECK(receives == sends);
  CHECK(in_order == sends - schedule.size());  // each behind the rank's last one
}

/// M1 → M2 at 5 s, M2 → M1 and M3 → M1 at 6: what nobody computes for is waited for.
TEST_CASE("a schedule is refused where messages take no time", "[report]") {
  const Timeline colocated =
      make_timeline("ps-async", {{"server-placement", "colocated"}, {"straggler", "2:2"}});
  CHECK_THROWS_WITH(goal_text(colocated), ContainsSubstring("takes no time here"));
  const Timeline perfect = make_timeline("ring", {{"latency", "0s"}, {"bandwidth", "infinite"}});
  CHECK_THROWS_WITH(goal_text(perfect), ContainsSubstring("takes no time here"));
  const Timeline lossy = make_timeline("gossip", {{"fault", "loss:0.5"}, {"retransmit", "never"}});
  CHECK_THROWS_WITH(goal_text(lossy), ContainsSubstring("is lost for good"));
}

TEST_CASE("a list of messages waits for its moments", "[report]") {
  const Timeline timeline = make_timeline("example-1.1", {});
  const std::string text = goal_text(timeline);
  CHECK_THAT(text, ContainsSubstring("num_ranks 3\n"));
  CHECK_THAT(text, ContainsSubstring("rank 0 {\n"
                                     "l0: recv 1000000b from 1 tag 1\n"
                                     "l1: recv 1000000b from 2 tag 2\n"
                                     "l2: send 1000000b to 1 tag 0\n"
                                     "}\n"));
  CHECK_THAT(text, ContainsSubstring("rank 2 {\n"
                                     "l0: calc 1000000000\n"
                                     "l1: send 1000000b to 0 tag 2\n"
                                     "l1 requires l0\n"
                                     "}\n"));
}

}  // namespace trainyard
