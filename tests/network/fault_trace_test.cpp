// When workers were there and when not, from files.
#include "trainyard/network/fault_trace.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "trainyard/base/error.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {
namespace {

using namespace std::chrono_literals;

FaultTrace traced(const std::string& text) {
  return parse_fault_trace(text, "--fault: t");
}

/// Those that begin by then.
std::vector<FaultTime> outages_of(const FaultTrace& trace, int worker, int workers,
                                  Time until = Time::max()) {
  Faults faults;
  faults.trace = std::make_shared<const FaultTrace>(trace);
  Outages outages = crashes_of(faults, worker, workers, 1);
  std::vector<FaultTime> all;
  for (std::size_t i = 0; const FaultTime* one = outages.get(i, until); ++i) all.push_back(*one);
  return all;
}

using Spans = std::vector<FaultTime>;

}  // namespace

TEST_CASE("of a trace of workers each is down from its removal on", "[network][faults]") {
  const FaultTrace trace = traced(
      "# minutes of a cloud\n"
      "2000,remove,3\r\n"
      "2500.5, remove , 0\n"
      "\n"
      "3000,add,3\n"
      "4000,add,1  # it comes late\n"
      "5000,remove,3\n");
  CHECK(trace.names_workers);
  CHECK(outages_of(trace, 3, 4) == Spans{{2s, 3s}, {5s, Time::max()}});
  CHECK(outages_of(trace, 0, 4) == Spans{{2500500us, Time::max()}});
  CHECK(outages_of(trace, 1, 4) == Spans{{0s, 4s}});
  CHECK(outages_of(trace, 2, 4).empty());  // whom no line names
  CHECK(outages_of(traced("0,add,0\n7,remove,0\n7,add,0"), 0, 1) == Spans{{7ms, 7ms}});
  // Servers are no part of it.
  CHECK(outages_of(trace, 4, 4).empty());
}

TEST_CASE("nodes with names take the places of workers as they come", "[network][faults]") {
  const FaultTrace trace = traced(
      "0,add,i-07\n"
      "1000,add,i-19\n"
      "2000,add,i-22\n"     // waits: there are two workers
      "3000,remove,i-07\n"  // whose place it takes
      "4000,remove,i-19\n"
      "6000,add,i-07\n");
  CHECK_FALSE(trace.names_workers);
  CHECK(outages_of(trace, 0, 2) == Spans{{3s, 3s}});
  CHECK(outages_of(trace, 1, 2) == Spans{{0s, 1s}, {4s, 6s}});
  // Of three the third had come at 2 s, and the lowest place that is free is taken first.
  CHECK(outages_of(trace, 0, 3) == Spans{{3s, 6s}});
  CHECK(outages_of(trace, 1, 3) == Spans{{0s, 1s}, {4s, Time::max()}});
  CHECK(outages_of(trace, 2, 3) == Spans{{0s, 2s}});
  CHECK(outages_of(trace, 3, 4) == Spans{{0s, Time::max()}});  // nobody ever comes
  // Who leaves before there is a place has had none.
  const FaultTrace waits = traced("0,add,a\n1,add,b\n2,remove,b\n3,remove,a\n");
  CHECK(outages_of(waits, 0, 1) == Spans{{3ms, Time::max()}});
}

TEST_CASE("FedScale's clients are up in their stretches of each period", "[network][faults]") {
  const FaultTrace trace = traced(R"( {
    "7": {"duration": 40, "active": [10, 50], "inactive": [30, 90], "finish_time": 100},
    "2": {"active": [0, 30.5], "inactive": [20, 300], "finish_time": 60, "model": "x"},
    "1": {"active": [0], "inactive": [60], "finish_time": 60}})");
  REQUIRE(trace.clients.size() == 3);
  CHECK(outages_of(trace, 0, 5, 215s) ==
        Spans{{0s, 10s}, {30s, 50s}, {90s, 110s}, {130s, 150s}, {190s, 210s}});
  // It is up until its period ends, and when the next one begins.
  CHECK(outages_of(trace, 1, 5, 130s) == Spans{{20s, 30500ms}, {80s, 90500ms}});
  CHECK(outages_of(trace, 2, 5, 1000s).empty());
  CHECK(outages_of(trace, 3, 5, 215s) == outages_of(trace, 0, 5, 215s));  // the first again
  // As often as the clock lasts, and no longer.
  const auto late =
      outages_of(traced(R"({"a": {"active": [0], "inactive": [3e6], "finish_time": 4e6}})"), 0, 1);
  CHECK(late == Spans{{3'000'000s, 4'000'000s}, {7'000'000s, 8'000'000s}});
}

TEST_CASE("a worker is up for the share of its period that a trace says", "[network][faults]") {
  const FaultTrace trace =
      traced(R"({"a": {"active": [5, 40], "inactive": [25, 70], "finish_time": 80}})");
  Duration down{0};
  for (const FaultTime& one : outages_of(trace, 0, 1, 8000s)) {
    down += std::min(one.until, Time(8000s)) - one.from;
  }
  CHECK(to_seconds(down) == Approx(8000.0 * 30.0 / 80.0));
}

TEST_CASE("what is wrong in a trace is said with its line", "[network][faults]") {
  const auto refuses = [](const std::string& text, const std::string& words) {
    CAPTURE(text);
    CHECK_THROWS_WITH(traced(text), ContainsSubstring("--fault: t") && ContainsSubstring(words));
  };
  refuses("1,add\n", "t:1: '1,add'; expected lines 'ms,add|remove,node'");
  refuses("1,add,0,2\n", "t:1:");
  refuses("1,add,0\n2,drop,0\n", "t:2: '2,drop,0'");
  refuses("1,add,\n", "t:1:");
  refuses("x,add,0\n", "t:1:");
  refuses("-1,add,0\n", "t:1: '-1' is not from 0");
  refuses("2,add,0\n1,remove,0\n", "t:2: it is earlier than line 1");
  refuses("1,add,0\n\n2,add,0\n", "t:3: worker '0' is there since line 1, and is added again");
  refuses("1,remove,0\n2,remove,0\n", "t:2: worker '0' is not there since line 1");
  refuses("1,remove,a\n", "t:1: node 'a' is not there, and is removed again");
  refuses("1,add,99999999999\n", "t:1: worker");
  refuses("# nothing\n", "nothing in it");
  refuses("", "nothing in it");
  refuses("{\n\"a\": 1,\n]", "t:3: it is not JSON");
  refuses("{}", "there is no client");
  refuses(R"({"a": 1})", "client 'a': '1' is no object");
  refuses(R"({"a": {"active": [1], "inactive": [2]}})", "client 'a': it has no \"finish_time\"");
  refuses(R"({"a": {"inactive": [2], "finish_time": 5}})", "no list \"active\"");
  refuses(R"({"a": {"active": [1, 3], "inactive": [2], "finish_time": 5}})", "2 moments");
  refuses(R"({"a": {"active": [1, 2], "inactive": [3, 4], "finish_time": 5}})",
          "it is active from 2 to 4, after 3");
  refuses(R"({"a": {"active": [3], "inactive": [2], "finish_time": 5}})", "from 3 to 2");
  refuses(R"({"a": {"active": [], "inactive": [], "finish_time": 5}})", "never active");
  refuses(R"({"a": {"active": ["1"], "inactive": [2], "finish_time": 5}})", "no moment");
}

TEST_CASE("a trace is one of the faults, by its file", "[network][faults]") {
  const TemporaryFolder folder;
  const std::string file = folder.write("machines.csv", "5,remove,1\n9,add,1\n").string();
  Faults faults;
  parse_faults("loss:0.1+trace:" + file, "--fault", faults);
  REQUIRE(faults.trace);
  CHECK(faults.crash());
  CHECK(faults_text(faults) == "loss:0.1+trace:" + file);
  const std::uint64_t content = faults.trace->content;
  folder.write("machines.csv", "5,remove,1\n8,add,1\n");
  parse_faults("trace:" + file, "--fault", faults);
  CHECK(faults.trace->content != content);
  CHECK_THROWS_WITH(parse_faults("trace:", "--fault", faults), ContainsSubstring("names no file"));
  CHECK_THROWS_WITH(parse_faults("trace:" + file + ".x", "--fault", faults),
                    ContainsSubstring("no such file"));
  CHECK_THROWS_WITH(parse_faults("trace:" + file + "+trace:" + file, "--fault", faults),
                    ContainsSubstring("one trace"));
}

}  // namespace trainyard
