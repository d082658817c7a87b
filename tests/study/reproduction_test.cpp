// Published results: how they are read, and how ours are judged beside them.
#include "trainyard/study/reproduction.hpp"

#include <map>
#include <set>
#include <string>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"

#include "support/catch.hpp"

namespace trainyard {

namespace {

constexpr const char* heads = R"(
number = 1
title = "Times"
source = "Nobody 1999"
kind = "exact"
takes = "1 s"
computes = "Two times."
not-comparable = "All else."
)";

constexpr const char* times = R"(
[[table]]
title = "Time by scheme"
unit = "s"
command = "trainyard predict --schemes {row} --workers {column}"
ours = "step_s * 10"
columns = ["2", { label = "four", key = "4" }]
[[table.row]]
label = "ring"
published = ["1.5", "30"]
[[table.row]]
label = "tree"
key = "all-reduce:tree"
published = ["", "8"]
differs = { four = "It is another tree." }
)";

PublishedResult read(const std::string& more) {
  return read_published("times", heads + (times + more));
}

/// ring 0.154 and 3.1, tree 0.5 and 1.
std::string answer_of(const std::string& command) {
  static const std::map<std::string, std::string> answers{
      {"trainyard predict --schemes ring --workers 2", R"({"step_s": 0.154})"},
      {"trainyard predict --schemes ring --workers 4", R"({"step_s": 3.1})"},
      {"trainyard predict --schemes all-reduce:tree --workers 2", R"({"step_s": 0.5})"},
      {"trainyard predict --schemes all-reduce:tree --workers 4", R"({"step_s": 1.0})"}};
  return answers.at(command);
}

std::string error_of(const std::string& text) {
  try {
    (void)read_published("times", text);
  } catch (const InternalError& error) {
    return error.what();
  }
  return "none";
}

// Formatted, as GCC 12 warns of nothing where strings are added up.
std::string behind_heads(const char* rest) {
  return fmt::format("{}{}", heads, rest);
}

std::string with_claim(const char* claim) {
  return fmt::format("{}[[claim]]\npublished = \"x\"\nholds = [\"{}\"]", behind_heads(times),
                     claim);
}

}  // namespace

TEST_CASE("a number agrees within its tolerance", "[study]") {
  const Tolerance printed;
  CHECK(agrees_with("117", 116.5, printed));
  CHECK_FALSE(agrees_with("117", 116.49, printed));
  CHECK(agrees_with("9.1", 9.1499, printed));
  CHECK_FALSE(agrees_with("9.1", 9.16, printed));
  CHECK_FALSE(agrees_with("2.0", 2.06, printed));
  CHECK(agrees_with("2", 2.06, printed));
  const Tolerance share{Tolerance::Of::share, 0.25, "25%"};
  CHECK(agrees_with("4", 3.0, share));
  CHECK_FALSE(agrees_with("4", 2.99, share));
  const Tolerance factor{Tolerance::Of::factor, 1.2, "a factor of 1.2"};
  CHECK(agrees_with("10", 12.0 - 1e-9, factor));
  CHECK(agrees_with("10", 8.34, factor));
  CHECK_FALSE(agrees_with("10", 8.3, factor));
  CHECK_FALSE(agrees_with("10", -10.0, factor));
  const Tolerance amount{Tolerance::Of::amount, 0.5, "0.5"};
  CHECK(agrees_with("-3", -3.5, amount));
  CHECK_FALSE(agrees_with("-3", -3.6, amount));
  CHECK_FALSE(agrees_with("3", std::numeric_limits<double>::infinity(), share));
}

TEST_CASE("ours stand beside theirs, and what is known to differ may", "[study]") {
  const PublishedResult result = read("");
  REQUIRE(result.tables.size() == 1);
  CHECK(result.tables[0].cells[1][1].command ==
        "trainyard predict --schemes all-reduce:tree --workers 4");
  CHECK(result.tables[0].columns == std::vector<std::string>{"2", "four"});
  const Reproduction found = reproduce(result, answer_of);
  CHECK(found.tables[0].ours[0][0] == Approx(1.54));
  CHECK(found.tables[0].ours[1][1] == 10.0);
  CHECK(found.printed == 3);
  CHECK(found.agreeing == 1);  // 31 for "30" does not, nor 10 for "8", which is said
  CHECK(found.unlike == std::vector<std::string>{"ring, four: does not agree"});
  CHECK_FALSE(found.as_said());
  CHECK_FALSE(found.whole());
  CHECK(verdict_of(found) == "1 of 3 numbers as printed");
}

TEST_CASE("what agrees and is said to differ is not as its file says", "[study]") {
  const PublishedResult result = read("");
  const Reproduction found = reproduce(result, [](const std::string& command) {
    return command.ends_with("tree --workers 4") ? R"({"step_s": 0.8})" : answer_of(command);
  });
  REQUIRE(found.unlike.size() == 2);
  CHECK(found.unlike[1] == "tree, four: agrees, and is said to differ");
}

TEST_CASE("claims are inequalities of cells", "[study]") {
  const PublishedResult result = read(R"(
[[claim]]
published = "Four take longer."
holds = ["ring @ four > 20 * ring @ 2", "2 * ring @ 2 < 3.1", "tree @ 2 <= tree @ four"]
[[claim]]
published = "Trees are slower."
holds = ["tree @ four >= ring @ four"]
fails = "Not here."
[[claim]]
published = "All are alike."
holds = ["tree @ four <= ring @ four", "tree @ four >= ring @ four"]
)");
  const Reproduction found = reproduce(result, answer_of);
  CHECK(found.holds == std::vector<bool>{true, false, false});
  CHECK(found.holding == 1);
  REQUIRE(found.unlike.size() == 2);  // beside that of the table
  CHECK(found.unlike[1] == "“All are alike.”: does not hold");
  CHECK(verdict_of(found) == "1 of 3 numbers as printed; 1 of 3 claims hold");
}

TEST_CASE("each command is asked once", "[study]") {
  const PublishedResult result = read_published("times", behind_heads(R"(
[[table]]
command = "trainyard predict"
ours = "rows[{column}]"
columns = ["0", "1"]
[[table.row]]
label = "a"
[[table.row]]
label = "b"
)"));
  int asked = 0;
  const Reproduction found = reproduce(result, [&](const std::string&) {
    ++asked;
    return R"({"rows": [1, null]})";
  });
  CHECK(asked == 1);
  CHECK(found.printed == 0);
  CHECK(found.whole());
}

TEST_CASE("a file of a published result that is wrong says what is", "[study]") {
  CHECK_THAT(error_of("title ="), ContainsSubstring("published times:1"));
  CHECK_THAT(error_of(heads), ContainsSubstring("a result has a table"));
  CHECK_THAT(error_of(std::string("title = \"x\"\nkind = \"exact\"")),
             ContainsSubstring("title, source, takes, computes or not-comparable"));
  const auto with = [](const std::string& from, const std::string& to) {
    std::string text = behind_heads(times);
    return text.replace(text.find(from), from.size(), to);
  };
  CHECK_THAT(error_of(with("\"exact\"", "\"true\"")), ContainsSubstring("no kind is 'true'"));
  CHECK_THAT(error_of(with("\"1.5\", ", "")), ContainsSubstring("as many numbers as columns"));
  CHECK_THAT(error_of(with("\"1.5\"", "\"1.5 s\"")), ContainsSubstring("'1.5 s' is no number"));
  CHECK_THAT(error_of(with("{ four =", "{ five =")), ContainsSubstring("no column"));
  CHECK_THAT(error_of(with_claim("ring @ 2 < ring @ 3")),
             ContainsSubstring("no cell is 'ring @ 3'"));
  CHECK_THAT(error_of(with_claim("ring @ 2")), ContainsSubstring("no inequality"));
}

TEST_CASE("the published results of the program are facts with their source", "[study]") {
  std::set<std::string> names;
  std::set<int> numbers;
  for (const PublishedResult& result : published_results()) {
    CAPTURE(result.name);
    CHECK(names.insert(result.name).second);
    CHECK(numbers.insert(result.number).second);
    std::size_t printed = 0;
    for (const PublishedTable& table : result.tables) {
      for (const auto& row : table.cells) {
        for (const PublishedCell& cell : row) {
          printed += cell.published.empty() ? 0 : 1;
          CHECK(cell.command.starts_with("trainyard "));
          CHECK(cell.command.find("{row}") == std::string::npos);
          CHECK(cell.command.find("{column}") == std::string::npos);
          if (!cell.differs.empty()) CHECK_FALSE(cell.published.empty());
        }
      }
    }
    // An exact one has numbers; whoever has none has at least something said.
    CHECK((printed > 0 || !result.claims.empty()));
    if (result.kind == PublishedKind::exact) CHECK(printed > 0);
  }
  CHECK(published_named("all").size() == names.size());
  CHECK(published_named("daly").size() == 1);
  CHECK(published_named("exact").size() < names.size());
  CHECK_THROWS_AS(published_named("dally"), UsageError);
}

}  // namespace trainyard
