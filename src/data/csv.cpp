// CSV, TSV and other tables: numbers and words, one of the columns the label. Blanks around a field
// and blank lines are passed over; quotes are RFC 4180's (table_field.hpp). delimiter.cpp has the
// rule by which the separator is found, header_line.cpp that for a header line, table_scan.cpp the
// one by which a column holds words.
//
// A training file is read as if it held nothing but numbers. At the first fault that ends, and the
// file is read twice from its beginning: once to learn which words each column holds, and once more
// to make rows of them, or to find all of its faults. So files of numbers are read as fast as if
// there were no others, nor line breaks in quotes: these are such a fault. A test file is read by
// what its training file showed, in one go.
#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/shell.hpp"

#include "data/readers.hpp"
#include "data/table_layout.hpp"
#include "data/table_parser.hpp"
#include "data/table_scan.hpp"
#include "data/text_pipeline.hpp"

namespace trainyard {

namespace {

/// Word labels are coded by their places in the sorted list, 0 .. k-1; a test file may lack some of
/// them.
ReadOptions with_classes(const ReadOptions& options, const TableSchema& schema) {
  ReadOptions with = options;
  with.features = schema.features;
  if (schema.class_names.empty()) return with;
  with.coding = LabelCoding::from_zero;
  with.classes = static_cast<int>(schema.class_names.size());
  return with;
}

void parse_table(TextBlocks& blocks, const Table& table, DatasetBuilder& builder,
                 OnFault on_fault) {
  parse_text(
      blocks, [&](std::string_view text, ParsedBlock& block) { parse_rows(table, text, block); },
      builder, on_fault);
}

/// How the table is written, where a comma and a point would be no news.
void add_dialect_remark(const std::string& file, const TableHead& head, const ReadOptions& options,
                        std::vector<std::string>& remarks) {
  const TableDialect& dialect = head.dialect;
  std::vector<std::string> found;
  if (options.table.delimiter == 0 && dialect.separator != usual_separator(options.format)) {
    found.push_back(
        fmt::format("--delimiter {}", quoted_for_shell(delimiter_text(dialect.separator))));
  }
  const char usual_decimal = options.schema != nullptr ? options.schema->decimal : '.';
  if (options.table.decimal == 0 && dialect.decimal != usual_decimal) {
    found.push_back(fmt::format("--decimal {}", dialect.decimal));
  }
  if (found.empty()) return;
  remarks.push_back(fmt::format("note: {}: its first rows show {}", file, fmt::join(found, " ")));
}

void add_row_number_remarks(const std::string& file, const TableHead& head,
                            const TableSchema& schema, std::vector<std::string>& remarks) {
  for (const TableColumn& column : schema.columns) {
    if (std::ranges::find(head.row_numbers, column.column) == head.row_numbers.end()) continue;
    // Above columns that are called 0, 1, 2, … only a number from the end means a place.
    const bool unnamed = column.name.empty() || head.names.empty();
    const std::string by_place = head.names.empty()
                                     ? fmt::to_string(column.column)
                                     : fmt::format("-{}", head.columns - column.column);
    remarks.push_back(fmt::format(
        "warning: {}: {} counts the rows and says nothing of them; --drop-columns {} leaves it out",
        file,
        column.name.empty() ? fmt::format("the unnamed column in place {}", column.column)
                            : fmt::format("column {}", echoed(column.name)),
        unnamed ? by_place : pasted_column(column.name)));
  }
}

void add_group_remark(const std::string& file, const TableHead& head, const ReadOptions& options,
                      const TableSchema& schema, std::vector<std::string>& remarks) {
  const auto divides_rows = group_column(file, head, options);
  if (!divides_rows || divides_rows == schema.label_column || !options.table.columns.empty())
    return;
  if (chosen_columns(file, head, "drop-columns", options.table.drop_columns)[*divides_rows]) return;
  remarks.push_back(
      fmt::format("note: {}: column {} divides the rows among the workers, and is no feature "
                  "(--columns makes features of what it names)",
                  file, echoed(head.name_of(*divides_rows))));
}

/// `is_held_out`: the rows are read as a training file was, whose rows say what fills them.
void add_remarks(const std::string& file, const DatasetBuilder& builder, bool is_held_out,
                 std::vector<std::string>& remarks) {
  const auto add = [&](std::size_t count, std::string_view one, std::string_view many) {
    if (count == 0) return;
    remarks.push_back(fmt::format("note: {}: {} {}", file, count, count == 1 ? one : many));
  };
  add(builder.rows_left_out(), "row with missing fields was left out",
      "rows with missing fields were left out");
  if (is_held_out) {
    add(builder.missing_fields(), "missing field is filled as in the training rows",
        "missing fields are filled as in the training rows");
  } else {
    add(builder.missing_fields(), "missing field is filled from the other rows of its column",
        "missing fields are filled from the other rows of their columns");
  }
  add(builder.unknown_words(), "word is none of the training file's: its features are 0",
      "words are none of the training file's: their features are 0");
  if (builder.recoded_words() == 0) return;
  remarks.push_back(
      fmt::format("warning: {}: words of it are the training file's in another encoding, UTF-8 or "
                  "Latin-1; iconv -f latin1 -t utf8 makes UTF-8 of the other",
                  file));
}

CodedDataset finish_table(const Table& table, DatasetBuilder& builder, TableSchema schema,
                          std::vector<std::string> remarks) {
  CodedDataset result =
      table.plan.hashed > 0 ? builder.finish_sparse() : builder.finish_dense(table.plan.features);
  result.unknown_words = builder.unknown_words();
  result.missing_fields = builder.missing_fields();
  result.remarks = table.head.remarks;
  add_dialect_remark(table.file, table.head, table.options, result.remarks);
  if (table.options.schema == nullptr) {
    schema.scaled = scaled_features(table.file, table.head, table.options, schema);
    add_row_number_remarks(table.file, table.head, schema, result.remarks);
    add_group_remark(table.file, table.head, table.options, schema, result.remarks);
  }
  result.schema = table.options.schema != nullptr
                      ? table.options.schema
                      : std::make_shared<const TableSchema>(std::move(schema));
  std::ranges::move(remarks, std::back_inserter(result.remarks));
  add_remarks(table.file, builder, table.options.schema != nullptr, result.remarks);
  return result;
}

/// Both readings of a file that holds more than numbers.
CodedDataset read_words(const NamedSource& file, const TableHead& head, const ReadOptions& options,
                        TableSchema schema) {
  const auto open = [&] {
    TextBlocks blocks(file.reopen(), file.name);
    blocks.keep_rows_whole(head.dialect.separator);
    // A header line may be longer than a block.
    for (std::size_t bytes = 0; head.skipped_lines > 0 && bytes != blocks.peek().size();) {
      bytes = blocks.peek().size();
      const auto lines = static_cast<std::size_t>(std::ranges::count(blocks.peek(), '\n'));
      if (lines > head.skipped_lines) break;
      blocks.peek_further();
    }
    if (head.skipped_lines > 0) blocks.skip_lines(head.skipped_lines);
    return blocks;
  };
  std::vector<std::string> remarks;
  TextBlocks scanned = open();
  scan_words(scanned, head, options, schema, remarks);
  const ReadOptions with = with_classes(options, schema);
  const Table table{file.name, with, head, plan_of(file.name, head, schema, options)};
  DatasetBuilder builder(file.name, with, head.skipped_lines);
  TextBlocks parsed = open();
  parse_table(parsed, table, builder, OnFault::read_on);
  return finish_table(table, builder, schema, std::move(remarks));
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

/// Columns that the options say to be of words or of dates are known after a scan only.
bool needs_scan(const std::string& file, const TableSchema& schema, bool may_read_again) {
  const bool needs = std::ranges::any_of(
      schema.columns, [](const TableColumn& column) { return column.kind != ColumnKind::numbers; });
  if (needs && !may_read_again) {
    throw DataError(fmt::format(
        "{}: is a pipe, which is read once; --categorical and --date need a file", file));
  }
  return needs;
}

}  // namespace

CodedDataset read_separated(NamedSource file, const ReadOptions& options) {
  TextBlocks blocks(std::move(file.bytes), file.name, file.continued);
  // The first row decides before any is parsed, so that every block is held against the same count.
  const TableHead head = read_head(blocks, usual_separator(options.format), options);
  if (head.columns == 0) refuse_empty_table(file.name, options);
  check_head(file.name, head, options);
  const bool is_test = options.schema != nullptr;
  const bool may_read_again = !is_test && file.reopen;
  TableSchema schema = is_test ? *options.schema : numeric_schema(file.name, head, options);
  if (!is_test && needs_scan(file.name, schema, may_read_again)) {
    return read_words(file, head, options, std::move(schema));
  }
  const ReadOptions with = with_classes(options, schema);
  const Table table{file.name, with, head, plan_of(file.name, head, schema, options),
                    !may_read_again};
  if (may_read_again) blocks.keep_lines_whole();
  DatasetBuilder builder(file.name, with, file.lines_before + head.skipped_lines);
  parse_table(blocks, table, builder, may_read_again ? OnFault::end : OnFault::read_on);
  if (may_read_again && builder.has_faults()) {
    return read_words(file, head, options, std::move(schema));
  }
  if (builder.has_faults() && !is_test) refuse_words_of_pipe(builder);
  return finish_table(table, builder, schema, {});
}

}  // namespace trainyard
