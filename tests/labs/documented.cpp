#include "labs/documented.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "trainyard/study/student.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard::documented {

namespace {

namespace fs = std::filesystem;

std::string trimmed(std::string text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.erase(0, 1);
  while (!text.empty() && blank(text.back())) text.pop_back();
  return text;
}

Lines lines_of(std::istream& stream) {
  Lines lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

Lines lines_of_text(const std::string& text) {
  std::istringstream stream(text);
  return lines_of(stream);
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

/// "| a | b |" → a, b; bold and code marks taken off, and what escapes a bar within a cell.
Cells cells_of(const std::string& line) {
  Cells cells;
  std::string cell;
  for (const char c : line.substr(line.find('|') + 1)) {
    if (c == '|' && cell.ends_with('\\')) {
      cell.back() = c;
    } else if (c == '|') {
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

const std::string plus_minus = " ± ";

/// "mean ± spread" → both; the spread is empty where there is none.
std::pair<std::string, std::string> mean_and_spread(const std::string& cell) {
  const std::size_t between = cell.find(plus_minus);
  if (between == std::string::npos) return {cell, ""};
  return {cell.substr(0, between), cell.substr(between + plus_minus.size())};
}

/// A number and what stands behind it, in the unit without a prefix: "1.5 ms" is 0.0015, " s".
std::optional<std::pair<double, std::string>> number_of(const std::string& cell) {
  struct Unit {
    std::string written;
    double size;
    std::string plain;
  };
  static const std::vector<Unit> units{
      {" ms", 1e-3, " s"}, {" µs", 1e-6, " s"}, {" ns", 1e-9, " s"}, {" kB", 1e3, " B"},
      {" MB", 1e6, " B"},  {" GB", 1e9, " B"},  {" k", 1e3, ""},     {" M", 1e6, ""}};
  char* end = nullptr;
  const double value = std::strtod(cell.c_str(), &end);
  if (end == cell.c_str()) return std::nullopt;
  const std::string unit(end);
  for (const Unit& each : units) {
    if (unit == each.written) return std::pair(value * each.size, each.plain);
  }
  return std::pair(value, unit);
}

/// A column "total \\[ms\\]" as one named "total", with the unit in each of its cells.
void take_units_from_heading(Table& table) {
  for (std::size_t c = 0; c < table.heading.size(); ++c) {
    std::string& heading = table.heading[c];
    const std::size_t begin = heading.find(" \\[");
    if (begin == std::string::npos || !heading.ends_with("\\]")) continue;
    const std::string unit = heading.substr(begin + 3, heading.size() - begin - 5);
    heading.resize(begin);
    for (Cells& row : table.rows) {
      const auto [mean, spread] = mean_and_spread(row[c]);
      const auto number = number_of(mean);
      if (!number || !number->second.empty()) continue;
      row[c] = mean + " " + unit;
      if (!spread.empty()) row[c] += plus_minus + spread + " " + unit;
    }
  }
}

bool agree(const std::string& written, const std::string& found) {
  const auto a = number_of(written), b = number_of(found);
  if (!a || !b) return written == found;
  constexpr double rounding = 0.03;
  // Distances of vectors that are equal: what is left of sums in another compiler's order.
  constexpr double nothing = 1e-12;
  if (std::abs(a->first) < nothing && std::abs(b->first) < nothing) return a->second == b->second;
  return a->second == b->second && std::abs(a->first - b->first) <=
                                       rounding * std::max(std::abs(a->first), std::abs(b->first));
}

/// A deviation over so many seeds, as the program's text has it, against the half of an interval
/// that its Markdown has of the same, of two digits.
bool spreads_agree(const std::string& deviation, const std::string& half, std::size_t seeds) {
  const auto a = number_of(deviation), b = number_of(half);
  if (!a || !b || a->second != b->second) return false;
  constexpr double rounding = 0.05;
  const double expected = student_half_width(a->first, seeds);
  return std::abs(expected - b->first) <= rounding * expected;
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
    // Of several seeds the program has "mean ± spread", and a lab may have the mean alone.
    const auto [mean, deviation] = mean_and_spread(row[c]);
    const auto [found_mean, half] = mean_and_spread(cell_of(found, *match, name));
    CHECK(agree(mean, found_mean));
    if (deviation.empty()) continue;
    CHECK(spreads_agree(deviation, half, std::stoul(cell_of(found, *match, "seeds"))));
  }
}

/// Of a document's line with its blanks taken away.
bool is_printed_as(const std::string& written, const std::string& printed) {
  static const std::string more = "…";
  if (!written.ends_with(more)) return printed == written;
  return printed.starts_with(written.substr(0, written.size() - more.size()));
}

}  // namespace

std::string Command::text() const {
  return fmt::format("{}:{}: {}", file.string(), line, fmt::join(words, " "));
}

const fs::path& root() {
  static const fs::path path(TRAINYARD_SOURCE_DIR);
  return path;
}

Lines lines_of_file(const fs::path& file) {
  std::ifstream stream(file);
  REQUIRE(stream);
  return lines_of(stream);
}

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

std::optional<Table> table_after(const Lines& lines, std::size_t from) {
  for (std::size_t i = from; i < lines.size(); ++i) {
    if (lines[i].starts_with("#") || lines[i].starts_with("    trainyard")) return std::nullopt;
    if (!is_table_line(lines[i])) continue;
    Table table{.line = i + 1, .heading = cells_of(lines[i]), .rows = {}};
    for (std::size_t row = i + 2; row < lines.size() && is_table_line(lines[row]); ++row) {
      table.rows.push_back(cells_of(lines[row]));
    }
    take_units_from_heading(table);
    return table;
  }
  return std::nullopt;
}

Lines lines_below(const Lines& document, const Command& command) {
  static const std::string indented = "    ";
  Lines below;
  for (std::size_t i = command.line; i < document.size(); ++i) {
    if (!document[i].starts_with(indented) || document[i].starts_with("    trainyard ")) break;
    below.push_back(document[i].substr(indented.size()));
  }
  return below;
}

std::string without_gaps(const std::string& line) {
  std::string narrow;
  for (const char c : trimmed(line)) {
    if (c != ' ' || narrow.back() != ' ') narrow += c;
  }
  return narrow;
}

Outcome run_in(const fs::path& folder, const Command& command) {
  if (!fs::exists(folder / "docs")) fs::create_directory_symlink(root() / "docs", folder / "docs");
  const fs::path data(TRAINYARD_LARGE_DATA_SETS);
  if (fs::exists(data) && !fs::exists(folder / "data")) {
    fs::create_directory_symlink(data, folder / "data");
  }
  return run_program(command.words, {.folder = folder});
}

bool is_done(const Command& command, const Outcome& outcome) {
  constexpr int diverged = 4;
  const bool of_lab = command.file.parent_path().filename() == "labs";
  return outcome.status == 0 || (of_lab && outcome.status == diverged);
}

void check_table(Command command, const Table& written) {
  command.words.insert(command.words.end(), {"--format", "markdown", "--quiet"});
  const TemporaryFolder folder;
  const Outcome outcome = run_in(folder.path(), command);
  CAPTURE(command.text(), written.line, outcome.errors);
  REQUIRE(is_done(command, outcome));
  const auto found = table_after(lines_of_text(outcome.output), 0);
  REQUIRE(found);
  for (const Cells& row : written.rows) {
    CAPTURE(row);
    REQUIRE(row.size() == written.heading.size());
    check_row(written, row, *found, key_columns(command));
  }
}

void check_lines(const Command& command, const Lines& written) {
  const TemporaryFolder folder;
  const Outcome outcome = run_in(folder.path(), command);
  CAPTURE(command.text(), outcome.output, outcome.errors);
  REQUIRE(is_done(command, outcome));
  Lines printed = lines_of_text(outcome.output);
  std::ranges::transform(printed, printed.begin(), without_gaps);
  auto from = printed.cbegin();
  for (const std::string& line : written) {
    const auto found = std::find_if(from, printed.cend(), [&](const std::string& other) {
      return is_printed_as(without_gaps(line), other);
    });
    INFO("it does not print, or not after the line before it: " << line);
    REQUIRE(found != printed.cend());
    from = found + 1;
  }
}

}  // namespace trainyard::documented
