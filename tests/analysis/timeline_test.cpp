#include "trainyard/analysis/timeline.hpp"

#include <set>

#include "trainyard/base/error.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"
#include "support/oracles.hpp"

namespace trainyard {

namespace {

double exact(Time time) {
  return static_cast<double>(time.count()) / 1e12;
}

void check_against_reference(const std::string& example, const std::string& key) {
  const auto reference = test::read_oracle("switch_reference")[key];
  const Timeline timeline = make_timeline(example, {});
  REQUIRE(timeline.trace.messages.size() == reference.size());
  for (std::size_t i = 0; i < reference.size(); ++i) {
    CAPTURE(example, i);
    const Transfer& message = timeline.trace.messages[i];
    const auto& expected = reference[std::to_string(i)];
    CHECK(exact(message.posted) == Approx(expected["ready"].get<double>()).epsilon(1e-9));
    CHECK(exact(message.start) == Approx(expected["start"].get<double>()).epsilon(1e-9));
    CHECK(exact(message.first_bit) == Approx(expected["first_bit"].get<double>()).epsilon(1e-9));
    CHECK(exact(message.end) == Approx(expected["end"].get<double>()).epsilon(1e-9));
  }
}

/// Who sends to whom in round `round`, where every round takes 1.5 + 5/4.
std::set<std::pair<int, int>> pairs_of_round(const Timeline& timeline, int round) {
  std::set<std::pair<int, int>> pairs;
  for (const Transfer& message : timeline.trace.messages) {
    if (message.start == round * seconds(2.75)) pairs.insert({message.from, message.to});
  }
  return pairs;
}

std::string refusal(const std::string& what, const std::vector<OptionText>& options) {
  try {
    (void)make_timeline(what, options);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace

TEST_CASE("examples 1.1 and 1.2 are those of the reference, message by message",
          "[analysis][network]") {
  CHECK(make_timeline("example-1.1", {}).makespan() == seconds(14));
  CHECK(make_timeline("example-1.2", {}).makespan() == seconds(9));
  check_against_reference("example-1.1", "example_1_1_timeline");
  check_against_reference("example-1.2", "example_1_2_timeline");
  const auto totals = test::read_oracle("switch_reference")["example_1_1_1_2"];
  const std::vector<OptionText> cut{{"ports", "cutthrough"}};
  CHECK(exact(make_timeline("example-1.1", cut).makespan()) == totals["cut_M3toM1"][0]);
  CHECK(exact(make_timeline("example-1.2", cut).makespan()) == totals["cut_M3toM1"][1]);
}

TEST_CASE("example 1.3: in every round each machine sends a quarter to the next",
          "[analysis][network]") {
  const Timeline timeline = make_timeline("example-1.3", {});
  CHECK(timeline.makespan() == seconds(16.5));
  CHECK(timeline.names == std::vector<std::string>{"M1", "M2", "M3", "M4"});
  REQUIRE(timeline.trace.messages.size() == 24);
  for (int round = 0; round < 6; ++round) {
    CHECK(pairs_of_round(timeline, round) ==
          std::set<std::pair<int, int>>{{0, 1}, {1, 2}, {2, 3}, {3, 0}});
  }
  for (const Transfer& message : timeline.trace.messages) CHECK(message.bytes == 250'000);
}

TEST_CASE("example 1.4: three rounds of pairs to the owners, three rounds back",
          "[analysis][network]") {
  using Pairs = std::set<std::pair<int, int>>;
  const Timeline timeline = make_timeline("example-1.4", {});
  CHECK(timeline.makespan() == seconds(16.5));
  CHECK(pairs_of_round(timeline, 0) == Pairs{{0, 1}, {1, 0}, {2, 3}, {3, 2}});
  CHECK(pairs_of_round(timeline, 1) == Pairs{{0, 2}, {2, 0}, {1, 3}, {3, 1}});
  CHECK(pairs_of_round(timeline, 2) == Pairs{{0, 3}, {3, 0}, {1, 2}, {2, 1}});
  for (int hop = 1; hop <= 3; ++hop) {
    Pairs expected;
    for (int owner = 0; owner < 4; ++owner) expected.insert({owner, (owner + hop) % 4});
    CHECK(pairs_of_round(timeline, 2 + hop) == expected);
  }
}

TEST_CASE("a pipeline's timeline has its bubble", "[analysis]") {
  std::vector<OptionText> options{{"latency", "0"}, {"bandwidth", "infinite"}, {"workers", "4"}};
  for (const char* scheme : {"gpipe", "1f1b"}) {
    const Timeline timeline = make_timeline(scheme, options);
    CAPTURE(scheme);
    REQUIRE(timeline.trace.spans.size() == 4);
    CHECK(timeline.trace.messages.size() == 2 * 3 * 4);  // both ways over 3 borders
    Duration computing{0};
    for (const auto& spans : timeline.trace.spans) {
      for (const TracedSpan& span : spans) {
        if (span.activity == Activity::compute) computing += span.until - span.from;
      }
    }
    // The minibatches of 4 workers, 24 ms each, by all stages together: of 4 microbatches and 4
    // stages alike 3/7 of the time is bubble, and the first stage here has less to do.
    CHECK(to_seconds(computing) == Approx(0.096).epsilon(1e-6));
    const double bubble = 1.0 - to_seconds(computing) / (4 * to_seconds(timeline.makespan()));
    CHECK(bubble > 3.0 / 7.0);
    CHECK(bubble < 0.5);
  }
  options.push_back({"steps", "20"});
  const double drained = to_seconds(make_timeline("gpipe", options).makespan());
  CHECK(to_seconds(make_timeline("pipedream", options).makespan()) < 0.75 * drained);
}

TEST_CASE("a hybrid's timeline has sums in its stages and messages between them", "[analysis]") {
  const std::vector<OptionText> options{
      {"workers", "4"}, {"stages", "2"}, {"tensor-size", "2"}, {"microbatches", "4"}};
  // A microbatch: two sums forward and one backward, in rings of two, and each part's units up and
  // slopes down.
  for (const char* scheme : {"gpipe", "1f1b"}) {
    CHECK(make_timeline(scheme, options).trace.messages.size() == 4 * (3 * 4 + 2 * 2));
  }
}

TEST_CASE("a scheme's timeline takes its closed form", "[analysis]") {
  // α = 2 ms, 96 kB in 8 ms, 3 ms of computing.
  std::vector<OptionText> options{{"workers", "4"}, {"latency", "2ms"}, {"bandwidth", "12MB/s"}};
  options.push_back({"compute-time", "3ms"});
  const auto takes = [&](const std::string& what) {
    return exact(make_timeline(what, options).makespan()) * 1e3;
  };
  CHECK(takes("ring") == Approx(3 + 6 * (2 + 2)));
  CHECK(takes("ps-sync") == Approx(3 + 8 * (2 + 8)));
  CHECK(takes("gossip") == Approx(3 + 2 * (2 + 8)));
  CHECK(takes("hogwild") == Approx(3));
  // Units of 64 rows are added up behind the first pair of layers and the second, and the slopes of
  // what goes into the second: 20 kB, 1.7 ms.
  CHECK(takes("tensor-split") == Approx(3 + 3 * 6 * (2 + 64 * 80 * 4 / 12e3 / 4)));
  CHECK(make_timeline("tensor-split", options).trace.messages.size() == 3 * 6 * 4);
  options.pop_back();
  CHECK(takes("tree") == Approx(4 * (2 + 8)));
  const Timeline with_server = make_timeline("ps-sync", {});
  CHECK(with_server.names.back() == "server 0");
  CHECK(with_server.trace.spans.size() == 5);
}

TEST_CASE("a timeline of servers on the workers' machines takes their closed form", "[analysis]") {
  std::vector<OptionText> options{{"workers", "4"}, {"latency", "2ms"}, {"bandwidth", "12MB/s"}};
  options.push_back({"server-placement", "colocated"});
  CHECK(exact(make_timeline("ps-sync", options).makespan()) * 1e3 == Approx(3 + 2 * 3 * (2 + 8)));
  options.push_back({"servers", "4"});
  const Timeline timeline = make_timeline("ps-sync", options);
  CHECK(exact(timeline.makespan()) * 1e3 == Approx(3 + 2 * 3 * (2 + 8 / 4.0)));
  CHECK_THAT(timeline.detail, ContainsSubstring(", server-placement colocated"));
  CHECK_THAT(refusal("ring", {{"server-placement", "colocated"}}),
             ContainsSubstring("--server-placement: has no effect on ring: ring has no servers"));
  CHECK_THAT(refusal("ps", {{"server-placement", "colocated"}}),
             ContainsSubstring("--server-placement: has no effect on ps"));
  CHECK_THAT(refusal("example-1.1", {{"server-placement", "colocated"}}),
             ContainsSubstring("--server-placement"));
}

TEST_CASE("a timeline of a scheme that sends by layers shows the overlap", "[analysis]") {
  const Timeline apart = make_timeline("ddp");
  const Time computed = std::chrono::milliseconds(30);
  CHECK(apart.title == "ddp: 1 step with a model of 97 kB");
  CHECK(apart.trace.messages.size() == 4U * 4U * 6U);  // buckets, workers, chunks
  CHECK(apart.trace.messages.front().start > Time{0});
  CHECK(apart.trace.messages.front().end < computed);
  const Timeline whole = make_timeline("ddp{bucket=1GB}");
  CHECK(whole.trace.messages.size() == 4U * 6U);
  CHECK(whole.trace.messages.front().start == computed);
  // 24,180 parameters: 6 messages of 300 us and a quarter of 4.836 ms.
  CHECK(exact(whole.makespan()) * 1e3 == Approx(30 + 6 * (0.3 + 4.836 / 4)));
  CHECK(apart.makespan() < computed + std::chrono::milliseconds(5));
  CHECK_THAT(refusal("ring", {{"bucket", "1"}}),
             ContainsSubstring("--bucket: has no effect on ring: ring does not take it"));
  CHECK_THAT(refusal("tree", {{"bucket", "1"}}),
             ContainsSubstring("--bucket: has no effect on tree"));
  CHECK_THAT(refusal("example-1.1", {{"cycle-time", "1s"}}),
             ContainsSubstring("--cycle-time: has no effect"));
}

TEST_CASE("a timeline shows a round where workers meet every so many steps", "[analysis]") {
  const auto title = [](const char* what, const std::vector<OptionText>& options = {}) {
    return make_timeline(what, options).title;
  };
  // α = 1.5 ms, 96 kB in 4.8 ms, 10 steps of 3 ms and a ring.
  const Timeline round = make_timeline("diloco");
  CHECK(round.title == "diloco: 10 steps with a model of 96 kB");
  CHECK(exact(round.makespan()) * 1e3 == Approx(10 * 3 + 6 * (1.5 + 4.8 / 4)));
  CHECK_THAT(title("local-sgd{period=4}"), ContainsSubstring(": 4 steps"));
  CHECK_THAT(title("diloco", {{"steps", "3"}}), ContainsSubstring(": 3 steps"));
  CHECK_THAT(title("diloco", {{"period", "1000"}}), ContainsSubstring(": 1 step "));  // too many
  CHECK_THAT(title("hogwild-numa"), ContainsSubstring(": 1 step "));                  // no messages
  CHECK_THAT(title("scaffnew", {{"workers", "1"}}), ContainsSubstring(": 1 step "));
  for (const Scheme& scheme : schemes()) {
    CAPTURE(scheme.name);
    const bool is_alone =
        scheme.family == SchemeFamily::shared_memory || scheme.name == "sequential";
    CHECK(make_timeline(scheme.name).trace.messages.empty() == is_alone);
  }
}

TEST_CASE("a timeline of streaming-diloco has fragments on their way while workers compute",
          "[analysis]") {
  // Half a model in 6 rounds of 1 ms and 0.6 ms, for which four steps are long enough.
  const std::vector<OptionText> options{{"fragment-delay", "4"}, {"latency", "1ms"}};
  const Trace trace = make_timeline("streaming-diloco", options).trace;
  CHECK(trace.messages.size() == 2U * 6U * 4U);
  CHECK(exact(trace.until) * 1e3 == Approx(10 * 3));
  for (const auto& spans : trace.spans) {
    REQUIRE(spans.size() == 1);
    CHECK(spans.front().activity == Activity::compute);
  }
}

TEST_CASE("what a timeline does not take is refused, with the flag's name", "[analysis]") {
  CHECK_THAT(refusal("example-1.1", {{"workers", "3"}}),
             ContainsSubstring("--workers: has no effect"));
  CHECK_THAT(refusal("ring", {{"servers", "2"}}), ContainsSubstring("--servers"));
  CHECK_THAT(refusal("ring", {{"topology", "full"}}), ContainsSubstring("--topology"));
  CHECK_THAT(refusal("ring", {{"collective", "tree"}}), ContainsSubstring("--collective"));
  CHECK_THAT(refusal("tree", {{"steps", "2"}}), ContainsSubstring("--steps"));
  CHECK_THAT(refusal("ring", {{"workers", "65"}}), ContainsSubstring("1 to 64 workers, not 65"));
  CHECK_THAT(refusal("exmaple-1.1", {}), ContainsSubstring("did you mean 'example-1.1'?"));
}

TEST_CASE("a list's clock begins with its first post", "[analysis]") {
  const TemporaryFolder folder;
  const auto file = folder.write("list.txt", "8 1 0 1MB\n7 0 1 1MB\n");
  const Timeline timeline = make_timeline(file.string(), {});
  CHECK(timeline.trace.from == seconds(7));
  CHECK(timeline.makespan() == seconds(7.5));
  CHECK(timeline.names == std::vector<std::string>{"rank 0", "rank 1"});
}

// Those of schemes that send by layers were all that it took.
TEST_CASE("a timeline takes what a scheme takes, and contestants", "[analysis]") {
  const auto sends = [](const char* what, const std::vector<OptionText>& options) {
    return make_timeline(what, options).trace.messages.size();
  };
  CHECK(sends("local-sgd", {{"period", "4"}, {"steps", "3"}}) == 0);
  CHECK(sends("local-sgd", {{"period", "4"}, {"steps", "4"}}) == 4 * 6);
  CHECK(sends("local-sgd{period=2}", {{"steps", "4"}}) == 2 * 4 * 6);
  CHECK(sends("gossip:full", {}) == 4 * 3);
  const Timeline slow = make_timeline("ring", {{"straggler", "1:10"}});
  CHECK(slow.makespan() == make_timeline("ring").makespan() + std::chrono::milliseconds(27));
  CHECK(make_timeline("horovod").title == "horovod: 1 step with a model of 97 kB");
  CHECK_THAT(refusal("gossip{epochs=2}", {}), ContainsSubstring("timeline: epochs is not taken"));
  CHECK_THAT(refusal("gossip:rung", {}), ContainsSubstring("timeline: 'gossip:rung': topology"));
  for (const char* what : {"ring", "ring{compute-time=auto}"}) {
    const std::vector<OptionText> given{{"compute-time", "auto"}};
    CHECK_THAT(refusal(what, given), ContainsSubstring("auto: a timeline takes a duration"));
  }
  CHECK_THAT(refusal("ring{compute-time=auto}", {}), ContainsSubstring("a timeline takes"));
  CHECK_THAT(refusal("all-centralised", {}), ContainsSubstring("no file and no name"));
  CHECK_THAT(refusal("ring,gossip", {}), ContainsSubstring("no file and no name"));
  CHECK_THAT(refusal("ring{latency=3ms},gossip", {}), ContainsSubstring("it draws one"));
}

}  // namespace trainyard
