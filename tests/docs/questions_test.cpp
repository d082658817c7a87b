// The questions from public trackers in docs/questions.md, and what the program answers.
#include <algorithm>
#include <string>
#include <vector>

#include "docs/pages.hpp"
#include "labs/documented.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

using documented::Lines;

/// The first cells of the table: "torchtitan#929".
std::vector<std::string> questions_of(const Lines& lines) {
  const auto table = documented::table_after(lines, 0);
  REQUIRE(table.has_value());
  REQUIRE(table->heading == documented::Cells{"question", "what costs here", "what costs there"});
  std::vector<std::string> questions;
  for (const documented::Cells& row : table->rows) {
    for (const std::string& cell : row) CHECK(!cell.empty());
    questions.push_back(row.front());
  }
  return questions;
}

}  // namespace

TEST_CASE("ten questions from trackers have a command each, which prints what they quote",
          "[docs]") {
  const auto page = documented::root() / "docs/questions.md";
  const Lines lines = documented::lines_of_file(page);
  const auto section =
      std::ranges::find(lines, std::string("## Ten questions from public trackers"));
  REQUIRE(section != lines.end());
  const auto first = static_cast<std::size_t>(section - lines.begin());
  const std::vector<std::string> questions = questions_of(Lines(section + 1, lines.end()));
  CHECK(questions.size() == 10);
  for (const std::string& question : questions) {
    CHECK(std::ranges::any_of(lines, [&](const std::string& line) {
      return line.find("[" + question + "](https://github.com/") != std::string::npos;
    }));
  }
  std::size_t answered = 0;
  for (const documented::Command& command : documented::commands_of(page)) {
    if (command.line <= first) continue;
    const Lines quoted = documented::lines_below(lines, command);
    CAPTURE(command.text());
    REQUIRE(!quoted.empty());
    documented::check_lines(command, quoted);
    ++answered;
  }
  CHECK(answered == questions.size());
}

}  // namespace trainyard
