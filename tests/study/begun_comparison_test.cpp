// A comparison that is asked for again is the one that was begun, or is refused by name.
#include "trainyard/study/begun_comparison.hpp"

#include "trainyard/base/error.hpp"

#include "data/files.hpp"
#include "run/small_runs.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

/// As run_comparison() makes them.
std::vector<Case> cases_of(const ComparisonRequest& request, const LoadedData& data) {
  struct Known {};
  std::vector<Case> cases;
  ComparisonHooks hooks;
  hooks.planned = [&](const std::vector<Case>& all, int) {
    cases = all;
    throw Known();
  };
  CHECK_THROWS_AS(run_comparison(request, data, hooks), Known);
  return cases;
}

ComparisonRequest request_of(const std::string& schemes) {
  return {.configuration = small_configuration(""), .contestants = parse_contestants(schemes)};
}

std::string refusal(const BegunComparison& before, const BegunComparison& now) {
  try {
    require_same(before, now);
  } catch (const OptionError& error) {
    CHECK(error.option() == "continue");
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a comparison is the one that was begun, through a file", "[study]") {
  const LoadedData data = small_data();
  ComparisonRequest request = request_of("ring,gossip{topology=torus}");
  request.variations = {parse_variation("latency=10us,1ms")};
  request.options.seeds = 2;
  BegunComparison begun = begun_of(cases_of(request, data));
  REQUIRE(begun.cases.size() == 8);
  CHECK(find_case(begun, "seed-2/latency-1ms/gossip-topology-torus") != nullptr);
  const TemporaryFolder folder;
  Archive written;
  exchange_comparison(written, begun);
  written.write(folder.path() / "begun.npz");
  Archive read = Archive::read(folder.path() / "begun.npz");
  BegunComparison again;
  exchange_comparison(read, again);
  REQUIRE(again.cases.size() == 8);
  for (std::size_t i = 0; i < 8; ++i) CHECK(again.cases[i].notes == begun.cases[i].notes);
  CHECK(refusal(again, begun).empty());
  CHECK(refusal(again, begun_of(cases_of(request, data))).empty());
}

TEST_CASE("what differs from the comparison that was begun is refused by its name", "[study]") {
  const LoadedData data = small_data();
  const ComparisonRequest request = request_of("ring,gossip");
  const BegunComparison begun = begun_of(cases_of(request, data));
  ComparisonRequest other = request;
  other.configuration.optimizer.lr = 0.25;
  CHECK_THAT(refusal(begun, begun_of(cases_of(other, data))),
             ContainsSubstring("ring: the comparison that was begun had --lr 0.5, and this one "
                               "--lr 0.25"));
  other = request_of("ring,gossip{batch=20}");
  CHECK_THAT(refusal(begun, begun_of(cases_of(other, data))), ContainsSubstring("no run 'gossip"));
  CHECK_THAT(refusal(begun, begun_of(cases_of(request_of("ring"), data))),
             ContainsSubstring("has a run 'gossip', and this one has none"));
  other = request;
  other.options.seeds = 2;
  CHECK_THAT(refusal(begun, begun_of(cases_of(other, data))), ContainsSubstring("'seed-1/ring'"));
  other = request;
  other.options.step_sizes = StepSizes::tuned;
  CHECK_THAT(refusal(begun, begun_of(cases_of(other, data))),
             ContainsSubstring("tunes no step size, and this one lr"));
  LoadedData changed = small_data();
  changed.train.dense[7] += 1.0F;
  CHECK_THAT(refusal(begun, begun_of(cases_of(request, changed))),
             ContainsSubstring("training rows"));
  BegunComparison by_another = begun;
  by_another.program = "0123";
  CHECK_THAT(refusal(by_another, begun), ContainsSubstring("another build of the program"));
}

TEST_CASE("what was measured when a comparison began is not measured anew", "[study]") {
  const LoadedData data = small_data();
  ComparisonRequest request = request_of("ring,hogwild");
  request.configuration.compute_time.reset();
  request.configuration.line_time.reset();
  BegunComparison begun = begun_of(cases_of(request, data));
  CHECK(find_case(begun, "ring")->measured == std::vector<std::string>{"compute-time"});
  CHECK(find_case(begun, "hogwild")->measured ==
        std::vector<std::string>{"compute-time", "line-time"});
  for (BegunCase& one : begun.cases) {
    Configuration c;
    parse_configuration(one.configuration, "test", c);
    c.compute_time = std::chrono::seconds(123);  // of a slow machine
    if (c.line_time) c.line_time = std::chrono::nanoseconds(12);
    one.configuration = configuration_text(c);
  }
  std::vector<Case> cases;
  ComparisonHooks hooks;
  hooks.begun = [&](const Case& one) { return find_case(begun, folder_of(one).string()); };
  hooks.planned = [&](const std::vector<Case>& all, int) {
    cases = all;
    throw std::runtime_error("known");
  };
  CHECK_THROWS(run_comparison(request, data, hooks));
  REQUIRE(cases.size() == 2);
  for (const Case& one : cases) CHECK(one.configuration.compute_time == std::chrono::seconds(123));
  CHECK(cases[1].configuration.line_time == std::chrono::nanoseconds(12));
  CHECK(refusal(begun, begun_of(cases)).empty());
}

}  // namespace trainyard
