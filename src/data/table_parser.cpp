#include "data/table_parser.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"

#include "data/dates.hpp"
#include "data/encodings.hpp"
#include "data/hashed_words.hpp"
#include "data/number_form.hpp"
#include "data/parse_number.hpp"
#include "data/plain_number.hpp"
#include "data/table_rows.hpp"

namespace trainyard {

namespace {

constexpr std::string_view missing_hint = " (--missing mean or drop reads on)";
constexpr std::string_view missing_word_hint =
    " (--missing mean or drop reads on; --missing-words says which words stand for nothing)";
constexpr std::string_view scored_hint =
    " (the model was trained without missing fields: --missing mean of its run fills them)";
std::string_view label_column_hint(std::string_view) {
  return "--label-column says which column is the label, -1 the last";
}

/// The rows of one block of text.
class RowParser {
 public:
  RowParser(const Table& table, ParsedBlock& block)
      : table_(&table), plan_(&table.plan), dialect_(&table.head.dialect), block_(&block) {}

  void parse(std::string_view text) {
    if constexpr (has_plain_numbers) {
      block_->digits.read(text);
      if (text.size() > plain_number_bytes)
        plain_end_ = text.data() + text.size() - plain_number_bytes;
    }
    const auto take_row = [this](std::size_t number, std::string_view row) {
      if (!is_blank_line(row)) parse_row(number, row);
      return true;
    };
    block_->lines = table_->may_quote_line_breaks
                        ? for_each_table_row(text, dialect_->separator, take_row)
                        : for_each_line(text, take_row);
  }

 private:
  void parse_row(std::size_t number, std::string_view line) {
    line_number_ = number;
    line_begin_ = line.data();
    row_begin_ = block_->values.size();
    block_->values.resize(row_begin_ + plan_->features - plan_->hashed, 0.0F);
    hashed_.clear();
    whole_ = true;
    unknown_words_ = 0;
    recoded_words_ = 0;
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
        const Field field = next_field(begin, line_end, dialect_->separator, unquoted_);
        if (field.broken) return quotes_fault(field);
        take(plan, field);
        next = field.next;
      }
      if (next != nullptr) continue;
      if (column + 1 == plan_->columns.size()) return finish_row();
      return count_fault(next_field(begin, line_end, dialect_->separator, unquoted_), "fewer");
    }
    if (table_->head.ends_empty && next == line_end) return finish_row();
    count_fault(next_field(next, line_end, dialect_->separator, unquoted_), "more");
  }

  /// Takes plain numbers with a separator behind them, which nearly all fields are, from `column`
  /// on as far as they go. Returns the column after them, whose field begins at `next`.
  [[gnu::noinline]] std::size_t take_plain_numbers(std::size_t column, const char*& next) {
    const char separator = dialect_->separator;
    const float scale = table_->options.scale;
    const std::vector<ColumnPlan>& columns = plan_->columns;
    float* const values = block_->values.data() + row_begin_;
    const DigitMap& digits = block_->digits;
    const char* begin = next;
    for (; column < columns.size() && begin < plain_end_; ++column) {
      if (columns[column].use != ColumnPlan::Use::plain_number) break;
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
    if (column.use != ColumnPlan::Use::plain_number) return nullptr;
    const ParsedFloat parsed = parse_float(begin, line_end);
    if (parsed.fault != NumberFault::none) return nullptr;
    if (parsed.end != line_end && *parsed.end != dialect_->separator) return nullptr;
    block_->values[row_begin_ + column.first] = parsed.value * table_->options.scale;
    return parsed.end;
  }

  /// The label is parsed last: a row that is left out has none.
  void finish_row() {
    if (whole_ || !drops_rows()) {
      block_->unknown_words += unknown_words_;
      block_->recoded_words += recoded_words_;
      if (plan_->hashed > 0) make_sparse();
      if (take_label() && plan_->weighted) take_weight();
      if (plan_->grouped) block_->groups.add(group_);
      return;
    }
    block_->values.resize(row_begin_);
    ++block_->rows_left_out;
  }

  /// What the row has but zeros, and behind it the hashed words, which may share a feature.
  void make_sparse() {
    const std::size_t own = plan_->features - plan_->hashed;
    const std::size_t columns_before = block_->columns.size();
    float* const row = block_->values.data() + row_begin_;
    std::size_t kept = 0;
    for (std::size_t f = 0; f < own; ++f) {
      if (row[f] == 0.0F) continue;
      block_->columns.push_back(static_cast<std::uint32_t>(f));
      row[kept++] = row[f];
    }
    block_->values.resize(row_begin_ + kept);
    std::ranges::sort(hashed_);
    for (std::size_t i = 0; i < hashed_.size(); ++i) {
      if (i > 0 && hashed_[i] == hashed_[i - 1]) {
        block_->values.back() += 1.0F;
        continue;
      }
      block_->columns.push_back(hashed_[i]);
      block_->values.push_back(1.0F);
    }
    block_->row_sizes.push_back(
        static_cast<std::uint32_t>(block_->columns.size() - columns_before));
  }

  void take(const ColumnPlan& column, const Field& field) {
    if (column.divides_rows) take_group(field);
    switch (column.use) {
      case ColumnPlan::Use::ignored:
        return;
      case ColumnPlan::Use::plain_number:
      case ColumnPlan::Use::any_number:
        return take_number(column, field);
      case ColumnPlan::Use::date:
        return take_date(column, field);
      case ColumnPlan::Use::hashed:
        return take_hashed(column, field);
      case ColumnPlan::Use::words:
        return take_word(column, field);
      case ColumnPlan::Use::label:
        label_place_ = place_of(field);
        label_ = field.text;
        if (field.in_quotes) label_ = label_text_ = std::string(field.text);
        if (drops_rows() && dialect_->is_missing(field.text)) whole_ = false;
        return;
      case ColumnPlan::Use::weight:
        weight_place_ = place_of(field);
        weight_.assign(field.text);
        if (drops_rows() && dialect_->is_missing(field.text)) whole_ = false;
        return;
    }
  }

  void take_number(const ColumnPlan& column, const Field& field) {
    if (dialect_->is_missing(field.text)) return take_missing(column, field);
    const ParsedFloat parsed = dialect_->parse(field.text);
    if (parsed.fault != NumberFault::none) {
      block_->faults.add(kind_of(parsed.fault), place_of(field), field.text,
                         [&] { return number_fault_text(parsed.fault, field.text); });
      return;
    }
    float value = parsed.value;
    if (column.subtracted != 0.0) {
      value = static_cast<float>(dialect_->parse_double(field.text) - column.subtracted);
    }
    block_->values[row_begin_ + column.first] = value * table_->options.scale;
  }

  static std::string number_fault_text(NumberFault fault, std::string_view text) {
    const NumberForm form = number_form(text);
    const bool may_be = form == NumberForm::comma || form == NumberForm::either_comma;
    std::string_view hint;
    if (may_be) hint = " (--decimal , or --decimal . says what its comma is)";
    if (form == NumberForm::either_point) {
      hint = " (--decimal , takes its points for marks of thousands)";
    }
    return fault_text(fault, text).append(hint);
  }

  void take_date(const ColumnPlan& column, const Field& field) {
    if (dialect_->is_missing(field.text)) return take_missing(column, field);
    if (const std::optional<double> days = parse_date(field.text)) {
      block_->values[row_begin_ + column.first] = static_cast<float>(*days - column.subtracted);
      return;
    }
    block_->faults.add(FaultKind::not_a_number, place_of(field), field.text, [&] {
      return fmt::format(
          "found {}; expected a date, as 2024-01-31, 31.01.2024 or 2024-01-31 17:30:00",
          echoed(field.text));
    });
  }

  void take_hashed(const ColumnPlan& column, const Field& field) {
    if (dialect_->is_missing(field.text)) return take_missing(column, field);
    const std::uint64_t place = hashed_on(column.seed, field.text) % plan_->hashed;
    hashed_.push_back(static_cast<std::uint32_t>(plan_->features - plan_->hashed + place));
  }

  void take_word(const ColumnPlan& column, const Field& field) {
    if (dialect_->is_missing(field.text)) return take_missing(column, field);
    const auto& categories = *column.categories;
    const auto found = std::ranges::lower_bound(categories, field.text);
    if (found == categories.end() || *found != field.text) {
      ++unknown_words_;
      const std::string other = in_other_encoding(field.text);
      if (!other.empty() && std::ranges::binary_search(categories, other)) ++recoded_words_;
      return;
    }
    const auto place = static_cast<std::size_t>(found - categories.begin());
    block_->values[row_begin_ + column.first + place] = 1.0F;
  }

  /// A value is its text: 1 and 1.0 are two.
  void take_group(const Field& field) {
    group_.assign(field.text);
    if (!dialect_->is_missing(field.text)) return;
    whole_ = false;
    if (drops_rows()) return;
    block_->faults.add(FaultKind::missing, place_of(field), field.text, [&] {
      return fmt::format(
          "found {}; expected a value by which rows are divided (--partition); --missing drop "
          "leaves such rows out",
          field.text.empty() ? "an empty field" : echoed(field.text));
    });
  }

  void take_missing(const ColumnPlan& column, const Field& field) {
    whole_ = false;
    if (drops_rows()) return;
    if (table_->options.table.missing == MissingFields::mean) {
      ++block_->missing_fields;
      if (column.use == ColumnPlan::Use::hashed) return;  // none of its features
      block_->values[row_begin_ + column.first] = std::numeric_limits<float>::quiet_NaN();
      return;
    }
    const bool is_word =
        column.use == ColumnPlan::Use::words || column.use == ColumnPlan::Use::hashed;
    const std::string_view what =
        is_word ? "word" : (column.use == ColumnPlan::Use::date ? "date" : "number");
    block_->faults.add(FaultKind::missing, place_of(field), field.text, [&] {
      // A word that one table has for "nothing" is a category of another.
      std::string_view hint = is_word && !field.text.empty() ? missing_word_hint : missing_hint;
      if (table_->options.labels != LabelUse::required) hint = scored_hint;
      return fmt::format("found {}; expected a {}{}",
                         field.text.empty() ? "an empty field" : echoed(field.text), what, hint);
    });
  }

  /// False where the label has a fault.
  bool take_label() {
    const bool has_none =
        table_->options.labels == LabelUse::if_there && dialect_->is_missing(label_);
    if (!plan_->labelled || has_none) {
      add_no_label(table_->options.real_labels, *block_);
      return true;
    }
    const std::vector<std::string>* names = plan_->class_names;
    if (names == nullptr) {
      const std::string plain =
          dialect_->decimal == '.' ? "" : plain_number_text(label_, dialect_->decimal);
      return parse_label(plain.empty() ? label_ : plain, label_place_, table_->options.real_labels,
                         label_column_hint, *block_);
    }
    const auto found = std::ranges::lower_bound(*names, label_);
    if (found != names->end() && *found == label_) {
      const auto label = static_cast<std::int32_t>(found - names->begin());
      block_->labels.push_back(label);
      block_->census.add(label, label_place_);
      return true;
    }
    block_->faults.add(FaultKind::label, label_place_, label_, [&] {
      if (dialect_->is_missing(label_)) {
        return fmt::format("found no label, but {}; --missing drop leaves such rows out",
                           echoed(label_));
      }
      // As the published test file of adult has them.
      const bool ends_in_stop =
          label_.ends_with('.') &&
          std::ranges::binary_search(*names, label_.substr(0, label_.size() - 1));
      if (std::ranges::binary_search(*names, in_other_encoding(label_))) {
        return fmt::format(
            "found label {}, which is the training file's in another encoding, UTF-8 or Latin-1 "
            "(iconv -f latin1 -t utf8 makes UTF-8 of the other)",
            echoed(label_));
      }
      return fmt::format(
          "found label {}; expected one of {}{}", echoed(label_), shortened(joined(*names)),
          ends_in_stop ? " (sed 's/\\.$//' takes the full stops from line ends)" : "");
    });
    return false;
  }

  void take_weight() {
    const std::string plain =
        dialect_->decimal == '.' ? "" : plain_number_text(weight_, dialect_->decimal);
    parse_weight(plain.empty() ? weight_ : plain, weight_place_, "", *block_);
  }

  void quotes_fault(const Field& field) {
    block_->faults.add(FaultKind::quotes, place_of(field), field.text, [&] {
      return fmt::format(
          "found {}; expected quotes around the whole field, which are doubled within it and end "
          "after {} KiB at most",
          echoed(field.text), most_quoted_bytes / 1024);
    });
  }

  void count_fault(const Field& field, std::string_view more_or_fewer) {
    block_->faults.add(FaultKind::column_count, place_of(field), field.text, [&] {
      return fmt::format("found {} than {}; expected {} as in line {}", more_or_fewer,
                         counted(plan_->columns.size(), "column"), plan_->columns.size(),
                         table_->head.line);
    });
  }

  TextPosition place_of(const Field& field) const { return field.place(line_number_, line_begin_); }

  bool drops_rows() const { return table_->options.table.missing == MissingFields::drop; }

  const Table* table_;
  const TablePlan* plan_;
  const TableDialect* dialect_;
  ParsedBlock* block_;
  const char* plain_end_ = nullptr;  // numbers that begin before it may be read as plain ones
  // State of the row that is being read.
  std::size_t line_number_ = 0;
  const char* line_begin_ = nullptr;
  std::size_t row_begin_ = 0;
  bool whole_ = true;              // no field is missing
  std::size_t unknown_words_ = 0;  // which count where the row is not left out
  std::size_t recoded_words_ = 0;  // of these: known in another encoding
  std::string_view label_;
  TextPosition label_place_;
  std::string label_text_;  // what `label_` refers to where it had quotes
  std::string weight_;
  std::string group_;
  TextPosition weight_place_;
  std::string unquoted_;
  std::vector<std::uint32_t> hashed_;  // features of its words
};

}  // namespace

void parse_rows(const Table& table, std::string_view text, ParsedBlock& block) {
  RowParser(table, block).parse(text);
}

}  // namespace trainyard
