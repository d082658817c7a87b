// CONTRIBUTING says what is true: each file and folder that it names is there, and each table that
// takes a row has the one that is named as an example.
#include <regex>
#include <set>
#include <string>

#include "docs/pages.hpp"
#include "labs/documented.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

namespace fs = std::filesystem;
using documented::root;

/// What stands in backticks and looks like a path of this tree; of "src/scheme/NAME.cpp" the
/// folder.
std::set<std::string> paths_in(const std::string& text) {
  static const std::regex path(
      R"(`((?:\./)?(?:src|include|tests|docs|scripts|examples|datasets|cmake|bench|\.ci)/[^`\s]*)`)");
  std::set<std::string> paths;
  for (std::sregex_iterator at(text.begin(), text.end(), path), end; at != end; ++at) {
    const std::string found = (*at)[1];
    const std::size_t any = found.find("NAME");
    paths.insert(any == std::string::npos ? found : found.substr(0, found.rfind('/', any)));
  }
  return paths;
}

struct Example {
  std::string row, file;
};

/// "`FILE`, …as for `ROW` there" and "as for `ROW` in `FILE`".
std::vector<Example> examples_in(const std::string& text) {
  static const std::regex there(R"(`([^`\s]+)`[^`|;]*as for `([^`]+)` there)");
  static const std::regex in(R"(as for `([^`]+)` in `([^`\s]+)`)");
  std::vector<Example> examples;
  for (std::sregex_iterator at(text.begin(), text.end(), there), end; at != end; ++at) {
    examples.push_back({(*at)[2], (*at)[1]});
  }
  for (std::sregex_iterator at(text.begin(), text.end(), in), end; at != end; ++at) {
    examples.push_back({(*at)[1], (*at)[2]});
  }
  return examples;
}

}  // namespace

TEST_CASE("what CONTRIBUTING names is there", "[docs]") {
  const std::string text = text_of_page(root() / "CONTRIBUTING.md");
  const std::set<std::string> paths = paths_in(text);
  CHECK(paths.size() > 40);
  for (const std::string& path : paths) {
    CAPTURE(path);
    CHECK(fs::exists(root() / path));
  }
  CHECK(paths_in("`src/a/NAME.cpp`, `./docs/b.md` and `--flag`") ==
        std::set<std::string>{"src/a", "./docs/b.md"});
}

TEST_CASE("the rows that CONTRIBUTING takes for examples are where it says", "[docs]") {
  const std::vector<Example> examples = examples_in(text_of_page(root() / "CONTRIBUTING.md"));
  CHECK(examples.size() >= 13);
  for (const Example& example : examples) {
    CAPTURE(example.file, example.row);
    CHECK_THAT(text_of_page(root() / example.file), ContainsSubstring(example.row));
  }
  const auto found = examples_in("`a.cpp`, as for `b` there; as for `c` in `d.cpp`");
  REQUIRE(found.size() == 2);
  CHECK(found[0].file == "a.cpp");
  CHECK(found[1].row == "c");
}

TEST_CASE("CONTRIBUTING says how to add each kind of thing", "[docs]") {
  const std::string text = text_of_page(root() / "CONTRIBUTING.md");
  for (const char* what :
       {"a scheme", "a codec", "a topology", "an all-reduce", "a model", "a data format",
        "a preset", "a lab", "a command", "a flag", "a figure"}) {
    CHECK_THAT(text, ContainsSubstring(std::string("| add ") + what + " "));
  }
}

}  // namespace trainyard
