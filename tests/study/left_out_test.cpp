// Who cannot run what is asked is left out of groups, and said.
#include "study/left_out.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "trainyard/scheme/scheme.hpp"
#include "trainyard/study/comparison.hpp"

#include "run/small_runs.hpp"
#include "support/catch.hpp"

namespace trainyard {

TEST_CASE("a scheme without a rule for a fault is skipped from a group", "[study]") {
  const LoadedData data = small_data();
  for (const bool datagrams : {true, false}) {
    ComparisonRequest request{.configuration = small_configuration(""),
                              .contestants = parse_contestants("all-decentralised")};
    request.configuration.epochs = 0.1;
    request.options.jobs = 1;
    Faults& faults = request.configuration.network.faults;
    parse_faults(datagrams ? "loss:0.1" : "crash:0@1ms-2ms", "--fault", faults);
    faults.retransmission.never = datagrams;
    faults.on_failure = OnFailure::shrink;
    const auto has_rule = [&](const Contestant& contestant) {
      const StepOrder& order = find_scheme(contestant.scheme).order;
      return datagrams ? order.takes_datagrams : order.members_may_change;
    };
    const Compared compared = run_comparison(request, data, {});
    const std::vector<RunResult>& results = compared.runs;
    const std::vector<std::string> others = left_out(compared);
    CHECK(others.size() + results.size() == request.contestants.size());
    CHECK_THAT(others.front(), Catch::Matchers::StartsWith("hierarchical-gossip: --") &&
                                   ContainsSubstring("no rule"));
    CHECK(results.size() ==
          static_cast<std::size_t>(std::ranges::count_if(request.contestants, has_rule)));
    CHECK(results.size() > 2);
    CHECK(results.size() < request.contestants.size());
  }
}

TEST_CASE("of those that are left out for one reason it is said once", "[study]") {
  const std::vector<LeftOut> all{
      {"extra", "--fault: extra has no rule; gossip has"},
      {"gossip:ring", "gossip:ring: --topology: gossip takes none"},
      {"dlm{period=2}", "--fault: dlm has no rule; gossip has"},
      {"ring", "--momentum: ring takes none"},
      {"led", "--fault: led has no rule; gossip has"},
  };
  CHECK(left_out_notes(all) ==
        std::vector<std::string>{
            "warning: 3 are skipped, all as the first: extra, dlm{period=2}, led; extra: --fault: "
            "extra has no rule; gossip has",
            "warning: gossip:ring is skipped: --topology: gossip takes none",
            "warning: ring is skipped: --momentum: ring takes none",
        });
  const std::vector<LeftOut> points{
      {"d2, momentum 0.5", "d2, momentum 0.5: --momentum: d2 takes none"},
      {"d2, momentum 0.9", "d2, momentum 0.9: --momentum: d2 takes none"},
  };
  CHECK(left_out_notes(points) ==
        std::vector<std::string>{
            "warning: 2 are skipped, all as the first: d2, momentum 0.5; d2, momentum 0.9; d2, "
            "momentum 0.5: --momentum: d2 takes none"});
  CHECK(left_out({.runs = {}, .notes = {}, .lacking = {}, .left_out = {all[0], all[1]}}) ==
        std::vector<std::string>{"extra: --fault: extra has no rule; gossip has",
                                 "gossip:ring: --topology: gossip takes none"});
}

}  // namespace trainyard
