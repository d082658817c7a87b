// CSV and TSV: numbers and words, one of the columns the label. Blanks around a field and blank
// lines are passed over; quotes are RFC 4180's (table_field.hpp). table_layout.cpp has the rule by
// which a header line is found, table_scan.cpp the one by which a column holds words.
//
// A training file is read as if it held nothing but numbers. At the first fault that ends, and the
// file is read twice from its beginning: once to learn which words each column holds, and once more
// to make rows of them, or to find all of its faults. So files of numbers are read as fast as if
// there were no others. A test file is read by what its training file showed, in one go.
#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"

#include "data/parse_number.hpp"
#include "data/plain_number.hpp"
#include "data/readers.hpp"
#include "data/table_field.hpp"
#include "data/table_layout.hpp"
#include "data/table_scan.hpp"
#include "data/text_pipeline.hpp"

namespace trainyard {

namespace {

constexpr std::string_view missing_hint = " (--missing mean or drop reads on)";

/// One table under way.
struct Table {
  const std::string& file;
  const ReadOptions& options;
  char separator;
  TableHead head;
  TablePlan plan;
};

/// The rows of one block of text.
class SeparatedParser {
 public:
  SeparatedParser(const Table& table, ParsedBlock& block)
      : table_(&table), plan_(&table.plan), block_(&block) {}

  void parse(std::string_view text) {
    if constexpr (has_plain_numbers) {
      block_->digits.read(text);
      if (text.size() > plain_number_bytes)
        plain_end_ = text.data() + text.size() - plain_number_bytes;
    }
    block_->lines = for_each_line(text, [this](std::size_t number, std::string_view line) {
      if (!is_blank_line(line)) parse_row(number, line);
      return true;
    });
  }

 private:
  void parse_row(std::size_t number, std::string_view line) {
    line_number_ = number;
    line_begin_ = line.data();
    row_begin_ = block_->values.size();
    block_->values.resize(row_begin_ + plan_->features, 0.0F);
    whole_ = true;
    const char* const line_end = line.data() + line.size();
    const char* next = line.data();
    for (std::size_t column = 0;; ++column) {
      column = take_plain_numbers(column, next);
      if (column == plan_->columns.size()) break;
      const ColumnPlan& plan = plan_->columns[column];
      const char* const begin = next;
      if (const char* const end = take_plain_number(plan, begin, line_end)) {
        next = end == line_end ? nullptr : end + 1;
      } else {
        const Field field = next_field(begin, line_end, table_->separator, unquoted_);
        if (field.broken) return quotes_fault(field);
        take(plan, field);
        next = field.next;
      }
      if (next != nullptr) continue;
      if (column + 1 == plan_->columns.size()) return finish_row();
      return count_fault(next_field(begin, line_end, table_->separator, unquoted_), "fewer");
    }
    count_fault(next_field(next, line_end, table_->separator, unquoted_), "more");
  }

  /// Takes plain numbers with a separator behind them, which nearly all fields are, from `column`
  /// on as far as they go. Returns the column after them, whose field begins at `next`.
  [[gnu::noinline]] std::size_t take_plain_numbers(std::size_t column, const char*& next) {
    const char separator = table_->separator;
    const float scale = table_->options.scale;
    const std::vector<ColumnPlan>& columns = plan_->columns;
    float* const values = block_->values.data() + row_begin_;
    const DigitMap& digits = block_->digits;
    const char* begin = next;
    for (; column < columns.size() && begin < plain_end_; ++column) {
      if (columns[column].use != ColumnPlan::Use::number) break;
      const std::uint64_t map = digits.from(begin);
      const PlainFloat number = plain_float(begin, 0, map, map & ~std::uint64_t{1});
      if (number.end == 0 || begin[number.end] != separator) break;
      values[columns[column].first] = number.value * scale;
      begin += number.end + 1;
    }
    next = begin;
    return column;
  }

  /// A number with nothing around it, whose end need not be looked for first. One past it; null
  /// where the field is anything else.
  const char* take_plain_number(const ColumnPlan& column, const char* begin, const char* line_end) {
    if (column.use != ColumnPlan::Use::number) return nullptr;
    const ParsedFloat parsed = parse_float(begin, line_end);
    if (parsed.fault != NumberFault::none) return nullptr;
    if (parsed.end != line_end && *parsed.end != table_->separator) return nullptr;
    block_->values[row_begin_ + column.first] = parsed.value * table_->options.scale;
    return parsed.end;
  }

  /// The label is parsed last: a row that is left out has none.
  void finish_row() {
    if (whole_ || !drops_rows()) {
      take_label();
      return;
    }
    block_->values.resize(row_begin_);
    ++block_->rows_left_out;
  }

  void take(const ColumnPlan& column, const Field& field) {
    switch (column.use) {
      case ColumnPlan::Use::ignored:
        return;
      case ColumnPlan::Use::number:
        return take_number(column, field);
      case ColumnPlan::Use::words:
        return take_word(column, field);
      case ColumnPlan::Use::label:
        label_place_ = field.place(line_number_, line_begin_);
        label_ = field.text;
        if (field.in_quotes) label_ = label_text_ = std::string(field.text);
        if (drops_rows() && is_missing(field.text)) whole_ = false;
        return;
    }
  }

  void take_number(const ColumnPlan& column, const Field& field) {
    const char* const end = field.text.data() + field.text.size();
    const ParsedFloat parsed = parse_float(field.text.data(), end);
    if (parsed.fault == NumberFault::none && parsed.end == end) {
      block_->values[row_begin_ + column.first] = parsed.value * table_->options.scale;
      return;
    }
    if (is_missing(field.text)) return take_missing(column, field);
    block_->faults.add(kind_of(parsed.fault), field.place(line_number_, line_begin_), field.text,
                       [&] { return fault_text(parsed.fault, field.text); });
  }

  void take_word(const ColumnPlan& column, const Field& field) {
    if (is_missing(field.text)) return take_missing(column, field);
    const auto& categories = *column.categories;
    const auto found = std::ranges::lower_bound(categories, field.text);
    if (found == categories.end() || *found != field.text) {
      ++block_->unknown_words;
      return;
    }
    const auto place = static_cast<std::size_t>(found - categories.begin());
    block_->values[row_begin_ + column.first + place] = 1.0F;
  }

  void take_missing(const ColumnPlan& column, const Field& field) {
    whole_ = false;
    if (drops_rows()) return;
    if (table_->options.table.missing == MissingFields::mean) {
      ++block_->missing_fields;
      block_->values[row_begin_ + column.first] = std::numeric_limits<float>::quiet_NaN();
      return;
    }
    const bool is_number = column.use == ColumnPlan::Use::number;
    block_->faults.add(FaultKind::missing, field.place(line_number_, line_begin_), field.text, [&] {
      return fmt::format("found {}; expected a {}{}",
                         field.text.empty() ? "an empty field" : echoed(field.text),
                         is_number ? "number" : "word", missing_hint);
    });
  }

  void take_label() {
    if (!plan_->labelled) return add_no_label(table_->options.real_labels, *block_);
    const std::vector<std::string>* names = plan_->class_names;
    if (names == nullptr) {
      parse_label(label_, label_place_, table_->options.real_labels, *block_);
      return;
    }
    const auto found = std::ranges::lower_bound(*names, label_);
    if (found != names->end() && *found == label_) {
      const auto label = static_cast<std::int32_t>(found - names->begin());
      block_->labels.push_back(label);
      block_->census.add(label, label_place_);
      return;
    }
    block_->faults.add(FaultKind::label, label_place_, label_, [&] {
      return fmt::format("found label {}; expected one of {}", echoed(label_),
                         shortened(joined(*names)));
    });
  }

  void quotes_fault(const Field& field) {
    block_->faults.add(FaultKind::quotes, field.place(line_number_, line_begin_), field.text, [&] {
      return fmt::format(
          "found {}; expected quotes around the whole field, which end in its line, and are "
          "doubled within it",
          echoed(field.text));
    });
  }

  void count_fault(const Field& field, std::string_view more_or_fewer) {
    block_->faults.add(FaultKind::column_count, field.place(line_number_, line_begin_), field.text,
                       [&] {
                         return fmt::format("found {} than {}; expected {} as in line {}",
                                            more_or_fewer, counted(plan_->columns.size(), "column"),
                                            plan_->columns.size(), table_->head.line);
                       });
  }

  bool drops_rows() const { return table_->options.table.missing == MissingFields::drop; }

  const Table* table_;
  const TablePlan* plan_;
  ParsedBlock* block_;
  const char* plain_end_ = nullptr;  // numbers that begin before it may be read as plain ones
  // State of the row that is being read.
  std::size_t line_number_ = 0;
  const char* line_begin_ = nullptr;
  std::size_t row_begin_ = 0;
  bool whole_ = true;  // no field is missing
  std::string_view label_;
  TextPosition label_place_;
  std::string label_text_;  // what `label_` refers to where it had quotes
  std::string unquoted_;
};

/// Word labels are coded by their places in the sorted list, 0 .. k-1; a test file may lack some of
/// them.
ReadOptions with_classes(const ReadOptions& options, const TableSchema& schema) {
  ReadOptions with = options;
  if (schema.class_names.empty()) return with;
  with.coding = LabelCoding::from_zero;
  with.classes = static_cast<int>(schema.class_names.size());
  return with;
}

void parse_table(TextBlocks& blocks, const Table& table, DatasetBuilder& builder,
                 OnFault on_fault) {
  parse_text(
      blocks,
      [&](std::string_view text, ParsedBlock& block) { SeparatedParser(table, block).parse(text); },
      builder, on_fault);
}

void add_remarks(const std::string& file, const DatasetBuilder& builder,
                 std::vector<std::string>& remarks) {
  const auto add = [&](std::size_t count, std::string_view one, std::string_view many) {
    if (count == 0) return;
    remarks.push_back(fmt::format("note: {}: {} {}", file, count, count == 1 ? one : many));
  };
  add(builder.rows_left_out(), "row with missing fields was left out",
      "rows with missing fields were left out");
  add(builder.missing_fields(), "missing field is filled from the other rows of its column",
      "missing fields are filled from the other rows of their columns");
  add(builder.unknown_words(), "word is none of the training file's: its features are 0",
      "words are none of the training file's: their features are 0");
}

CodedDataset finish_table(const Table& table, DatasetBuilder& builder,
                          std::shared_ptr<const TableSchema> schema,
                          std::vector<std::string> remarks) {
  CodedDataset result = builder.finish_dense(table.plan.features);
  result.schema = std::move(schema);
  result.unknown_words = builder.unknown_words();
  result.missing_fields = builder.missing_fields();
  result.remarks = std::move(remarks);
  add_remarks(table.file, builder, result.remarks);
  return result;
}

/// Both readings of a file that holds more than numbers.
CodedDataset read_words(const NamedSource& file, const Table& numeric, TableSchema schema) {
  const ReadOptions& options = numeric.options;
  const auto open = [&] {
    TextBlocks blocks(file.reopen(), file.name);
    if (numeric.head.skipped_lines > 0) read_head(blocks, numeric.separator, options);
    return blocks;
  };
  std::vector<std::string> remarks;
  TextBlocks scanned = open();
  scan_words(scanned, numeric.separator, numeric.head, options, schema, remarks);
  const auto shared = std::make_shared<const TableSchema>(std::move(schema));
  const ReadOptions with = with_classes(options, *shared);
  Table table{file.name, with, numeric.separator, numeric.head, {}};
  table.plan = plan_of(file.name, table.head, *shared, options.labels);
  DatasetBuilder builder(file.name, with, table.head.skipped_lines);
  TextBlocks parsed = open();
  parse_table(parsed, table, builder, OnFault::read_on);
  return finish_table(table, builder, shared, std::move(remarks));
}

/// A file without a row has no shape either: the builder says what is wrong with it.
void refuse_empty_table(const std::string& file, const ReadOptions& options) {
  DatasetBuilder(file, options).finish_dense(0);
}

[[noreturn]] void refuse_words_of_pipe(const DatasetBuilder& builder) {
  try {
    builder.check_faults();
  } catch (const DataError& error) {
    throw DataError(
        fmt::format("{} (words can be read from a file only, and not from a pipe)", error.what()));
  }
  throw InternalError("faults that are none");
}

}  // namespace

CodedDataset read_separated(NamedSource file, char separator, const ReadOptions& options) {
  TextBlocks blocks(std::move(file.bytes), file.name);
  // The first row decides before any is parsed, so that every block is held against the same count.
  const TableHead head = read_head(blocks, separator, options);
  if (head.columns == 0) refuse_empty_table(file.name, options);
  check_head(file.name, head, options);
  const auto schema =
      options.schema != nullptr
          ? options.schema
          : std::make_shared<const TableSchema>(numeric_schema(file.name, head, options));
  const ReadOptions with = with_classes(options, *schema);
  Table table{file.name, with, separator, head, plan_of(file.name, head, *schema, options.labels)};
  DatasetBuilder builder(file.name, with, file.lines_before + head.skipped_lines);
  const bool may_read_again = options.schema == nullptr && file.reopen;
  parse_table(blocks, table, builder, may_read_again ? OnFault::end : OnFault::read_on);
  if (may_read_again && builder.has_faults()) return read_words(file, table, *schema);
  if (builder.has_faults() && options.schema == nullptr) refuse_words_of_pipe(builder);
  return finish_table(table, builder, schema, {});
}

}  // namespace trainyard
