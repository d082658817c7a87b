// What the documentation shows is what the program does: its commands run, and the tables of the
// labs hold what `--format markdown` prints.
//
// In docs/labs/README.md a table that follows a `trainyard compare` is taken to be of it: its first
// row names columns of the program's table, its other rows are found by their cells in the columns
// scheme and whatever was varied, and each number may be off by 3 %, as processors round
// differently.
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/program.hpp"
#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

namespace fs = std::filesystem;
using Lines = std::vector<std::string>;
using Cells = std::vector<std::string>;

const fs::path& root() {
  static const fs::path path(TRAINYARD_SOURCE_DIR);
  return path;
}

Lines lines_of_file(const fs::path& file) {
  std::ifstream stream(file);
  REQUIRE(stream);
  Lines lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string trimmed(std::string text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.erase(0, 1);
  while (!text.empty() && blank(text.back())) text.pop_back();
  return text;
}

/// Words as a shell splits them: blanks, quotes, and what follows a '#' left out.
std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  bool there = false;
  for (const char c : command) {
    if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '\'' || c == '"') {
      quote = c;
      there = true;
    } else if (c == ' ') {
      if (there) words.push_back(word);
      word.clear();
      there = false;
    } else if (c == '#' && !there) {
      break;
    } else {
      word += c;
      there = true;
    }
  }
  if (there) words.push_back(word);
  return words;
}

struct Command {
  fs::path file;
  std::size_t line = 0;            // from 1; of its last line
  std::vector<std::string> words;  // without the program's own name

  std::string text() const {
    return fmt::format("{}:{}: {}", file.string(), line, fmt::join(words, " "));
  }
};

/// Lines of code that begin with the program, continued behind a backslash.
std::vector<Command> commands_of(const fs::path& file) {
  static const std::regex program(R"(^(    )?(\$ )?(trainyard|\./scripts/run\.sh) (.*)$)");
  const Lines lines = lines_of_file(file);
  std::vector<Command> commands;
  bool fenced = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].starts_with("```")) fenced = !fenced;
    std::smatch found;
    if (!std::regex_match(lines[i], found, program)) continue;
    if (!fenced && !found[1].matched) continue;
    std::string command = found[4];
    while (command.ends_with("\\") && i + 1 < lines.size()) {
      command.pop_back();
      command += trimmed(lines[++i]);
    }
    commands.push_back({file, i + 1, words_of(command)});
  }
  return commands;
}

std::vector<fs::path> documents() {
  std::vector<fs::path> files{root() / "README.md", root() / "CONTRIBUTING.md"};
  for (const auto& entry : fs::recursive_directory_iterator(root() / "docs")) {
    if (entry.path().extension() == ".md") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// In a folder of its own, with docs/ and the large data sets where the command looks for them.
Outcome run_in(const fs::path& folder, const Command& command) {
  if (!fs::exists(folder / "docs")) fs::create_directory_symlink(root() / "docs", folder / "docs");
  const fs::path data(TRAINYARD_LARGE_DATA_SETS);
  if (fs::exists(data) && !fs::exists(folder / "data")) {
    fs::create_directory_symlink(data, folder / "data");
  }
  return run_program(command.words, {.folder = folder});
}

/// Some labs are of what diverges.
bool is_done(const Command& command, const Outcome& outcome) {
  constexpr int diverged = 4;
  const bool of_lab = command.file.parent_path().filename() == "labs";
  return outcome.status == 0 || (of_lab && outcome.status == diverged);
}

/// "| a | b |" → a, b; bold and code marks taken off.
Cells cells_of(const std::string& line) {
  Cells cells;
  std::string cell;
  for (const char c : line.substr(line.find('|') + 1)) {
    if (c == '|') {
      cells.push_back(trimmed(cell));
      cell.clear();
    } else if (c != '*' && c != '`') {
      cell += c;
    }
  }
  return cells;
}

bool is_table_line(const std::string& line) {
  return line.starts_with("|");
}

struct Table {
  std::size_t line = 0;  // of its heading, from 1
  Cells heading;
  std::vector<Cells> rows;
};

/// The first table from line `from` on (an index), unless a heading or another command comes first.
std::optional<Table> table_after(const Lines& lines, std::size_t from) {
  for (std::size_t i = from; i < lines.size(); ++i) {
    if (lines[i].starts_with("#") || lines[i].starts_with("    trainyard")) return std::nullopt;
    if (!is_table_line(lines[i])) continue;
    Table table{.line = i + 1, .heading = cells_of(lines[i]), .rows = {}};
    for (std::size_t row = i + 2; row < lines.size() && is_table_line(lines[row]); ++row) {
      table.rows.push_back(cells_of(lines[row]));
    }
    return table;
  }
  return std::nullopt;
}

Table table_of_output(const std::string& text) {
  std::istringstream stream(text);
  Lines lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  const auto table = table_after(lines, 0);
  REQUIRE(table);
  return *table;
}

/// A number and what stands behind it: "1.5", " ms".
std::optional<std::pair<double, std::string>> number_of(const std::string& cell) {
  char* end = nullptr;
  const double value = std::strtod(cell.c_str(), &end);
  if (end == cell.c_str()) return std::nullopt;
  return std::pair(value, std::string(end));
}

bool agree(const std::string& written, const std::string& found) {
  // Of several seeds the program has "mean ± deviation", and a lab may have the mean alone.
  const bool mean_alone = written.find(" ± ") == std::string::npos;
  const auto a = number_of(written),
             b = number_of(mean_alone ? found.substr(0, found.find(" ± ")) : found);
  if (!a || !b) return written == found;
  constexpr double rounding = 0.03;
  return a->second == b->second && std::abs(a->first - b->first) <=
                                       rounding * std::max(std::abs(a->first), std::abs(b->first));
}

/// Where a column stands; fails where it is none.
std::size_t column(const Table& table, const std::string& name) {
  const auto found = std::find(table.heading.begin(), table.heading.end(), name);
  INFO("no column '" << name << "' in the program's table");
  REQUIRE(found != table.heading.end());
  return static_cast<std::size_t>(found - table.heading.begin());
}

/// Columns that say which row it is: the scheme's, and those of the command's --vary.
std::vector<std::string> key_columns(const Command& command) {
  std::vector<std::string> keys{"scheme"};
  for (std::size_t i = 0; i + 1 < command.words.size(); ++i) {
    if (command.words[i] != "--vary") continue;
    keys.push_back(command.words[i + 1].substr(0, command.words[i + 1].find('=')));
  }
  return keys;
}

void check_row(const Table& written, const Cells& row, const Table& found,
               const std::vector<std::string>& keys) {
  const auto cell_of = [&](const Table& table, const Cells& cells, const std::string& name) {
    return cells[column(table, name)];
  };
  const Cells* match = nullptr;
  for (const Cells& other : found.rows) {
    const bool same = std::all_of(keys.begin(), keys.end(), [&](const std::string& key) {
      return cell_of(written, row, key) == cell_of(found, other, key);
    });
    if (same) match = &other;
  }
  INFO("no such row in the program's table");
  REQUIRE(match != nullptr);
  for (std::size_t c = 0; c < written.heading.size(); ++c) {
    const std::string& name = written.heading[c];
    if (std::find(keys.begin(), keys.end(), name) != keys.end()) continue;
    CAPTURE(name, row[c], cell_of(found, *match, name));
    CHECK(agree(row[c], cell_of(found, *match, name)));
  }
}

}  // namespace

TEST_CASE("the commands of the documentation run", "[docs][slow]") {
  std::size_t ran = 0;
  for (const fs::path& file : documents()) {
    for (const Command& command : commands_of(file)) {
      CAPTURE(command.text());
      const bool of_large_data = std::any_of(
          command.words.begin(), command.words.end(),
          [](const std::string& word) { return word == "a9a" || word == "fashion-mnist"; });
      if (of_large_data && !fs::exists(TRAINYARD_LARGE_DATA_SETS)) {
        WARN("left out, as its data set is not here: " << command.text());
        continue;
      }
      const TemporaryFolder folder;
      const Outcome outcome = run_in(folder.path(), command);
      INFO(outcome.errors);
      CHECK(is_done(command, outcome));
      ++ran;
    }
  }
  CHECK(ran > 20);
}

TEST_CASE("the tables of the labs are what the program prints", "[docs][slow]") {
  const fs::path file = root() / "docs" / "labs" / "README.md";
  const Lines lines = lines_of_file(file);
  std::size_t tables = 0;
  for (Command command : commands_of(file)) {
    const auto written = table_after(lines, command.line);
    if (!written || command.words.front() != "compare") continue;
    ++tables;
    command.words.insert(command.words.end(), {"--format", "markdown", "--quiet"});
    const TemporaryFolder folder;
    const Outcome outcome = run_in(folder.path(), command);
    CAPTURE(command.text(), written->line, outcome.errors);
    REQUIRE(is_done(command, outcome));
    const Table found = table_of_output(outcome.output);
    for (const Cells& row : written->rows) {
      CAPTURE(row);
      REQUIRE(row.size() == written->heading.size());
      check_row(*written, row, found, key_columns(command));
    }
  }
  CHECK(tables >= 6);
}

}  // namespace trainyard
