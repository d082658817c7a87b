// The rules of the Trace Event Format, and those of the switch, held against what is written.
#include "trainyard/report/chrome_trace.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include <nlohmann/json.hpp>

#include "trainyard/analysis/timeline.hpp"
#include "trainyard/run/plan.hpp"

#include "support/catch.hpp"
#include "support/runtimes.hpp"
#include "support/training.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::json;
using Track = std::pair<int, int>;

/// Microseconds into picoseconds: without it, sums of doubles would seem to overlap.
std::int64_t ticks(const Json& microseconds) {
  return std::llround(microseconds.get<double>() * 1e6);
}

struct Slice {
  std::int64_t from, until;
};

struct Parsed {
  std::map<Track, std::vector<Slice>> slices;
  std::map<std::uint64_t, std::pair<Json, Json>> flows;  // start and finish
  std::map<Track, std::string> names;
  std::map<Track, std::map<std::string, std::int64_t>> sums;  // of slices by name
};

Parsed parse(const std::string& text) {
  Parsed parsed;
  const Json root = Json::parse(text);
  for (const Json& event : root.at("traceEvents")) {
    REQUIRE(event.contains("ts"));
    const Track track{event.at("pid"), event.at("tid")};
    const std::string phase = event.at("ph");
    if (phase == "X") {
      CHECK(event.at("dur").get<double>() >= 0.0);
      const std::int64_t from = ticks(event.at("ts"));
      const std::int64_t lasts = ticks(event.at("dur"));
      parsed.slices[track].push_back({from, from + lasts});
      parsed.sums[track][event.at("name")] += lasts;
    } else if (phase == "s") {
      CHECK(parsed.flows[event.at("id")].first.is_null());
      parsed.flows[event.at("id")].first = event;
    } else if (phase == "f") {
      CHECK(event.at("bp") == "e");
      CHECK(parsed.flows[event.at("id")].second.is_null());
      parsed.flows[event.at("id")].second = event;
    } else {
      REQUIRE(phase == "M");
      if (event.at("name") == "thread_name") parsed.names[track] = event.at("args").at("name");
    }
  }
  return parsed;
}

bool inside_a_slice(const Parsed& parsed, const Json& event) {
  const auto found = parsed.slices.find({event.at("pid"), event.at("tid")});
  if (found == parsed.slices.end()) return false;
  const std::int64_t at = ticks(event.at("ts"));
  return std::ranges::any_of(found->second,
                             [&](const Slice& s) { return s.from <= at && at <= s.until; });
}

void check_rules(const Parsed& parsed, const Trace& trace) {
  const int ranks = trace.workers + trace.servers;
  CHECK(parsed.names.size() == 3 * static_cast<std::size_t>(ranks));
  for (const auto& [track, slices] : parsed.slices) {
    CAPTURE(track.first, track.second);
    CHECK(parsed.names.contains(track));
    std::vector<Slice> sorted = slices;
    std::ranges::sort(sorted, {}, &Slice::from);
    for (std::size_t i = 1; i < sorted.size(); ++i) CHECK(sorted[i - 1].until <= sorted[i].from);
  }
  CHECK(parsed.flows.size() == trace.messages.size());
  for (const auto& [id, ends] : parsed.flows) {
    CAPTURE(id);
    REQUIRE_FALSE(ends.first.is_null());
    REQUIRE_FALSE(ends.second.is_null());
    CHECK(inside_a_slice(parsed, ends.first));
    CHECK(inside_a_slice(parsed, ends.second));
    CHECK(parsed.names.at({ends.first.at("pid"), ends.first.at("tid")}) == "send port");
    CHECK(parsed.names.at({ends.second.at("pid"), ends.second.at("tid")}) == "receive port");
    CHECK(ends.first.at("cat") == ends.second.at("cat"));
    CHECK(ends.first.at("name") == ends.second.at("name"));
  }
}

struct TracedRun {
  RunResult result;
  Trace trace;
};

TracedRun traced(const std::string& scheme, TimeMode time, const Network& network) {
  Configuration c = test::quick(scheme, 4, 5);
  c.time = time;
  c.network = network;
  const LoadedData data = test::dense_problem();
  TraceRecorder recorder({.first = 0, .last = 1000});
  RunHooks hooks;
  hooks.recorder = &recorder;
  TracedRun run{run_experiment(plan_run(resolve(c, {scheme}, data, {}), data), hooks), {}};
  run.trace = *run.result.trace;
  return run;
}

}  // namespace

TEST_CASE("traces of runs follow the Trace Event Format, and add up to the summary", "[report]") {
  const Network slow{.latency = std::chrono::microseconds(200), .bytes_per_second = 1e6};
  for (const TimeMode time : {TimeMode::simulated, TimeMode::wall}) {
    for (const std::string scheme : {"ring", "ps-sync", "ps-async", "gossip", "hogwild"}) {
      for (const Network& network : {slow, Network{}}) {
        CAPTURE(time_mode_text(time), scheme, network.perfect());
        const auto [result, trace] = traced(scheme, time, network);
        const Parsed parsed = parse(chrome_trace(trace));
        check_rules(parsed, trace);
        CHECK(trace.messages.size() == result.summary.messages);
        std::map<std::string, std::int64_t> of_workers;
        for (int worker = 0; worker < 4; ++worker) {
          const auto sums = parsed.sums.find({worker, 1});
          if (sums == parsed.sums.end()) continue;  // nothing takes any time
          for (const auto& [name, sum] : sums->second) of_workers[name] += sum;
        }
        const auto mean = [&](const char* name) {
          return static_cast<double>(of_workers[name]) * 1e-12 / 4.0;
        };
        CHECK(mean("compute") == Approx(result.summary.compute_s).epsilon(1e-9));
        CHECK(mean("transfer") == Approx(result.summary.transfer_s).epsilon(1e-9));
        CHECK(mean("wait") == Approx(result.summary.wait_s).epsilon(1e-9));
      }
    }
  }
}

TEST_CASE("the ports of example 1.1 as trace events", "[report]") {
  const Trace trace = make_timeline("example-1.1", {}).trace;
  const Parsed parsed = parse(chrome_trace(trace));
  check_rules(parsed, trace);
  const auto& into_first = parsed.slices.at({0, 3});
  REQUIRE(into_first.size() == 2);
  CHECK(into_first[0].from == seconds(6).count());
  CHECK(into_first[0].until == seconds(12.5).count());
  CHECK(into_first[1].until == seconds(19).count());
}

TEST_CASE("with cut-through ports the receive port is taken when the first bit arrives",
          "[report]") {
  const Trace trace = make_timeline("example-1.1", {{"ports", "cutthrough"}}).trace;
  const Parsed parsed = parse(chrome_trace(trace));
  check_rules(parsed, trace);
  CHECK(parsed.slices.at({0, 2})[0].until == seconds(10).count());
  CHECK(parsed.slices.at({1, 3})[0].from == seconds(6.5).count());
}

}  // namespace trainyard
