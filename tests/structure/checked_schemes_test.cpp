// Each scheme's rule is checked by a test case that says so with a tag, [rule:ring]: it holds the
// scheme to a trajectory that was worked out elsewhere (tests/oracles/golden_trajectories.json), to
// a closed form, or to an invariant. `trainyard_tests '[rule:ring]'` runs it.
#include <algorithm>
#include <regex>
#include <set>
#include <string>

#include "trainyard/scheme/scheme.hpp"

#include "structure/source_files.hpp"
#include "support/catch.hpp"

using namespace trainyard;

namespace {

/// The schemes that the tags of all test cases in the text name.
std::set<std::string> rules_checked_in(const std::string& text) {
  static const std::regex test_case(
      R"(TEST_CASE\(\s*(?:"(?:[^"\\]|\\.)*"\s*)+,\s*((?:"[^"]*"\s*)+)\))");
  static const std::regex rule(R"(\[rule:([^\]]+)\])");
  std::set<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), test_case), end; at != end; ++at) {
    static const std::regex between("\"\\s*\"");
    const std::string tags = std::regex_replace((*at)[1].str(), between, "");
    for (std::sregex_iterator tag(tags.begin(), tags.end(), rule); tag != end; ++tag) {
      names.insert((*tag)[1]);
    }
  }
  return names;
}

}  // namespace

TEST_CASE("every scheme has a test of its rule", "[structure]") {
  std::set<std::string> checked;
  for (const auto& [name, text] : test::source_files({"tests"}, {".cpp"})) {
    checked.merge(rules_checked_in(text));
  }
  for (const Scheme& scheme : schemes()) {
    CAPTURE(scheme.name);
    CHECK(checked.erase(scheme.name) == 1);
  }
  CHECK(checked == std::set<std::string>{});  // tags that name no scheme
}

TEST_CASE("tags of rules are found in test cases, and nowhere else", "[structure]") {
  const std::string macro = "TEST_CASE";
  CHECK(rules_checked_in(macro +
                         "(\"a \\\"b\\\"\"\n  \" c\",\n  \"[scheme][rule:a][rule:b++]\") {") ==
        std::set<std::string>{"a", "b++"});
  CHECK(rules_checked_in("// [rule:a]\n" + macro + "(\"[rule:a]\", \"[scheme]\") {").empty());
}
