// Published results, as facts with their source, and where in the answers of this program what they
// are to be compared with is found. docs/published/NAME.toml has one each:
//
//   number = 2                           # in the order in which they are listed
//   title = "How often to write a checkpoint"
//   source = "Daly 2006, figures 3 to 5"
//   kind = "exact"                      # exact, measured, shape or order
//   takes = "under a second"
//   computes = "What is worked out here."
//   not-comparable = "What of the publication is not repeated, and why."
//   data = ["a9a"]                      # sets that its commands read
//
//   [[table]]
//   title = "Work between two checkpoints"
//   unit = "min"
//   command = "trainyard predict --checkpoint-time 5min --mtbf {column}"
//   ours = "rows[daly].interval_s / 60"  # of what the command prints with --json
//   tolerance = "as printed"             # or "25%", "a factor of 1.207", "0.01"
//   columns = ["24h", { label = "15 min", key = "15min" }]
//   [[table.row]]
//   label = "Daly"                       # may have key, command and ours of its own
//   published = ["117", "9.1"]           # "": nothing is printed there
//   differs = { "15 min" = "why ours is known to be another" }
//
//   [[claim]]
//   published = "What the paper says in words."
//   holds = ["ring @ 10 > 9 * ring @ 1"]  # rows and columns of its tables, by label; numbers
//   fails = "why not here"                # where it is known not to hold
//
//   [file]                                # what its commands read beside data sets
//   "rows.csv" = "1,2\n"
//
// {row} and {column} are their keys, which are their labels unless they are said.
//
// Threads: any; the table is built at the first call and never changes.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

enum class PublishedKind {
  exact,     // worked out there and here
  measured,  // on their machines, and worked out here
  shape,     // factors between things that were trained
  order      // only what is more than what
};

/// "exact" and so on.
std::string_view kind_name(PublishedKind kind);

/// How far ours may be from what is printed.
struct Tolerance {
  enum class Of { digits, share, factor, amount };
  Of of = Of::digits;   // digits: half of the last one that is printed
  double amount = 0.0;  // share: of what is printed; factor: 1.2, either way; amount: itself
  std::string text = "as printed";
};

struct PublishedCell {
  std::string published{};  // a number as it is printed; empty: none is
  std::string command{};    // "trainyard predict …", as a shell takes it
  std::string ours{};       // an expression over its JSON (answer_expression.hpp)
  std::string differs{};    // why ours is known to be out of tolerance; empty: it is within
};

struct PublishedTable {
  std::string title, unit;  // unit: empty for counts and ratios
  Tolerance tolerance{};
  std::vector<std::string> rows{}, columns{};       // labels
  std::vector<std::vector<PublishedCell>> cells{};  // [row][column]
};

struct CellPlace {
  std::size_t table = 0, row = 0, column = 0;
};

/// "9 * ring @ 1", "ring @ 1" or "9".
struct InequalitySide {
  double factor = 1.0;
  std::optional<CellPlace> cell{};  // empty: the factor alone
};

/// left < right, or whatever it says between them.
struct Inequality {
  std::string text;  // "ring @ 10 > 9 * ring @ 1"
  InequalitySide left{}, right{};
  std::string sign{};  // "<", "<=", ">" or ">="
};

struct PublishedClaim {
  std::string published;
  std::vector<Inequality> holds;  // all of them
  std::string fails{};            // why it is known not to hold here; empty: it holds
};

struct PublishedResult {
  std::string name;
  int number = 0;
  std::string title, source;
  PublishedKind kind = PublishedKind::exact;
  std::string takes;  // "3 s", of two cores
  std::string computes, not_comparable;
  std::vector<std::string> data{};             // sets of the catalogue
  std::map<std::string, std::string> files{};  // content by name
  std::vector<PublishedTable> tables{};
  std::vector<PublishedClaim> claims{};
};

/// The visible table, by number.
const std::vector<PublishedResult>& published_results();

/// Reads one. Throws InternalError, which names it and what is wrong.
PublishedResult read_published(const std::string& name, std::string_view text);

/// Those of the name: one, all of a kind, or "all". Throws UsageError for an unknown one.
std::vector<const PublishedResult*> published_named(const std::string& name);

}  // namespace trainyard
