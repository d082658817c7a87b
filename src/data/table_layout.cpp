#include "data/table_layout.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/shell.hpp"

#include "data/hashed_words.hpp"
#include "data/header_line.hpp"
#include "data/number_form.hpp"
#include "data/table_rows.hpp"

namespace trainyard {

namespace {

struct FirstRow {
  std::size_t line = 0;       // 0: there is none
  std::size_t last_line = 0;  // it may have line breaks in quotes
};

FirstRow find_first_row(std::string_view text, char separator) {
  FirstRow first;
  for_each_table_row(text, separator, [&](std::size_t number, std::string_view row) {
    if (is_blank_line(row)) return true;
    first.line = number;
    first.last_line = number + static_cast<std::size_t>(std::ranges::count(row, '\n'));
    return false;
  });
  return first;
}

/// "sep=;", which spreadsheets write for themselves.
void refuse_separator_line(const std::string& file, std::string_view text) {
  std::size_t number = 1;
  for (std::size_t begin = 0; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    if (is_blank_line(line)) continue;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.starts_with("sep=") || line.size() != 5) return;
    if (std::string_view(",;|\t ").find(line.back()) == std::string_view::npos) return;
    throw DataError(
        fmt::format("{}:{}:1: found {}, which tells spreadsheets the separator and is no row; it "
                    "has to be deleted (--delimiter {} says the same)",
                    file, number, echoed(line), quoted_for_shell(delimiter_text(line.back()))));
  }
}

/// What may be wrong with a first row of a single column.
std::string single_column_hint(const TableHead& head) {
  if (head.columns_below > 1) {
    return fmt::format(", above a row of {} (a line that is no row has to be deleted)",
                       head.columns_below);
  }
  for (const char separator : {';', '\t', '|', ','}) {
    if (separator == head.dialect.separator) continue;
    const std::size_t fields = fields_of(head.only_field, separator).size();
    if (fields < 2) continue;
    return fmt::format(" (--delimiter {} makes {} of it)",
                       quoted_for_shell(delimiter_text(separator)), fields);
  }
  return "";
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

/// The columns that count the rows.
void find_row_numbers(bool header, const std::vector<Row>& rows, TableHead& head) {
  constexpr std::size_t enough = 10;
  const std::size_t begin = header ? 1 : 0;
  if (rows.size() < begin + enough) return;
  for (std::size_t c = 0; c < head.columns; ++c) {
    std::optional<long> before;
    const bool counts = std::all_of(
        rows.begin() + static_cast<std::ptrdiff_t>(begin), rows.end(), [&](const Row& row) {
          const std::optional<long> number = c < row.size() ? whole_number(row[c]) : std::nullopt;
          const bool next = number && (!before || *number == *before + 1);
          before = number;
          return next;
        });
    if (counts) head.row_numbers.push_back(c);
  }
}

}  // namespace

std::size_t column_of_option(const std::string& file, const TableHead& head,
                             std::string_view option, const std::string& text,
                             std::string_view before) {
  const std::string found = fmt::format("{}{}", before, text);
  if (std::ranges::count(head.names, text) > 1) {
    const auto first = std::ranges::find(head.names, text) - head.names.begin();
    throw OptionError(option, found,
                      fmt::format("{} has several columns of this name; expected a number, which "
                                  "is {} for the first of them",
                                  file, first));
  }
  if (const auto column = find_column(head, text)) return *column;
  const std::string numbers =
      fmt::format("a number from 0 to {}, or -1 for the last column", head.columns - 1);
  if (head.names.empty()) {
    throw OptionError(option, found,
                      fmt::format("{} has {} columns and no header line; expected {} (--header yes "
                                  "takes its first row for names)",
                                  file, head.columns, numbers));
  }
  const std::string nearest = nearest_name(text, head.names);
  const std::string guess =
      nearest.empty() ? "" : fmt::format("; did you mean {}?", echoed(nearest));
  throw OptionError(
      option, found,
      fmt::format("{} has no such column{} Expected {}, or one of {}", file,
                  guess.empty() ? "." : guess, numbers, shortened(joined(head.names))));
}

std::optional<std::size_t> group_column(const std::string& file, const TableHead& head,
                                        const ReadOptions& options) {
  if (options.group_column.empty()) return {};
  return column_of_option(file, head, "partition", options.group_column, "by:");
}

bool all_differ(const std::vector<std::string>& names) {
  return std::set<std::string>(names.begin(), names.end()).size() == names.size();
}

std::string TableHead::name_of(std::size_t column) const {
  return names.empty() ? fmt::to_string(column) : names[column];
}

std::vector<bool> chosen_columns(const std::string& file, const TableHead& head,
                                 std::string_view option, const std::string& list) {
  std::vector<bool> chosen(head.columns, false);
  if (list.empty()) return chosen;
  for (const std::string& name : fields_of(list, ',')) {
    chosen[column_of_option(file, head, option, name)] = true;
  }
  return chosen;
}

char usual_separator(Format format) {
  return format == Format::tsv ? '\t' : ',';
}

TableHead read_head(TextBlocks& blocks, char fallback, const ReadOptions& options) {
  constexpr std::size_t most_rows = 1000;
  TableHead head;
  refuse_separator_line(blocks.name(), blocks.peek());
  head.dialect = find_dialect(blocks.name(), blocks.peek(), fallback, options);
  const char separator = head.dialect.separator;
  blocks.keep_rows_whole(separator);
  std::vector<Row> rows = rows_of(blocks.peek(), separator, most_rows);
  // A header line may fill the first block alone.
  for (std::size_t bytes = 0; rows.size() == 1 && bytes != blocks.peek().size();) {
    bytes = blocks.peek().size();
    rows = rows_of(blocks.peek_further(), separator, most_rows);
  }
  if (rows.empty()) return head;
  const FirstRow first = find_first_row(blocks.peek(), separator);
  head.line = first.line;
  head.columns = rows.front().size();
  if (head.columns == 1) head.only_field = rows.front().front();
  if (rows.size() > 1) head.columns_below = rows[1].size();
  if (head.columns == 1 && options.labels == LabelUse::required) return head;
  HeaderGuess guess = guess_header(blocks.name(), head.line, rows, head.dialect, options);
  if (!guess.remark.empty()) head.remarks.push_back(std::move(guess.remark));
  if (options.schema == nullptr) find_row_numbers(guess.header, rows, head);
  if (!guess.header && options.schema != nullptr && options.schema->has_names) {
    head.remarks.push_back(fmt::format(
        "note: {}: has no header line, as the training file has: columns are taken by their places",
        blocks.name()));
  }
  if (!guess.header) return head;
  head.names = rows.front();
  head.ends_empty =
      rows.size() > 1 && std::all_of(rows.begin() + 1, rows.end(), [&](const Row& row) {
        return row.size() == head.columns + 1 && row.back().empty();
      });
  if (options.schema == nullptr && !all_differ(head.names)) {
    head.remarks.push_back(fmt::format(
        "note: {}: several columns have one name; they are meant by their numbers", blocks.name()));
  }
  head.skipped_lines = first.last_line;
  blocks.skip_lines(head.skipped_lines);
  return head;
}

void check_head(const std::string& file, const TableHead& head, const ReadOptions& options) {
  if (head.columns == 0) return;  // no row: the builder says so
  if (head.columns == 1 && options.labels == LabelUse::required) {
    throw DataError(fmt::format(
        "{}:{}:1: found a single column, {}{}; expected a label and at least one feature", file,
        head.line, echoed(head.only_field), single_column_hint(head)));
  }
  if (options.schema != nullptr) return;
  if (!options.table.columns.empty() || !options.table.drop_columns.empty()) return;
  const std::size_t features = head.columns - (options.table.weight_column.empty() ? 1 : 2);
  if (options.features != 0 && options.features != features) {
    throw DataError(fmt::format("{}:{}:1: found {}; expected {} and the label", file, head.line,
                                counted(head.columns, "column"),
                                counted(options.features, "feature")));
  }
}

namespace {

void take_weight_column(const std::string& file, const TableHead& head, const TableOptions& table,
                        const std::vector<bool>& dropped, TableSchema& schema) {
  if (table.weight_column.empty()) return;
  const std::size_t column = column_of_option(file, head, "weight-column", table.weight_column);
  schema.weight_column = column;
  schema.weight_name = head.name_of(column);
  if (column == schema.label_column) {
    throw OptionError(
        "weight-column", table.weight_column,
        fmt::format("column {} holds the label (--label-column)", echoed(schema.label_name)));
  }
  if (dropped[column]) {
    throw OptionError(
        "drop-columns", table.drop_columns,
        fmt::format("column {} holds the weights (--weight-column)", echoed(schema.weight_name)));
  }
}

}  // namespace

TableSchema numeric_schema(const std::string& file, const TableHead& head,
                           const ReadOptions& options) {
  TableSchema schema;
  schema.file_columns = head.columns;
  schema.has_names = !head.names.empty();
  schema.label_column = column_of_option(file, head, "label-column", options.label_column);
  schema.label_name = head.name_of(schema.label_column);
  schema.decimal = head.dialect.decimal;
  const TableOptions& table = options.table;
  const std::vector<bool> kept = table.columns.empty()
                                     ? std::vector<bool>(head.columns, true)
                                     : chosen_columns(file, head, "columns", table.columns);
  const std::vector<bool> dropped = chosen_columns(file, head, "drop-columns", table.drop_columns);
  const std::vector<bool> words = chosen_columns(file, head, "categorical", table.categorical);
  const std::vector<bool> dates = chosen_columns(file, head, "date", table.date);
  if (dropped[schema.label_column]) {
    throw OptionError(
        "drop-columns", table.drop_columns,
        fmt::format("column {} holds the label (--label-column)", echoed(schema.label_name)));
  }
  take_weight_column(file, head, table, dropped, schema);
  const std::optional<std::size_t> divides_rows = group_column(file, head, options);
  for (std::size_t column = 0; column < head.columns; ++column) {
    const bool is_other = column == schema.label_column || column == schema.weight_column ||
                          (column == divides_rows && table.columns.empty());
    if (!kept[column] || dropped[column] || is_other) continue;
    const ColumnKind kind = words[column]   ? ColumnKind::words
                            : dates[column] ? ColumnKind::dates
                                            : ColumnKind::numbers;
    schema.columns.push_back({column, head.name_of(column), schema.features++, {}, kind});
  }
  if (schema.columns.empty()) {
    constexpr std::string_view none_left = "no column is left for a feature";
    if (!table.columns.empty()) throw OptionError("columns", table.columns, std::string(none_left));
    if (table.drop_columns.empty() && divides_rows) {
      throw OptionError("partition", "by:" + options.group_column, std::string(none_left));
    }
    if (table.drop_columns.empty()) {
      throw OptionError("weight-column", table.weight_column, std::string(none_left));
    }
    throw OptionError("drop-columns", table.drop_columns, std::string(none_left));
  }
  return schema;
}

std::vector<bool> scaled_features(const std::string& file, const TableHead& head,
                                  const ReadOptions& options, const TableSchema& schema) {
  const std::string& list = options.table.scale_columns;
  const std::vector<bool> chosen = chosen_columns(file, head, "scale-columns", list);
  std::vector<bool> scaled(schema.features, false);
  for (const TableColumn& column : schema.columns) {
    const bool words = column.kind == ColumnKind::words || column.kind == ColumnKind::hashed;
    const bool takes = list.empty() ? !words : chosen[column.column];
    std::fill_n(scaled.begin() + static_cast<std::ptrdiff_t>(column.first), column.features(),
                takes);
  }
  if (std::ranges::find(scaled, false) == scaled.end()) scaled.clear();
  return scaled;
}

std::string pasted_column(const std::string& name) {
  if (name.find_first_of(",\"") == std::string::npos) return quoted_for_shell(name);
  std::string in_list(1, '"');
  for (const char c : name) in_list += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted_for_shell(in_list + '"');
}

}  // namespace trainyard
