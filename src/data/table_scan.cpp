// A column holds words where more than half of its fields that are not missing are words. So it
// does where it has ten different values at most, and each of the words among them comes ten times
// on average: "2", "3", "4", "5more". In all other columns a word is a fault, as a typing error is,
// which the reading proper finds and names.
//
// Who reads the table may say what a column holds.
//
// Blocks are scanned by all cores, sixteen at a time, and merged in order.
#include "data/table_scan.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <optional>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/parallel.hpp"

#include "data/dates.hpp"
#include "data/number_form.hpp"
#include "data/table_rows.hpp"

namespace trainyard {

namespace {

constexpr std::size_t blocks_at_once = 16;
constexpr std::size_t few_values = 10;
constexpr std::size_t times_of_each = 10;

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
};

/// The values of one column.
class ColumnValues {
 public:
  void add(std::string_view text, const TableDialect& dialect) {
    if (dialect.is_missing(text)) return;
    ++fields_;
    if (dialect.is_word(text)) {
      ++words_;
      look_for_unit(text);
      if (decimal_comma_.empty() && number_form(text) == NumberForm::comma) decimal_comma_ = text;
    }
    if (const std::optional<double> day = parse_date(text)) {
      ++dates_;
      first_day_ = std::min(first_day_, *day);
    }
    if (!many_ && !values_.contains(text)) keep(std::string(text));
  }

  void merge(const ColumnValues& later) {
    fields_ += later.fields_;
    words_ += later.words_;
    dates_ += later.dates_;
    if (decimal_comma_.empty()) decimal_comma_ = later.decimal_comma_;
    if (later.has_other_units_ || (unit_ && later.unit_ && *unit_ != *later.unit_)) {
      has_other_units_ = true;
    }
    if (!unit_) {
      unit_ = later.unit_;
      with_unit_ = later.with_unit_;
    }
    first_day_ = std::min(first_day_, later.first_day_);
    if (later.many_) forget_values();
    for (const std::string& value : later.values_) {
      if (!many_) keep(value);
    }
  }

  bool holds_words(const TableDialect& dialect) const {
    if (2 * words_ > fields_) return true;
    if (words_ == 0 || many_ || values_.size() > few_values) return false;
    const auto different = static_cast<std::size_t>(std::ranges::count_if(
        values_, [&](const std::string& value) { return dialect.is_word(value); }));
    return words_ >= times_of_each * different;
  }
  bool has_too_many() const { return many_; }
  /// Ten fields at least, and no two alike.
  bool all_differ() const { return fields_ >= times_of_each && values_.size() == fields_; }
  /// "1,5" among words, or empty.
  const std::string& decimal_comma() const { return decimal_comma_; }
  bool holds_dates() const { return fields_ > 0 && dates_ == fields_; }
  /// A number of the column, where all of its words are numbers with one unit, and more than few;
  /// else "".
  const std::string& number_with_unit() const {
    static const std::string none;
    const bool all = unit_ && !has_other_units_ && 2 * words_ > fields_;
    return all && (many_ || values_.size() > few_values) ? with_unit_ : none;
  }
  double first_day() const { return dates_ == 0 ? 0.0 : first_day_; }
  std::size_t fields() const { return fields_; }

  std::vector<std::string> sorted() const {
    std::vector<std::string> all(values_.begin(), values_.end());
    std::ranges::sort(all);
    return all;
  }

 private:
  void look_for_unit(std::string_view text) {
    if (has_other_units_) return;
    std::optional<NumberUnit> unit = number_unit(text);
    has_other_units_ = !unit || (unit_ && *unit_ != *unit);
    if (unit_ || has_other_units_) return;
    unit_ = std::move(unit);
    with_unit_ = text;
  }
  void keep(std::string value) {
    values_.insert(std::move(value));
    if (values_.size() > most_words) forget_values();
  }
  void forget_values() {
    many_ = true;
    values_.clear();
  }

  std::size_t fields_ = 0;  // that are not missing
  std::size_t words_ = 0;
  std::size_t dates_ = 0;
  std::string decimal_comma_;
  std::optional<NumberUnit> unit_;  // of all words, unless there are others
  bool has_other_units_ = false;
  std::string with_unit_;  // the first of them
  double first_day_ = std::numeric_limits<double>::infinity();
  bool many_ = false;  // more values than most_words, and none is kept
  std::unordered_set<std::string, TextHash, std::equal_to<>> values_;
};

/// The columns to be scanned, by their place in the file.
struct ScannedColumns {
  std::vector<bool> used;  // [columns of the file]
  const TableDialect& dialect;
  bool whole_rows;  // rows with a missing field do not count
};

/// One block of text.
class BlockScan {
 public:
  explicit BlockScan(const ScannedColumns& columns)
      : columns_(&columns), values_(columns.used.size()) {}

  void scan(std::string_view text) {
    for_each_table_row(text, columns_->dialect.separator,
                       [this](std::size_t, std::string_view line) {
                         if (!is_blank_line(line)) scan_line(line);
                         return true;
                       });
  }

  void merge(const BlockScan& later) {
    for (std::size_t c = 0; c < values_.size(); ++c) values_[c].merge(later.values_[c]);
  }

  const ColumnValues& of(std::size_t column) const { return values_[column]; }

 private:
  void scan_line(std::string_view line) {
    if (columns_->whole_rows) {
      bool whole = true;
      for_each_used(line, [&](std::size_t, std::string_view text) {
        whole = whole && !columns_->dialect.is_missing(text);
      });
      if (!whole) return;
    }
    for_each_used(line, [this](std::size_t c, std::string_view text) {
      values_[c].add(text, columns_->dialect);
    });
  }

  /// Rows of another width, and broken quotes, are the affair of the reading proper.
  template <typename Handle>
  void for_each_used(std::string_view line, Handle handle) {
    const char* const end = line.data() + line.size();
    const char* next = line.data();
    for (std::size_t c = 0; c < columns_->used.size() && next != nullptr; ++c) {
      const Field field = next_field(next, end, columns_->dialect.separator, unquoted_);
      if (columns_->used[c] && !field.broken) handle(c, field.text);
      next = field.next;
    }
  }

  const ScannedColumns* columns_;
  std::vector<ColumnValues> values_;
  std::string unquoted_;
};

BlockScan scan_all(TextBlocks& blocks, const ScannedColumns& columns) {
  BlockScan all(columns);
  std::vector<TextBlock> texts(blocks_at_once);
  for (bool more = true; more;) {
    std::size_t count = 0;
    while (count < blocks_at_once && (more = blocks.next(texts[count]))) ++count;
    std::vector<BlockScan> scans(count, BlockScan(columns));
    parallel_blocks(count, [&](std::size_t block) { scans[block].scan(text_of(texts[block])); });
    for (const BlockScan& scan : scans) all.merge(scan);
  }
  return all;
}

/// "… holds numbers with more around them, as '$1,200'". Empty: it does not.
std::string units_text(const ColumnValues& values) {
  if (values.number_with_unit().empty()) return "";
  return fmt::format("numbers with more in their fields, as {}", echoed(values.number_with_unit()));
}

[[noreturn]] void refuse_words(const std::string& file, const std::string& column,
                               const ColumnValues& values) {
  if (const std::string units = units_text(values); !units.empty()) {
    throw DataError(fmt::format(
        "{}: column {} holds {}, more than {} different ones; expected numbers alone (take away "
        "what stands around them), or --drop-columns {}",
        file, echoed(column), units, most_words, pasted_column(column)));
  }
  if (values.holds_dates()) {
    throw DataError(fmt::format(
        "{}: column {} holds more than {} different dates, each of which would be a feature; "
        "--date {} makes days of them, and --drop-columns {} leaves it out",
        file, echoed(column), most_words, pasted_column(column), pasted_column(column)));
  }
  if (!values.decimal_comma().empty()) {
    throw DataError(fmt::format(
        "{}: found more than {} different words in column {}, as {}, which is a number with "
        "--decimal ,; or leave the column out with --drop-columns {}",
        file, most_words, echoed(column), echoed(values.decimal_comma()), pasted_column(column)));
  }
  throw DataError(
      fmt::format("{}: found more than {} different words in column {}; expected numbers, or fewer "
                  "of them: leave an identifier out with --drop-columns {}, or let words share "
                  "features with --hash 2^18",
                  file, most_words, echoed(column), pasted_column(column)));
}

/// What an expert would ask about a column of words. Empty: nothing.
std::string doubt_about(const std::string& file, const std::string& column,
                        const ColumnValues& values) {
  if (values.holds_dates()) {
    return fmt::format(
        "warning: {}: column {} holds dates, each of which is a feature; --date {} makes days of "
        "them",
        file, echoed(column), pasted_column(column));
  }
  if (const std::string units = units_text(values); !units.empty()) {
    return fmt::format(
        "warning: {}: column {} holds {}, and each is a word with a feature of its own; without "
        "what stands around them they are numbers, --drop-columns {} leaves the column out, and "
        "--categorical {} says that words are meant",
        file, echoed(column), units, pasted_column(column), pasted_column(column));
  }
  if (!values.all_differ()) return "";
  return fmt::format(
      "warning: {}: each of the {} words in column {} comes once, as in an identifier, and says "
      "nothing of other rows; --drop-columns {} leaves it out",
      file, values.fields(), echoed(column), pasted_column(column));
}

/// The label's words, where it has any.
std::vector<std::string> classes_in(const std::string& file, const std::string& column,
                                    const ColumnValues& labels, const TableDialect& dialect) {
  if (!labels.holds_words(dialect)) return {};
  if (labels.has_too_many()) {
    throw DataError(
        fmt::format("{}: found more than {} different words in column {}; expected labels "
                    "(--label-column says where they are)",
                    file, most_words, echoed(column)));
  }
  std::vector<std::string> classes = labels.sorted();
  if (classes.size() == 1) {
    throw DataError(fmt::format("{}: found no label but {}; expected two or more different ones",
                                file, echoed(classes.front())));
  }
  return classes;
}

/// "'colour' 3, 'shape' 4".
std::string words_text(const TableSchema& schema) {
  constexpr std::size_t most_named = 8;
  std::vector<std::string> parts;
  for (const TableColumn& column : schema.columns) {
    if (column.categories.empty()) continue;
    if (parts.size() == most_named) {
      parts.emplace_back("…");
      break;
    }
    parts.push_back(fmt::format("{} {}", echoed(column.name), column.categories.size()));
  }
  return joined(parts);
}

/// What is made of a column, and what of that the user should know.
void settle_column(const std::string& file, const ColumnValues& values, const TableDialect& dialect,
                   bool may_hold_words, std::size_t hash, TableColumn& column,
                   std::vector<std::string>& remarks) {
  if (column.kind == ColumnKind::dates) {
    column.first_day = values.first_day();
    return;
  }
  const bool said = column.kind == ColumnKind::words;
  if (!said && !(may_hold_words && values.holds_words(dialect))) return;
  column.kind = ColumnKind::words;
  if (values.has_too_many()) {
    if (hash == 0) refuse_words(file, column.name, values);
    column.kind = ColumnKind::hashed;
    return;
  }
  column.categories = values.sorted();
  // A column without any value is one of numbers, which --missing treats as it does others.
  if (column.categories.empty()) column.kind = ColumnKind::numbers;
  std::string doubt = said ? "" : doubt_about(file, column.name, values);
  if (!doubt.empty()) remarks.push_back(std::move(doubt));
}

/// The features of each column, one after another; hashed words have the last.
void number_features(std::size_t hash, TableSchema& schema) {
  schema.features = 0;
  bool any_hashed = false;
  for (TableColumn& column : schema.columns) {
    column.first = schema.features;
    schema.features += column.features();
    any_hashed = any_hashed || column.kind == ColumnKind::hashed;
  }
  schema.hashed = any_hashed ? hash : 0;
  for (TableColumn& column : schema.columns) {
    if (column.kind == ColumnKind::hashed) column.first = schema.features;
  }
  schema.features += schema.hashed;
}

}  // namespace

void scan_words(TextBlocks& blocks, const TableHead& head, const ReadOptions& options,
                TableSchema& schema, std::vector<std::string>& remarks) {
  const TableDialect& dialect = head.dialect;
  ScannedColumns scanned{std::vector<bool>(head.columns, false), dialect,
                         options.table.missing == MissingFields::drop};
  for (const TableColumn& column : schema.columns) scanned.used[column.column] = true;
  scanned.used[schema.label_column] = true;
  const BlockScan scan = scan_all(blocks, scanned);
  const std::vector<bool> numbers =
      chosen_columns(blocks.name(), head, "numeric", options.table.numeric);
  std::vector<std::string> doubts;
  for (TableColumn& column : schema.columns) {
    settle_column(blocks.name(), scan.of(column.column), dialect, !numbers[column.column],
                  options.table.hash, column, doubts);
  }
  number_features(options.table.hash, schema);
  if (!options.real_labels) {
    schema.class_names =
        classes_in(blocks.name(), schema.label_name, scan.of(schema.label_column), dialect);
    const std::string units = units_text(scan.of(schema.label_column));
    if (!schema.class_names.empty() && !units.empty()) {
      doubts.push_back(fmt::format(
          "warning: {}: the label {} holds {}, and each is a class of its own; without what stands "
          "around them they are numbers, which --model least-squares takes",
          blocks.name(), echoed(schema.label_name), units));
    }
  }
  const auto columns_of_words =
      std::ranges::count(schema.columns, ColumnKind::words, &TableColumn::kind);
  if (columns_of_words > 0) {
    remarks.push_back(fmt::format("note: {}: words in {} column{}, a feature for each: {}",
                                  blocks.name(), columns_of_words, columns_of_words == 1 ? "" : "s",
                                  words_text(schema)));
  }
  for (const TableColumn& column : schema.columns) {
    if (column.kind != ColumnKind::hashed) continue;
    remarks.push_back(fmt::format("note: {}: words of column {} share {} features (--hash)",
                                  blocks.name(), echoed(column.name), schema.hashed));
  }
  std::ranges::move(doubts, std::back_inserter(remarks));
}

}  // namespace trainyard
