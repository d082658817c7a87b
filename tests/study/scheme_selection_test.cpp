#include "trainyard/study/scheme_selection.hpp"

#include <algorithm>

#include "trainyard/base/error.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "run/small_runs.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

std::vector<std::string> names_of(const std::vector<SelectedScheme>& selection) {
  std::vector<std::string> names;
  for (const SelectedScheme& selected : selection) names.push_back(selected.scheme);
  return names;
}

bool is_named(const std::vector<SelectedScheme>& selection, const std::string& scheme) {
  return std::ranges::find(selection, scheme, &SelectedScheme::scheme)->named;
}

}  // namespace

TEST_CASE("groups of schemes are by family, and names go with them", "[study]") {
  CHECK(names_of(parse_scheme_selection("ring,gossip")) ==
        std::vector<std::string>{"ring", "gossip"});
  const auto centralised = parse_scheme_selection("all-centralised");
  const auto decentralised = parse_scheme_selection("all-decentralised");
  CHECK(centralised.size() + decentralised.size() == schemes().size());
  for (const auto& [list, expected] : {std::pair(&centralised, false), {&decentralised, true}}) {
    for (const SelectedScheme& selected : *list) {
      CHECK_FALSE(selected.named);
      CHECK((find_scheme(selected.scheme).family == SchemeFamily::decentralised) == expected);
    }
  }
  CHECK(parse_scheme_selection("all").size() == schemes().size());
  CHECK(parse_scheme_selection("all,all-decentralised,all-centralised").size() == schemes().size());

  const auto mixed = parse_scheme_selection("gossip,all-centralised,ring");
  CHECK(mixed.size() == centralised.size() + 1);
  CHECK(mixed.front().scheme == "gossip");
  CHECK(is_named(mixed, "gossip"));
  CHECK(is_named(mixed, "ring"));
  CHECK_FALSE(is_named(mixed, "hogwild"));
}

TEST_CASE("what is no scheme and no group is refused", "[study]") {
  CHECK_THROWS_WITH(parse_scheme_selection("all-centralized"),
                    ContainsSubstring("did you mean 'all-centralised'?"));
  CHECK_THROWS_WITH(parse_scheme_selection("all,rnig"), ContainsSubstring("did you mean 'ring'?"));
  CHECK_THROWS_WITH(parse_scheme_selection("ring,all,ring"), ContainsSubstring("there twice"));
  CHECK_THROWS_AS(parse_scheme_selection(""), UsageError);
}

TEST_CASE("a scheme that cannot is skipped from a group and an error by name", "[study]") {
  const LoadedData data = small_data();
  Configuration c = small_configuration("");
  std::vector<std::string> said;
  const auto remark = [&](const std::string& text) { said.push_back(text); };
  CHECK(able_to_run(parse_scheme_selection("all"), c, data, remark).size() == schemes().size());
  CHECK(said.empty());

  c.optimizer.momentum = 0.9;
  const auto able = able_to_run(parse_scheme_selection("all"), c, data, remark);
  CHECK(std::ranges::find(able, "ring") != able.end());
  CHECK(std::ranges::find(able, "hogwild") == able.end());
  CHECK(said.size() == schemes().size() - able.size());
  CHECK_THAT(said.front(), ContainsSubstring("warning: ") && ContainsSubstring(" is skipped: "));
  CHECK_THROWS_WITH(able_to_run(parse_scheme_selection("all,hogwild"), c, data, remark),
                    ContainsSubstring("--momentum: hogwild takes none"));
}

}  // namespace trainyard
