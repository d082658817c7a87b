// What the documentation shows is what the program does: its commands run, and the tables of the
// labs hold what `--format markdown` prints.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "data/files.hpp"
#include "labs/documented.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

namespace fs = std::filesystem;
using documented::Command;
using documented::Lines;
using documented::root;

std::vector<fs::path> documents() {
  std::vector<fs::path> files{root() / "README.md", root() / "CONTRIBUTING.md"};
  for (const auto& entry : fs::recursive_directory_iterator(root() / "docs")) {
    if (entry.path().extension() == ".md") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

TEST_CASE("the commands of the documentation run", "[docs][slow]") {
  std::size_t ran = 0;
  for (const fs::path& file : documents()) {
    for (const Command& command : documented::commands_of(file)) {
      CAPTURE(command.text());
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
      const Outcome outcome = documented::run_in(folder.path(), command);
      INFO(outcome.errors);
      CHECK(documented::is_done(command, outcome));
      ++ran;
    }
  }
  CHECK(ran > 20);
}

TEST_CASE("the tables of the labs are what the program prints", "[docs][slow]") {
  const fs::path file = root() / "docs" / "labs" / "README.md";
  const Lines lines = documented::lines_of_file(file);
  std::size_t tables = 0;
  for (const Command& command : documented::commands_of(file)) {
    const auto written = documented::table_after(lines, command.line);
    if (!written || command.words.front() != "compare") continue;
    ++tables;
    documented::check_table(command, *written);
  }
  CHECK(tables >= 6);
}

}  // namespace trainyard
