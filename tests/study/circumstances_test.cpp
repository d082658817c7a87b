#include "trainyard/study/circumstances.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "trainyard/configuration/defaults.hpp"
#include "trainyard/configuration/options.hpp"

#include "support/catch.hpp"

namespace trainyard {

namespace {

RunResult run_of(const std::string& scheme, const std::vector<OptionText>& options = {}) {
  RunResult run;
  run.resolved = default_configuration();
  run.resolved.scheme = run.summary.scheme = run.summary.label = scheme;
  for (const auto& [name, text] : options) option_named(name).set(run.resolved, text, "test");
  return run;
}

std::string text_of(const RunResult& run, const std::string& option) {
  const auto found = circumstances_of(run);
  const auto it = std::ranges::find(found, option, &OptionText::option);
  return it == found.end() ? "" : it->text;
}

using Found = std::vector<OptionText>;
using Runs = std::vector<std::size_t>;

}  // namespace

TEST_CASE("a network is found, a scheme and its settings are chosen", "[study]") {
  RunResult ring = run_of("ring", {{"latency", "1ms"}});
  CHECK(text_of(ring, "latency") == "1ms");
  CHECK(text_of(ring, "compute-time").empty());  // measured, or whatever it was: not varied
  ring.summary.varied = {
      {"latency", "1ms"}, {"compute-time", "2ms"}, {"batch", "8"}, {"order", "shuffled"}};
  CHECK(text_of(ring, "compute-time") == "2ms");
  CHECK(text_of(ring, "batch").empty());
  CHECK(text_of(ring, "order").empty());
  ring.summary.varied.clear();
  ring.summary.settings = {{"latency", "1ms"}};  // who has a network of its own is compared with it
  CHECK(text_of(ring, "latency").empty());
  // Nothing of it crosses a network, unless the grid says that it is another run.
  RunResult alone = run_of("sequential", {{"latency", "1ms"}});
  CHECK(text_of(alone, "latency").empty());
  alone.summary.varied = {{"latency", "1ms"}};
  CHECK(text_of(alone, "latency") == "1ms");
}

TEST_CASE("runs are told apart by what differs of what they found", "[study]") {
  const Found slow{{"latency", "1ms"}, {"racks", "1"}}, fast{{"latency", "0us"}, {"racks", "1"}};
  const auto parts = by_circumstances({slow, fast, slow, {}});
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].text == "latency 1ms");
  CHECK(parts[0].runs == Runs{0, 2, 3});  // the last one heeds none of it
  CHECK(parts[1].text == "latency 0us");
  CHECK(parts[1].runs == Runs{1, 3});

  const auto one = by_circumstances({slow, {}, slow});
  REQUIRE(one.size() == 1);
  CHECK(one[0].text.empty());
  CHECK(one[0].runs == Runs{0, 1, 2});
  CHECK(by_circumstances({}).empty());
}

}  // namespace trainyard
