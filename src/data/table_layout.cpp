// Whether the first row is a header line. It is where none of its fields is a number or empty, and
// either some column has a number in a row below, or it looks like names among words: all of them
// differ, and none occurs again below. The first block of the file is looked at, 16 KiB at least.
// So a typing error in the first row of numbers is still one, "label,0,1,2" needs --header yes, and
// so do names above words that repeat one of them.
#include "data/table_layout.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"

#include "data/table_field.hpp"

namespace trainyard {

namespace {

using Row = std::vector<std::string>;

Row fields_of(std::string_view line, char separator) {
  Row row;
  std::string unquoted;
  const char* const end = line.data() + line.size();
  for (const char* next = line.data(); next != nullptr;) {
    const Field field = next_field(next, end, separator, unquoted);
    row.emplace_back(field.text);
    next = field.next;
  }
  return row;
}

/// The rows of `text`, up to `most`.
std::vector<Row> rows_of(std::string_view text, char separator, std::size_t most) {
  std::vector<Row> rows;
  for_each_line(text, [&](std::size_t, std::string_view line) {
    if (!is_blank_line(line)) rows.push_back(fields_of(line, separator));
    return rows.size() < most;
  });
  return rows;
}

std::size_t first_row_line(std::string_view text) {
  std::size_t first = 0;
  for_each_line(text, [&](std::size_t number, std::string_view line) {
    if (!is_blank_line(line)) first = number;
    return first == 0;
  });
  return first;
}

bool looks_like_header(const std::vector<Row>& rows) {
  if (rows.size() < 2) return false;
  const Row& first = rows.front();
  // The first name may be empty above numbers: pandas writes row numbers like that.
  const bool numbered = first.size() > 1 && first.front().empty() &&
                        std::all_of(rows.begin() + 1, rows.end(), [](const Row& row) {
                          return !row.empty() && !is_word(row.front()) && !is_missing(row.front());
                        });
  const auto names_begin = first.begin() + (numbered ? 1 : 0);
  if (!std::all_of(names_begin, first.end(), is_word)) return false;
  const std::set<std::string> names(first.begin(), first.end());
  bool names_recur = false;
  for (std::size_t row = 1; row < rows.size(); ++row) {
    for (const std::string& field : rows[row]) {
      if (!is_word(field) && !is_missing(field)) return true;
      names_recur = names_recur || names.contains(field);
    }
  }
  return names.size() == first.size() && !names_recur;
}

/// A test file of a training file with names has them, too, in its first row.
bool has_names_of(const TableSchema& schema, const Row& row) {
  return schema.has_names && std::ranges::all_of(schema.columns, [&](const TableColumn& column) {
           return std::ranges::count(row, column.name) > 0;
         });
}

bool has_header(const std::vector<Row>& rows, const ReadOptions& options) {
  if (options.table.header != HeaderLine::automatic) return options.table.header == HeaderLine::yes;
  return looks_like_header(rows) || (options.schema && has_names_of(*options.schema, rows.front()));
}

/// The column that `text` names, if there is one.
std::optional<std::size_t> find_column(const TableHead& head, const std::string& text) {
  const auto named = std::ranges::find(head.names, text);
  if (named != head.names.end()) return static_cast<std::size_t>(named - head.names.begin());
  std::ptrdiff_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  const auto columns = static_cast<std::ptrdiff_t>(head.columns);
  if (error != std::errc{} || stop != end || number >= columns || number < -columns) return {};
  return static_cast<std::size_t>(number < 0 ? number + columns : number);
}

std::size_t column_of_option(const std::string& file, const TableHead& head,
                             std::string_view option, const std::string& text) {
  if (const auto column = find_column(head, text)) return *column;
  const std::string numbers =
      fmt::format("a number from 0 to {}, or -1 for the last column", head.columns - 1);
  if (head.names.empty()) {
    throw OptionError(option, text,
                      fmt::format("{} has {} and no header line; expected {}", file,
                                  counted(head.columns, "column"), numbers));
  }
  const std::string nearest = nearest_name(text, head.names);
  const std::string guess =
      nearest.empty() ? "" : fmt::format("; did you mean {}?", echoed(nearest));
  throw OptionError(
      option, text,
      fmt::format("{} has no such column{} Expected {}, or one of {}", file,
                  guess.empty() ? "." : guess, numbers, shortened(joined(head.names))));
}

std::vector<bool> chosen_columns(const std::string& file, const TableHead& head,
                                 std::string_view option, const std::string& list) {
  std::vector<bool> chosen(head.columns, false);
  for (const std::string& name : fields_of(list, ',')) {
    chosen[column_of_option(file, head, option, name)] = true;
  }
  return chosen;
}

/// The place of a name of the training file in a test file's header line.
std::size_t place_of(const std::string& file, const TableHead& head, const std::string& name) {
  const auto found = std::ranges::find(head.names, name);
  if (found == head.names.end()) {
    throw DataError(fmt::format("{}:{}:1: found no column {}; expected those of the training file",
                                file, head.skipped_lines, echoed(name)));
  }
  return static_cast<std::size_t>(found - head.names.begin());
}

bool all_differ(const std::vector<std::string>& names) {
  return std::set<std::string>(names.begin(), names.end()).size() == names.size();
}

/// If a name occurs twice, only the position identifies a column.
bool goes_by_name(const TableHead& head, const TableSchema& schema) {
  if (!schema.has_names || head.names.empty()) return false;
  std::vector<std::string> names{schema.label_name};
  for (const TableColumn& column : schema.columns) names.push_back(column.name);
  return all_differ(names) && all_differ(head.names);
}

}  // namespace

std::string TableHead::name_of(std::size_t column) const {
  return names.empty() ? fmt::to_string(column) : names[column];
}

TableHead read_head(TextBlocks& blocks, char separator, const ReadOptions& options) {
  constexpr std::size_t most_rows = 1000;
  std::vector<Row> rows = rows_of(blocks.peek(), separator, most_rows);
  // A header line may fill the first block alone.
  for (std::size_t bytes = 0; rows.size() == 1 && bytes != blocks.peek().size();) {
    bytes = blocks.peek().size();
    rows = rows_of(blocks.peek_further(), separator, most_rows);
  }
  TableHead head;
  if (rows.empty()) return head;
  head.line = first_row_line(blocks.peek());
  head.columns = rows.front().size();
  if (head.columns == 1 || !has_header(rows, options)) return head;
  head.names = rows.front();
  head.skipped_lines = head.line;
  blocks.skip_lines(head.skipped_lines);
  return head;
}

void check_head(const std::string& file, const TableHead& head, const ReadOptions& options) {
  if (head.columns == 0) return;  // no row: the builder says so
  if (head.columns == 1) {
    throw DataError(
        fmt::format("{}:{}:1: found a single column; expected a label and at least one feature",
                    file, head.line));
  }
  if (options.schema != nullptr) return;
  if (!options.table.columns.empty() || !options.table.drop_columns.empty()) return;
  if (options.features != 0 && options.features != head.columns - 1) {
    throw DataError(fmt::format("{}:{}:1: found {}; expected {} and the label", file, head.line,
                                counted(head.columns, "column"),
                                counted(options.features, "feature")));
  }
}

TableSchema numeric_schema(const std::string& file, const TableHead& head,
                           const ReadOptions& options) {
  TableSchema schema;
  schema.file_columns = head.columns;
  schema.has_names = !head.names.empty();
  schema.label_column = column_of_option(file, head, "label-column", options.label_column);
  schema.label_name = head.name_of(schema.label_column);
  const TableOptions& table = options.table;
  const std::vector<bool> kept = table.columns.empty()
                                     ? std::vector<bool>(head.columns, true)
                                     : chosen_columns(file, head, "columns", table.columns);
  const std::vector<bool> dropped =
      table.drop_columns.empty() ? std::vector<bool>(head.columns, false)
                                 : chosen_columns(file, head, "drop-columns", table.drop_columns);
  if (dropped[schema.label_column]) {
    throw OptionError(
        "drop-columns", table.drop_columns,
        fmt::format("column {} holds the label (--label-column)", echoed(schema.label_name)));
  }
  for (std::size_t column = 0; column < head.columns; ++column) {
    if (!kept[column] || dropped[column] || column == schema.label_column) continue;
    schema.columns.push_back({column, head.name_of(column), schema.features++, {}});
  }
  if (schema.columns.empty()) {
    const bool by_columns = !table.columns.empty();
    throw OptionError(by_columns ? "columns" : "drop-columns",
                      by_columns ? table.columns : table.drop_columns,
                      "no column is left for a feature");
  }
  return schema;
}

TablePlan plan_of(const std::string& file, const TableHead& head, const TableSchema& schema,
                  LabelUse labels) {
  const bool by_name = goes_by_name(head, schema);
  const bool may_lack_label = labels != LabelUse::required;
  const bool lacks_label =
      may_lack_label && (by_name ? std::ranges::count(head.names, schema.label_name) == 0
                                 : head.columns + 1 == schema.file_columns);
  if (!by_name && !lacks_label && head.columns != schema.file_columns) {
    throw DataError(fmt::format("{}:{}:1: found {}; expected {} as in the training file", file,
                                head.line, counted(head.columns, "column"), schema.file_columns));
  }
  const auto place = [&](std::size_t column, const std::string& name) {
    if (by_name) return place_of(file, head, name);
    return column - (lacks_label && column > schema.label_column ? 1 : 0);
  };
  TablePlan plan;
  plan.columns.resize(head.columns);
  plan.features = schema.features;
  if (!schema.class_names.empty()) plan.class_names = &schema.class_names;
  plan.labelled = !lacks_label && labels != LabelUse::none;
  if (plan.labelled) {
    plan.columns[place(schema.label_column, schema.label_name)].use = ColumnPlan::Use::label;
  }
  for (const TableColumn& column : schema.columns) {
    ColumnPlan& to = plan.columns[place(column.column, column.name)];
    to.use = column.categories.empty() ? ColumnPlan::Use::number : ColumnPlan::Use::words;
    to.first = column.first;
    if (!column.categories.empty()) to.categories = &column.categories;
  }
  return plan;
}

}  // namespace trainyard
