// docs/labs/teaching.md: that each of its sections has what a teacher needs, and that the answers
// are what the program prints.
#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "trainyard/configuration/labs.hpp"

#include "labs/documented.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

using documented::Command;
using documented::Lines;

std::filesystem::path notes() {
  return documented::root() / "docs" / "labs" / "teaching.md";
}

/// The lines of each section, its heading first.
std::vector<Lines> sections() {
  std::vector<Lines> found;
  for (const std::string& line : documented::lines_of_file(notes())) {
    if (line.starts_with("## ")) found.emplace_back();
    if (!found.empty()) found.back().push_back(line);
  }
  return found;
}

auto lines_beginning(const Lines& lines, const std::string& beginning) {
  return std::ranges::count_if(
      lines, [&](const std::string& line) { return line.starts_with(beginning); });
}

bool is_comparison(const Command& command) {
  return command.words.front() == "compare";
}

/// What a section shows of the program's output, as " word word … ": lines below commands without
/// their commas and semicolons, and the cells of tables.
std::string shown_in(const Lines& section) {
  std::string shown = " ";
  for (std::string line : section) {
    const bool is_table = line.starts_with("|");
    if (!is_table && !line.starts_with("    ")) continue;
    if (line.starts_with("    trainyard ")) continue;
    std::ranges::replace_if(
        line, [&](char c) { return c == '|' || (!is_table && (c == ',' || c == ';')); }, ' ');
    shown += documented::without_gaps(line) + " ";
  }
  return shown;
}

/// The numbers in bold outside of tables.
std::vector<std::string> bold_numbers(const Lines& section) {
  static const std::regex bold(R"(\*\*([0-9][^*]*)\*\*)");
  static const std::regex cut(R"(\*\*[0-9][^*]*$)");
  std::vector<std::string> numbers;
  for (const std::string& line : section) {
    if (line.starts_with("|")) continue;
    // One that the end of a line cuts in two would go unseen.
    CAPTURE(line);
    CHECK_FALSE(std::regex_search(line, cut));
    for (std::sregex_iterator at(line.begin(), line.end(), bold), end; at != end; ++at) {
      numbers.push_back((*at)[1]);
    }
  }
  return numbers;
}

}  // namespace

TEST_CASE("the teacher's notes call labs by the numbers and titles of their pages", "[labs]") {
  int named = 0;
  for (const Lines& section : sections()) {
    std::string rest = section.front().substr(3);
    INFO(rest);
    for (const Lab& lab : labs()) {
      const std::string name = fmt::format("{} {}", lab.page.number, lab.page.title);
      if (!rest.starts_with(name)) continue;
      rest = rest.substr(name.size());
      if (rest.starts_with(", and ")) rest = rest.substr(6);
      ++named;
    }
    CHECK(rest.empty());
  }
  CHECK(named == 25);
}

TEST_CASE("teaching: a section has question and wrong idea and picture and exercises",
          "[labs][docs]") {
  CHECK(sections().size() >= 6);
  for (const Lines& section : sections()) {
    CAPTURE(section.front());
    for (const char* part :
         {"**Ask first.**", "**What students believe first.**", "**The picture.**"}) {
      CAPTURE(part);
      CHECK(lines_beginning(section, part) == 1);
    }
    const auto exercises = lines_beginning(section, "**Exercise ");
    CHECK(exercises >= 2);
    CHECK(exercises <= 4);
    CHECK(lines_beginning(section, "**Answer.**") == exercises);
    // One for the picture at least, and one for each exercise.
    CHECK(lines_beginning(section, "    trainyard ") > exercises);
  }
}

TEST_CASE("teaching: a bold number stands in a table or line of its section", "[labs][docs]") {
  for (const Lines& section : sections()) {
    const std::string shown = shown_in(section);
    const std::vector<std::string> numbers = bold_numbers(section);
    CAPTURE(section.front());
    CHECK_FALSE(numbers.empty());
    for (const std::string& number : numbers) {
      CAPTURE(number);
      CHECK(shown.find(" " + number + " ") != std::string::npos);
    }
  }
}

TEST_CASE("teaching: the lines below commands are what they print", "[labs][docs]") {
  const Lines document = documented::lines_of_file(notes());
  std::size_t commands = 0;
  for (const Command& command : documented::commands_of(notes())) {
    if (is_comparison(command)) continue;
    ++commands;
    const Lines written = documented::lines_below(document, command);
    CAPTURE(command.text());
    CHECK_FALSE(written.empty());
    documented::check_lines(command, written);
  }
  CHECK(commands >= 10);
}

TEST_CASE("teaching: the tables below comparisons are what they print", "[labs][docs][slow]") {
  const Lines document = documented::lines_of_file(notes());
  std::size_t commands = 0;
  for (const Command& command : documented::commands_of(notes())) {
    if (!is_comparison(command)) continue;
    ++commands;
    const auto written = documented::table_after(document, command.line);
    CAPTURE(command.text());
    REQUIRE(written);
    documented::check_table(command, *written);
  }
  CHECK(commands >= 10);
}

}  // namespace trainyard
