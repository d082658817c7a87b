// What a document shows of the program: its commands, and below them tables and lines of what they
// print.
//
// A table below a `trainyard compare` is taken to be of it: its first row names columns of the
// program's table, its other rows are found by their cells in the columns scheme and whatever was
// varied, and each number may be off by 3 %, as processors round differently. Lines below any
// other command, in the same indented block, are lines that it prints, to the letter but for
// blanks; one that ends in … is the beginning of such a line.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "app/program.hpp"

namespace trainyard::documented {

using Lines = std::vector<std::string>;
using Cells = std::vector<std::string>;

struct Command {
  std::filesystem::path file;
  std::size_t line = 0;            // from 1; of its last line
  std::vector<std::string> words;  // without the program's own name

  std::string text() const;
};

struct Table {
  std::size_t line = 0;  // of its heading, from 1
  Cells heading;
  std::vector<Cells> rows;
};

/// Where the sources lie.
const std::filesystem::path& root();
Lines lines_of_file(const std::filesystem::path& file);

/// Lines of code that begin with the program, continued behind a backslash.
std::vector<Command> commands_of(const std::filesystem::path& file);
/// The first table from line `from` on (an index), unless a heading or another command comes first.
std::optional<Table> table_after(const Lines& lines, std::size_t from);
/// The lines below `command` in its block.
Lines lines_below(const Lines& document, const Command& command);
/// "a   b" → "a b": columns of text are as wide as their rows need.
std::string without_gaps(const std::string& line);

/// In a folder of its own, with docs/ and the large data sets where the command looks for them.
Outcome run_in(const std::filesystem::path& folder, const Command& command);
/// Some labs are of what diverges.
bool is_done(const Command& command, const Outcome& outcome);

/// Runs `command`, a comparison, and checks `written` against the table that it prints.
void check_table(Command command, const Table& written);
/// Runs `command` and checks that it prints `written`, in this order.
void check_lines(const Command& command, const Lines& written);

}  // namespace trainyard::documented
