// Faults on purpose: how they are typed, and what messages suffer by them.
#include "trainyard/network/faults.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "trainyard/network/links.hpp"
#include "trainyard/network/switch.hpp"

#include "support/catch.hpp"

using namespace trainyard;
using namespace std::chrono_literals;

namespace {

constexpr Duration alpha = 1ms, transfer = 4ms, timeout = 50ms;
constexpr std::uint64_t bytes = 4000;

Network with(const std::string& text, const std::string& retransmission = "50ms") {
  Network network{.latency = alpha, .bytes_per_second = 1e6};
  parse_faults(text, "--fault", network.faults);
  network.faults.retransmission = parse_retransmission(retransmission, "--retransmit");
  return network;
}

Duration whole(const Passage& passage) {
  return passage.latency + passage.transfer;
}

/// How much longer each of so many messages of a link takes than without faults.
std::vector<Duration> delays(const Network& network, int messages, int from = 0, int to = 1) {
  Links links(network, 16, 0);
  std::vector<Duration> late;
  for (int i = 0; i < messages; ++i) {
    late.push_back(whole(links.passage_of_next(from, to, bytes, 1s)) - alpha - transfer);
  }
  return late;
}

/// Whether each try in turn was lost.
std::vector<int> tries(const std::vector<Duration>& late) {
  std::vector<int> lost;
  for (const Duration delay : late) {
    lost.insert(lost.end(), static_cast<std::size_t>(delay / timeout), 1);
    lost.push_back(0);
  }
  return lost;
}

double mean(const std::vector<Duration>& durations) {
  double sum = 0.0;
  for (const Duration duration : durations) sum += to_seconds(duration);
  return sum / static_cast<double>(durations.size());
}

}  // namespace

TEST_CASE("faults are read and written", "[network][faults]") {
  for (const char* text :
       {"none", "loss:0.01", "loss:0.5@1s-2s", "loss:gilbert:0.05,0.25,0.8,0.01", "stall:3@2s-5s",
        "slow-link:0:10", "slow-link:0,3:2.5@1ms-1s", "partition:0-3|4-7@1s-2s",
        "partition:0,2|1,3-4|7@1s-2s",
        "loss:0.01+loss:0.1@3s-4s+slow-link:1:4+stall:0@0s-1s+stall:0@3s-1min"}) {
    Faults faults;
    parse_faults(text, "--fault", faults);
    Faults again;
    parse_faults(faults_text(faults), "--fault", again);
    CHECK(faults_text(again) == faults_text(faults));
    CHECK(faults.any() == (std::string(text) != "none"));
  }
  Faults faults;
  parse_faults("loss:1e-3@1e-3s-1e+1s+slow-link:2,7:1e+1", "--fault", faults);
  CHECK(faults.losses.at(0).in_good == 1e-3);
  CHECK(faults.losses[0].when == FaultTime{1ms, 10s});
  CHECK(faults.slow_links.at(0).factor == 10.0);
  CHECK(faults.ranks() == 8);
  for (const char* text : {"200ms", "1s:double", "never"}) {
    CHECK(retransmission_text(parse_retransmission(text, "--retransmit")) == text);
  }
}

TEST_CASE("faults that make no sense are refused by name", "[network][faults]") {
  struct Row {
    const char *text, *complaint;
  };
  for (const auto& [text, complaint] : {
           Row{"", "is empty"},
           Row{"los:0.1", "is none of loss:P"},
           Row{"loss:1", "not a probability from 0 to 0.95"},
           Row{"loss:-0.1", "not a probability"},
           Row{"loss:nan", "nan"},
           Row{"loss:gilbert:0.1,0.2,0.3", "is not gilbert:p,r,h,k"},
           Row{"loss:gilbert:0.1,0,1,0", "would stay so for good"},
           Row{"loss:gilbert:0,0,0.1,0.1", "would stay so for good"},
           Row{"loss:0.1@2s", "is not FROM-TO"},
           Row{"none+loss:0.1", "either is accepted"},
           Row{"loss:0.1@2s-1s", "ends before it begins"},
           Row{"slow-link:0", "is not RANK:FACTOR"},
           Row{"slow-link:0,0:2", "names one rank twice"},
           Row{"slow-link:0:0.5", "not a factor from 1"},
           Row{"slow-link:-1:2", "-1"},
           Row{"stall:1", "does not say when"},
           Row{"partition:0|1", "does not say when"},
           Row{"crash:worker-mtbf=1ns,repair=1s", "the least time between failures"},
           Row{"crash@1s", "'crash@1s' lacks what stands behind its colon, like crash:3@2s"},
           Row{"loss", "like loss:0.01"},
           Row{"stall:@1s-2s", "like stall:3@2s-5s"},
           Row{"slow-link", "like slow-link:3:10"},
           Row{"partition@1s-2s", "like partition:0-3|4-7@2s-5s"},
           Row{"crash:3", "is neither RANK@FROM-TO"},
           Row{"crash:worker-mtbf=1s", "is neither RANK@FROM-TO"},
           Row{"partition:0-3@1s-2s", "are not two sides"},
           Row{"partition:0-3|@1s-2s", "--fault"},
           Row{"partition:0||@1s-2s", "--fault"},
           Row{"partition:0,|1@1s-2s", "--fault"},
           Row{"partition:0-|1@1s-2s", "--fault"},
           Row{"partition:0-1-2|3@1s-2s", "is not a range"},
           Row{"slow-link:0,:2", "--fault"},
           Row{"slow-link:0,1,2:2", "is not RANK:FACTOR"},
           Row{"partition:0-3|3@1s-2s", "rank 3 is named twice"},
           Row{"partition:3-1|4@1s-2s", "is not a range"},
           Row{"stall:1@1s-1s", "ends before it begins"},
           Row{"loss:0.1+", "is none of loss:P"},
       }) {
    CAPTURE(text);
    Faults faults;
    CHECK_THROWS_WITH(parse_faults(text, "--fault", faults),
                      ContainsSubstring("--fault") && ContainsSubstring(complaint));
  }
  for (const char* text : {"1s:twice", "1s:", "1s:double:double", "never:double"}) {
    CHECK_THROWS_WITH(parse_retransmission(text, "--retransmit"),
                      ContainsSubstring("DURATION:double"));
  }
  CHECK_THROWS_WITH(parse_retransmission("Never", "--retransmit"), ContainsSubstring("; or never"));
  CHECK_THROWS_WITH(parse_retransmission("0s", "--retransmit"), ContainsSubstring("longer than 0"));
}

TEST_CASE("a message waits T P/(1 - P) for its losses on average", "[network][faults]") {
  constexpr int messages = 100000;
  for (const double p : {0.01, 0.1, 0.5, 0.9}) {
    CAPTURE(p);
    const std::vector<Duration> late = delays(with(fmt::format("loss:{}", p)), messages);
    // Lost tries are geometric, with variance p/(1 − p)².
    const double expected = to_seconds(timeout) * p / (1 - p);
    const double error = to_seconds(timeout) * std::sqrt(p / messages) / (1 - p);
    CHECK(std::abs(mean(late) - expected) < 4 * error);
  }
}

TEST_CASE("where time-outs double it is T P/(1 - 2P)", "[network][faults]") {
  constexpr int messages = 200000;
  for (const double p : {0.05, 0.2}) {
    CAPTURE(p);
    const auto late = delays(with(fmt::format("loss:{}", p), "50ms:double"), messages);
    const double expected = p / (1 - 2 * p);
    // Of 2^K − 1, K geometric; finite for p < ¼.
    const double square = (1 - p) * (1 / (1 - 4 * p) - 2 / (1 - 2 * p) + 1 / (1 - p));
    const double error = std::sqrt((square - expected * expected) / messages);
    CHECK(std::abs(mean(late) / to_seconds(timeout) - expected) < 4 * error);
  }
}

TEST_CASE("the slowest of eight messages takes 1.656 tries where a tenth is lost",
          "[network][faults]") {
  constexpr int rounds = 40000;
  const Network network = with("loss:0.1");
  std::vector<std::vector<Duration>> links;
  for (int to = 1; to <= 8; ++to) links.push_back(delays(network, rounds, 0, to));
  double sum = 0.0;
  for (std::size_t i = 0; i < rounds; ++i) {
    Duration slowest{0};
    for (const auto& late : links) slowest = std::max(slowest, late[i]);
    sum += 1.0 + static_cast<double>(slowest / timeout);
  }
  // Σ over q of 1 − (1 − p^q)^8.
  double expected = 0.0;
  for (int q = 0; q < 30; ++q) expected += 1.0 - std::pow(1.0 - std::pow(0.1, q), 8);
  CHECK(std::abs(expected - 1.656) < 5e-4);
  CHECK(std::abs(sum / rounds - expected) < 0.015);  // 4 standard errors
}

TEST_CASE("Gilbert and Elliott's chain loses its share, in runs", "[network][faults]") {
  constexpr int messages = 400000;
  const auto share_of = [](const std::vector<int>& lost) {
    return static_cast<double>(std::ranges::count(lost, 1)) / static_cast<double>(lost.size());
  };
  // p = .05, r = .25, h = .8, k = .01: (ph + rk)/(p + r) = .14167.
  CHECK(std::abs(share_of(tries(delays(with("loss:gilbert:0.05,0.25,0.8,0.01"), messages))) -
                 0.14167) < 0.004);
  // What is lost in the bad state alone, and always there, shows the chain itself.
  const std::vector<int> bad = tries(delays(with("loss:gilbert:0.05,0.25,1,0"), messages));
  CHECK(std::abs(share_of(bad) - 1.0 / 6.0) < 0.005);
  double runs = 0.0, together = 0.0;
  for (std::size_t i = 1; i < bad.size(); ++i) {
    runs += bad[i] == 1 && bad[i - 1] == 0 ? 1.0 : 0.0;
    together += bad[i] == 1 && bad[i - 1] == 1 ? 1.0 : 0.0;
  }
  const double share = share_of(bad), all = static_cast<double>(bad.size());
  CHECK(std::abs(share * all / runs - 4.0) < 0.1);
  CHECK(std::abs((together / all - share * share) / (share - share * share) - 0.7) < 0.01);
}

TEST_CASE("what is lost on a link is that link's and the seed's, whatever others carry",
          "[network][faults]") {
  Network network = with("loss:0.3");
  Links links(network, 3, 0);
  std::vector<Duration> alone = delays(network, 50, 1, 2), beside;
  for (int i = 0; i < 50; ++i) {
    (void)links.passage_of_next(0, 1, 7, 1s);
    beside.push_back(whole(links.passage_of_next(1, 2, bytes, 1s)) - alpha - transfer);
  }
  CHECK(alone == beside);
  network.seed = 2;
  CHECK(delays(network, 50, 1, 2) != alone);
  CHECK(delays(network, 50, 2, 1) != delays(network, 50, 1, 2));
  // Jitter draws from streams of its own, and is the same with losses and without.
  Network jittered = network;
  jittered.jitter = {.kind = Jitter::Kind::uniform, .scale = 1us};
  Network without = jittered;
  without.faults = {};
  const auto late = delays(jittered, 50), jitters = delays(without, 50);
  for (std::size_t i = 0; i < 50; ++i) CHECK((late[i] - jitters[i]) % timeout == 0ms);
}

TEST_CASE("a message across a cut gets through with the first try after it", "[network][faults]") {
  const auto late = [](const std::string& retransmission, int from, int to, Time when) {
    Links links(with("partition:0-1|2,4|5@1s-2s", retransmission), 6, 0);
    CHECK(whole(links.passage_of_next(from, to, bytes, when)) == alpha + transfer);
    return links.cut_wait(from, to, bytes, when);
  };
  CHECK(late("300ms", 0, 2, 1s) == 1200ms);
  CHECK(late("300ms", 4, 1, 1700ms) == 300ms);
  CHECK(late("300ms", 5, 2, 1950ms) == 300ms);
  CHECK(late("250ms", 0, 2, 1s) == 1s);
  CHECK(late("100ms:double", 0, 2, 1s) == 1500ms);  // 0.1, 0.3, 0.7, 1.5
  CHECK(late("300ms", 0, 2, 999ms) == 0s);
  CHECK(late("300ms", 0, 2, 2s) == 0s);
  CHECK(late("300ms", 0, 1, 1s) == 0s);  // of one side
  CHECK(late("300ms", 2, 4, 1s) == 0s);
  CHECK(late("300ms", 0, 3, 1s) == 0s);  // of none
  CHECK(late("1ps", 0, 2, 1s) == 1s);    // a million million tries
  Links links(with("partition:0|1@2s-3s+partition:0|1,2@1s-2s", "200ms"), 3, 0);
  CHECK(links.cut_wait(0, 1, bytes, 1500ms) == 1600ms);
  CHECK(links.tries_lost() == 8);
  CHECK(links.cut_wait(0, 2, bytes, 1500ms) == 600ms);
  CHECK(links.cut_wait(0, 1, 0, 1500ms) == 0s);  // nobody charges for control
}

TEST_CASE("a message that is lost for good takes the time of one that arrives",
          "[network][faults]") {
  constexpr int messages = 100'000;
  struct Row {
    const char* faults;
    double share;
  };
  for (const auto& [faults, share] :
       {Row{"loss:0.2", 0.2}, Row{"loss:gilbert:0.05,0.25,0.8,0.01", 0.14167}}) {
    CAPTURE(faults);
    Links links(with(faults, "never"), 16, 0);
    int lost = 0;
    for (int i = 0; i < messages; ++i) {
      const Passage passage = links.passage_of_next(0, 1, bytes, 1s);
      CHECK(whole(passage) == alpha + transfer);
      lost += passage.lost ? 1 : 0;
    }
    CHECK(links.tries_lost() == static_cast<std::uint64_t>(lost));
    // A chain's tries hang together by 1 − p − r = 0.7 at the most: (1 + 0.7)/(1 − 0.7) times the
    // variance of as many that do not.
    const double deviation = std::sqrt(share * (1.0 - share) * 1.7 / 0.3 / messages);
    CHECK(std::abs(static_cast<double>(lost) / messages - share) < 4.0 * deviation);
  }
  Links links(with("loss:0.5@0s-1s", "never"), 2, 0);
  for (int i = 0; i < 50; ++i) CHECK_FALSE(links.passage_of_next(0, 1, bytes, 1s).lost);
}

TEST_CASE("a message that has its ports across a cut is lost for good", "[network][faults]") {
  for (const PortMode ports : {PortMode::circuit, PortMode::cutthrough}) {
    Network network = with("partition:0|1@6ms-21ms", "never");
    network.ports = ports;
    Switch between(network, 3, 0, {});
    // One after another: they start after 0, 5, 10, … ms, or after 0, 4, 8, … ms.
    for (int i = 0; i < 8; ++i) between.post(0, 1, bytes, 0s);
    between.post(2, 1, bytes, 0s);  // of no side
    std::vector<Time> lost;
    std::uint64_t through = 0;
    between.advance(1s, [&](const Transfer& message) {
      CHECK(message.end - message.start == alpha + transfer);
      if (message.from == 2) CHECK_FALSE(message.lost);
      if (message.lost) lost.push_back(message.start);
      through += message.lost ? 0 : 1;
    });
    CAPTURE(port_mode_text(ports));
    CHECK(through + lost.size() == 9);
    CHECK(lost.size() >= 3);
    CHECK(std::ranges::all_of(lost, [](Time at) { return 6ms <= at && at < 21ms; }));
    CHECK(between.links().tries_lost() == lost.size());
  }
}

TEST_CASE("what queues across a cut goes one after another when the sides are joined",
          "[network][faults]") {
  for (const PortMode ports : {PortMode::circuit, PortMode::cutthrough}) {
    Network network = with("partition:0|1@1s-2s", "300ms");
    network.ports = ports;
    Switch between(network, 2, 0, {});
    std::vector<Transfer> started;
    const auto keep = [&](const Transfer& one) { started.push_back(one); };
    between.advance(1500ms, keep);
    for (int i = 0; i < 3; ++i) (void)between.post(0, 1, bytes, 1500ms, nullptr);
    between.advance(10s, keep);
    REQUIRE(started.size() == 3);
    // 0.6 s late is the second of the tries after time-outs of 0.3 s; the others need one each.
    CHECK(started[0].start == 1500ms);
    CHECK(started[0].end == 1500ms + 600ms + alpha + transfer);
    for (std::size_t i : {1U, 2U}) CHECK(started[i].end - started[i - 1].end <= alpha + transfer);
  }
}

TEST_CASE("faults hold in their time, on their links", "[network][faults]") {
  const Network network = with("slow-link:0,3:10@2s-5s+slow-link:2:3@4s-6s+loss:0@9s-10s");
  CHECK_FALSE(network.perfect());
  CHECK_FALSE(with("slow-link:0:2").perfect());
  Links links(network, 5, 0);
  const auto times = [&](int from, int to, Time when) {
    return to_seconds(whole(links.passage_of_next(from, to, bytes, when))) * 200.0;  // of 5 ms
  };
  CHECK(times(0, 3, 1s) == 1.0);
  CHECK(times(0, 3, 2s) == 10.0);
  CHECK(times(3, 0, 3s) == 10.0);
  CHECK(times(3, 0, 5s) == 1.0);
  CHECK(times(0, 1, 3s) == 1.0);
  CHECK(times(2, 1, 4s) == 3.0);
  CHECK(times(4, 2, 5s) == 3.0);
  CHECK(times(4, 1, 5s) == 1.0);
  CHECK(times(2, 1, 6s) == 1.0);
  // A control message that costs nothing is not lost.
  Links lossy(with("loss:0.9"), 2, 0);
  for (int i = 0; i < 20; ++i) CHECK(whole(lossy.passage_of_next(0, 1, 0, 1s)) == 0ms);
}
