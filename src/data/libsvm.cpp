// LIBSVM (SVMlight) text: one row a line, "label index:value index:value ...", indices from 1 and
// increasing within a row. Blank lines are passed over, and so is what follows a '#', and the query
// of ranking data, "qid:3". LIBSVM's own reader takes blanks behind a colon, and so does this one.
// "label:weight" in the place of the label gives the row a weight, as XGBoost has it.
//
// Where an index is 0, all of the file's count from there: the file is then read once more.
#include <bit>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"

#include "data/parse_number.hpp"
#include "data/plain_number.hpp"
#include "data/readers.hpp"
#include "data/text_pipeline.hpp"

namespace trainyard {

namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}
bool ends_token(char c) {
  return is_blank(c) || c == '#';
}

/// What a token that is no label may be instead.
std::string_view label_hint(std::string_view token) {
  if (token.find_first_of(",;|") != std::string_view::npos) {
    return "--data-format csv reads tables";
  }
  return "";
}

/// The rows of one block of text.
class LibsvmParser {
 public:
  LibsvmParser(const ReadOptions& options, std::uint32_t first_index, ParsedBlock& block)
      : options_(&options), first_index_(first_index), block_(&block) {}

  void parse(std::string_view text) {
    if constexpr (has_plain_numbers) {
      block_->digits.read(text);
      if (text.size() > plain_number_bytes)
        plain_end_ = text.data() + text.size() - plain_number_bytes;
    }
    block_->lines = for_each_line(text, [this](std::size_t number, std::string_view line) {
      parse_line(number, line);
      return true;
    });
  }

 private:
  /// False when the line has a fault; what follows it in the line is passed over.
  bool parse_line(std::size_t number, std::string_view line) {
    line_number_ = number;
    line_begin_ = next_ = line.data();
    line_end_ = line.data() + line.size();
    skip_blanks();
    if (at_end()) return true;
    if (!take_label()) return false;
    skip_blanks();
    skip_query();
    return parse_row();
  }

  /// Where rows need no label, one that begins with INDEX:VALUE has none. What has a sign is no
  /// index, and so a label.
  bool take_label() {
    may_be_index_.reset();
    const std::string_view token = token_at(next_);
    const std::size_t colon = token.find(':');
    const bool has_weight = colon != token.npos && colon > 0;
    const bool has_none = has_weight && options_->labels != LabelUse::required &&
                          !options_->label_weights && token.front() != '+' && token.front() != '-';
    if (has_none || options_->labels == LabelUse::none) {
      add_no_label(options_->real_labels, *block_);
    } else if (!parse_label(has_weight ? token.substr(0, colon) : token, place_of(next_),
                            options_->real_labels, label_hint, *block_)) {
      return false;
    }
    if (has_none) return true;
    next_ += token.size();
    if (!has_weight) return true;
    const char* const weight = token.data() + colon + 1;
    may_be_index_ = parse_index(token.data(), token.data() + colon);
    return parse_weight(token.substr(colon + 1), place_of(weight),
                        " (a row begins with its label, or label:weight)", *block_);
  }

  void skip_query() {
    if (at_line_end() || *next_ != 'q') return;
    const std::string_view token = token_at(next_);
    if (token.starts_with("qid:")) next_ += token.size();
  }

  bool parse_row() {
    const std::size_t nonzeros_before = block_->columns.size();
    make_room(nonzeros_before);
    std::int64_t last_index = std::int64_t{first_index_} - 1;
    for (;;) {
      skip_blanks();
      last_index = take_plain_entries(last_index);
      skip_blanks();
      if (at_end()) break;
      const char* entry = next_;
      const ParsedIndex index = parse_index(entry, line_end_);
      if (!check_index(entry, index, last_index)) return false;
      last_index = static_cast<std::int64_t>(index.value);
      if (!parse_entry(entry, index)) return false;
    }
    const auto nonzeros =
        static_cast<std::size_t>(next_column_ - block_->columns.data()) - nonzeros_before;
    block_->columns.resize(nonzeros_before + nonzeros);
    block_->values.resize(nonzeros_before + nonzeros);
    block_->row_sizes.push_back(static_cast<std::uint32_t>(nonzeros));
    if (may_be_index_) count_doubtful(nonzeros_before);
    if (nonzeros > 0) note_largest(block_->columns.back() + 1);
    return true;
  }

  /// A row whose label and weight could be its first entry.
  void count_doubtful(std::size_t nonzeros_before) {
    const bool whole = may_be_index_->end != nullptr && *may_be_index_->end == ':';
    const bool first =
        block_->columns.size() == nonzeros_before ||
        may_be_index_->value < std::uint64_t{block_->columns[nonzeros_before]} + first_index_;
    if (whole && first) ++block_->rows_maybe_unlabelled;
  }

  /// For what is left of the line: an entry has three characters, and a blank before it, but for
  /// the first, whose blanks are passed over already.
  void make_room(std::size_t nonzeros_before) {
    const auto most = (static_cast<std::size_t>(line_end_ - next_) + 1) / 4;
    block_->columns.resize(nonzeros_before + most);
    block_->values.resize(nonzeros_before + most);
    next_column_ = block_->columns.data() + nonzeros_before;
    next_value_ = block_->values.data() + nonzeros_before;
  }

  /// Entries of the form that nearly all have, one blank between them, as far as they go. The last
  /// index is returned, and `next_` is what follows. At the line's end there is no digit: no need
  /// to look whether it is there.
  [[gnu::noinline]] std::int64_t take_plain_entries(std::int64_t last_index) {
    const std::uint32_t first_index = first_index_;
    const auto most = static_cast<std::int64_t>(largest_known());
    const float scale = options_->scale;
    const char* const plain_end = plain_end_;
    const DigitMap& digits = block_->digits;
    std::uint32_t* const columns = next_column_;
    float* const values = next_value_;
    std::size_t count = 0;
    const char* next = next_;
    while (next < plain_end) {
      const std::uint64_t map = digits.from(next);
      const auto colon = static_cast<unsigned>(std::countr_zero(map));
      if (colon - 1 >= 8 || next[colon] != ':') break;
      const auto index = static_cast<std::int64_t>(value_of_digits(eight_characters(next), colon));
      if (index <= last_index || index > most) break;
      const PlainFloat value = plain_float(next, colon + 1, map, without_first_marks(map));
      const char* const end = next + value.end;
      if (value.end == 0 || (*end != ' ' && end != line_end_)) break;
      last_index = index;
      columns[count] = static_cast<std::uint32_t>(index - first_index);
      values[count] = value.value * scale;
      ++count;
      next = end;
      if (end == line_end_) break;
      ++next;
    }
    next_column_ += count;
    next_value_ += count;
    next_ = next;
    return last_index;
  }

  /// The largest index that a row may have.
  std::uint64_t largest_known() const {
    if (options_->features == 0) return largest_index;
    return options_->features - 1 + first_index_;
  }

  /// The last index of a row is its largest.
  void note_largest(std::uint32_t index) {
    if (index <= block_->largest_column) return;
    block_->largest_column = index;
    block_->largest_column_line = line_number_;
  }

  /// The value after "index:".
  bool parse_entry(const char* entry, const ParsedIndex& index) {
    const char* value_begin = index.end + 1;
    while (value_begin != line_end_ && is_blank(*value_begin)) ++value_begin;
    const ParsedFloat value = parse_float(value_begin, line_end_);
    next_ = value.end;
    if (value.fault != NumberFault::none || !(at_line_end() || ends_token(*next_))) {
      const std::string_view token = token_at(value_begin);
      return fault_at(kind_of(value.fault), value_begin, token,
                      [&] { return fault_text(value.fault, token); });
    }
    if (index.value > largest_known()) {
      if (options_->drop_unknown_features) return true;
      return index_fault(entry, index, [&] { return beyond_features_text(index.value); });
    }
    *next_column_++ = static_cast<std::uint32_t>(index.value - first_index_);
    *next_value_++ = value.value * options_->scale;
    return true;
  }

  bool check_index(const char* entry, const ParsedIndex& index, std::int64_t last_index) {
    if (index.end == entry || index.end == line_end_ || *index.end != ':') {
      const std::string_view token = token_at(entry);
      return fault_at(FaultKind::entry, entry, token, [&] { return no_entry_text(token); });
    }
    if (index.too_large) {
      return index_fault(entry, index, [&] {
        const std::string_view digits(entry, static_cast<std::size_t>(index.end - entry));
        return fmt::format("found feature index {}; expected at most {}", echoed(digits),
                           largest_index);
      });
    }
    if (index.value < first_index_) {
      block_->has_index_zero = true;
      return index_fault(entry, index, [] {
        return std::string(
            "found feature index 0; expected indices that count from 1 (--first-index 0: from 0)");
      });
    }
    if (static_cast<std::int64_t>(index.value) <= last_index) {
      return index_fault(entry, index, [&] {
        return fmt::format(
            "found feature index {} after {}; expected increasing indices within a row",
            index.value, last_index);
      });
    }
    return true;
  }

  static std::string no_entry_text(std::string_view token) {
    return fmt::format("found {}; expected INDEX:VALUE", echoed(token));
  }

  std::string beyond_features_text(std::uint64_t index) const {
    return fmt::format("found feature index {}; expected at most {}, the number of features", index,
                       largest_known());
  }

  void skip_blanks() {
    while (next_ != line_end_ && is_blank(*next_)) ++next_;
  }
  bool at_line_end() const { return next_ == line_end_; }
  bool at_end() const { return at_line_end() || *next_ == '#'; }

  std::string_view token_at(const char* begin) const {
    const char* end = begin;
    while (end != line_end_ && !ends_token(*end)) ++end;
    return {begin, static_cast<std::size_t>(end - begin)};
  }

  TextPosition place_of(const char* character) const {
    return {line_number_, static_cast<std::size_t>(character - line_begin_) + 1};
  }

  template <typename Message>
  bool fault_at(FaultKind kind, const char* character, std::string_view found, Message message) {
    block_->faults.add(kind, place_of(character), found, message);
    return false;
  }

  template <typename Message>
  bool index_fault(const char* entry, const ParsedIndex& index, Message message) {
    const std::string_view digits(entry, static_cast<std::size_t>(index.end - entry));
    return fault_at(FaultKind::index, entry, digits, message);
  }

  const ReadOptions* options_;
  std::uint32_t first_index_;
  ParsedBlock* block_;
  std::size_t line_number_ = 0;
  const char* line_begin_ = nullptr;
  const char* line_end_ = nullptr;
  const char* next_ = nullptr;
  std::optional<ParsedIndex> may_be_index_;  // in the place of the row's label, if it has a weight
  const char* plain_end_ = nullptr;  // numbers that begin before it may be read as plain ones
  // Destinations of the next entry of the row that is being read.
  std::uint32_t* next_column_ = nullptr;
  float* next_value_ = nullptr;
};

void parse_all(TextBlocks& blocks, const ReadOptions& options, std::uint32_t first_index,
               DatasetBuilder& builder, OnFault on_fault) {
  parse_text(
      blocks,
      [&](std::string_view text, ParsedBlock& block) {
        LibsvmParser(options, first_index, block).parse(text);
      },
      builder, on_fault);
}

CodedDataset finish(const std::string& name, DatasetBuilder& builder, std::uint32_t first_index) {
  const std::size_t doubtful = builder.rows_maybe_unlabelled();
  CodedDataset result = builder.finish_sparse();
  result.first_index = first_index;
  if (doubtful == result.data.rows) {
    result.remarks.push_back(
        fmt::format("warning: {}: what its rows begin with is taken for label:weight; were it "
                    "INDEX:VALUE, the rows would have no labels",
                    name));
  }
  return result;
}

CodedDataset read_again(const NamedSource& file, const ReadOptions& options,
                        std::uint32_t first_index) {
  TextBlocks blocks(file.reopen(), file.name);
  DatasetBuilder builder(file.name, options);
  parse_all(blocks, options, first_index, builder, OnFault::read_on);
  return finish(file.name, builder, first_index);
}

}  // namespace

bool may_lack_labels(std::string_view text, const ReadOptions& options) {
  ParsedBlock block;
  LibsvmParser(options, options.first_index.value_or(1), block).parse(text);
  const std::size_t rows = block.labels.size() + block.targets.size();
  return !block.faults.empty() || block.rows_maybe_unlabelled == rows;
}

CodedDataset read_libsvm(NamedSource file, const ReadOptions& options) {
  const bool may_find_zero = !options.first_index && file.reopen;
  const std::uint32_t first_index = options.first_index.value_or(1);
  TextBlocks blocks(std::move(file.bytes), file.name, file.continued);
  DatasetBuilder builder(file.name, options, file.lines_before);
  parse_all(blocks, options, first_index, builder, may_find_zero ? OnFault::end : OnFault::read_on);
  if (!may_find_zero || !builder.has_faults()) return finish(file.name, builder, first_index);
  if (!builder.has_index_zero()) return read_again(file, options, first_index);
  CodedDataset result = read_again(file, options, 0);
  result.remarks.push_back(
      fmt::format("note: {}: feature indices count from 0 (as with --first-index 0)", file.name));
  return result;
}

}  // namespace trainyard
