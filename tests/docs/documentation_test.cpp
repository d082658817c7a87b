// What the documentation shows is what the program does: its commands run, and its tables hold
// what the program prints.
#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "data/files.hpp"
#include "docs/pages.hpp"
#include "labs/documented.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

namespace fs = std::filesystem;
using documented::Command;
using documented::Lines;
using documented::root;

/// That `page` has the first table of `printed`, but for times, and what is said below it.
void check_first_table(const std::string& printed, const fs::path& page) {
  CAPTURE(page);
  const Lines shown = documented::lines_of_file(page);
  const auto cells_of = [](const std::string& line) {
    std::istringstream words(line);
    return std::vector<std::string>(std::istream_iterator<std::string>(words), {});
  };
  std::size_t rows = 0, verdicts = 0;
  std::istringstream lines(printed);
  for (std::string line; std::getline(lines, line);) {
    const auto written = [&](const std::string& begin) {
      return std::ranges::any_of(shown, [&](const std::string& r) { return r.starts_with(begin); });
    };
    CAPTURE(line);
    // Each scheme's row with the step size that was found for it: the first table's.
    if (const auto cells = cells_of(line);
        cells.size() > 4 && line.find(" k") == std::string::npos) {
      const bool is_row = cells[1].find_first_not_of("0123456789.") == std::string::npos;
      if (is_row && line.starts_with(cells[0]) && cells[0] != "workers") {
        rows += std::ranges::any_of(shown, [&](const std::string& r) {
          const auto there = cells_of(r);
          return there.size() > 2 && there[0] == cells[0] && there[1] == cells[1];
        });
      }
    }
    if (line.starts_with("first at the target: ")) {
      ++verdicts;
      CHECK(written(line.substr(0, line.find(" after ") + 7)));
      CHECK(line.find("hogwild") == std::string::npos);
    }
    if (line.starts_with("workers ") || line.starts_with("apart, and not ranked: ")) {
      CHECK(written(line));
      ++verdicts;
    }
  }
  CHECK(rows >= 5);
  CHECK(verdicts == 3);
}

const std::array<const char*, 2> pages_of_tables{"docs/labs/README.md", "docs/data.md"};

/// Whether check_tables() runs it.
bool is_checked_with_its_table(const fs::path& page, const Lines& lines, const Command& command) {
  const bool of_tables = std::ranges::any_of(
      pages_of_tables, [&](const char* name) { return fs::equivalent(page, root() / name); });
  return of_tables && command.words.front() == "compare" &&
         documented::table_after(lines, command.line).has_value();
}

/// How many tables below comparisons `page` has.
std::size_t check_tables(const fs::path& page) {
  const Lines lines = documented::lines_of_file(page);
  std::size_t tables = 0;
  for (const Command& command : documented::commands_of(page)) {
    const auto written = documented::table_after(lines, command.line);
    if (!written || command.words.front() != "compare") continue;
    ++tables;
    documented::check_table(command, *written);
  }
  return tables;
}

}  // namespace

TEST_CASE("the commands of the documentation run", "[docs][slow]") {
  std::size_t ran = 0;
  std::set<std::vector<std::string>> done;  // what stands in several pages runs once
  for (const fs::path& file : pages()) {
    const Lines lines = documented::lines_of_file(file);
    const Command *run = nullptr, *saving = nullptr;  // the last ones that leave a folder
    const std::vector<Command> commands = documented::commands_of(file);
    for (const Command& command : commands) {
      CAPTURE(command.text());
      const auto has = [&](const char* flag) {
        return std::ranges::count(command.words, flag) > 0;
      };
      if (command.words.front() == "run" && has("--out")) run = &command;
      if (has("--checkpoint")) saving = &command;
      if (is_checked_with_its_table(file, lines, command)) continue;
      const bool of_large_data = std::any_of(
          command.words.begin(), command.words.end(),
          [](const std::string& word) { return word == "a9a" || word == "fashion-mnist"; });
      if (of_large_data && !fs::exists(TRAINYARD_LARGE_DATA_SETS)) {
        WARN("left out, as its data set is not here: " << command.text());
        continue;
      }
      // A server, which ends when it is interrupted: tests/app/lab_test.cpp.
      if (std::count(command.words.begin(), command.words.end(), "lab") > 0) continue;
      const TemporaryFolder folder;
      const bool is_of_run = command.words.front() == "score" || command.words.front() == "export";
      if (!done.insert(command.words).second && !is_of_run) continue;
      if (has("--resume")) {
        REQUIRE(saving != nullptr);
        REQUIRE(documented::run_in(folder.path(), *saving).status == 0);
      }
      if (is_of_run) {
        REQUIRE(run != nullptr);
        REQUIRE(documented::run_in(folder.path(), *run).status == 0);
      }
      const Outcome outcome = documented::run_in(folder.path(), command);
      INFO(outcome.errors);
      CHECK(documented::is_done(command, outcome));
      ++ran;
    }
  }
  CHECK(ran > 20);
}

TEST_CASE("the README and docs/comparing.md have what the first command prints", "[docs]") {
  const Outcome outcome = run_program({"compare", "--format", "table"});
  REQUIRE(outcome.status == 0);
  check_first_table(outcome.output, root() / "README.md");
  check_first_table(outcome.output, root() / "docs/comparing.md");
}

TEST_CASE("the tables of labs and of data are what the program prints", "[docs][slow]") {
  for (const char* page : pages_of_tables) {
    CAPTURE(page);
    CHECK(check_tables(root() / page) >= 1);
  }
}

}  // namespace trainyard
