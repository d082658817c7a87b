// Nobody wins a comparison with liars for having none.
#include "study/liars.hpp"

#include "trainyard/configuration/defaults.hpp"
#include "trainyard/scheme/scheme.hpp"
#include "trainyard/study/comparison.hpp"

#include "run/small_runs.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

std::vector<std::string> compared(const std::string& schemes, const std::string& liars,
                                  std::vector<Note>* notes = nullptr) {
  ComparisonRequest request{.configuration = small_configuration(""),
                            .contestants = parse_contestants(schemes)};
  request.configuration.time = TimeMode::simulated;
  request.configuration.compute_time = std::chrono::microseconds(100);
  request.configuration.ingredients["byzantine"] = liars;
  request.options.jobs = 1;
  const Compared made = run_comparison(request, small_data(), {});
  if (notes != nullptr) *notes = made.notes;
  std::vector<std::string> labels;
  for (const RunResult& run : made.runs) labels.push_back(run.summary.label);
  return labels;
}

using Labels = std::vector<std::string>;

}  // namespace

TEST_CASE("a scheme without a rule for liars is not compared with those who have some", "[study]") {
  CHECK_THROWS_WITH(compared("ps-sync,ring", "1:zero"),
                    ContainsSubstring("--byzantine 1:zero: ring has no rule for liars"));
  CHECK(compared("ps-sync,ring{byzantine=none}", "1:zero") ==
        Labels{"ps-sync", "ring{byzantine=none}"});
  CHECK(compared("ps-sync{byzantine=1:zero},ring", "none") ==
        Labels{"ps-sync{byzantine=1:zero}", "ring"});
  // Where nobody has any, there is only an option in vain, of which a note tells.
  CHECK(compared("ring,hogwild", "1:zero") == Labels{"ring", "hogwild"});
  CHECK(compared("ps-sync,ring", "none") == Labels{"ps-sync", "ring"});
}

TEST_CASE("of a group those without a rule for liars are skipped, and it is said", "[study]") {
  std::vector<Note> notes;
  const Labels labels = compared("all-centralised", "1:zero", &notes);
  CHECK(std::ranges::count(labels, "ps-sync") == 1);
  CHECK(std::ranges::count(labels, "ring") == 0);
  for (const std::string& label : labels) CHECK(takes(find_scheme(label), "byzantine"));
  CHECK(std::ranges::any_of(notes, [](const Note& note) {
    return note.text.find(": --byzantine 1:zero") != std::string::npos &&
           note.text.find(", ring,") != std::string::npos;
  }));
}

}  // namespace trainyard
