// LIBSVM (SVMlight) text: one row a line, "label index:value index:value ...", indices from 1 and
// increasing within a row. Blank lines are passed over, and so is what follows a '#'.
#include <bit>
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

/// The rows of one block of text.
class LibsvmParser {
 public:
  LibsvmParser(const ReadOptions& options, ParsedBlock& block)
      : options_(&options), block_(&block) {}

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
    return take_label() && parse_row();
  }

  /// Where rows need no label, one that begins with INDEX:VALUE has none.
  bool take_label() {
    const std::string_view label = token_at(next_);
    const bool has_none = label.find(':') != std::string_view::npos;
    if (options_->labels == LabelUse::required ||
        (options_->labels == LabelUse::if_there && !has_none)) {
      if (!parse_label(label, place_of(next_), options_->real_labels, *block_)) return false;
    } else {
      add_no_label(options_->real_labels, *block_);
    }
    if (!has_none) next_ += label.size();
    return true;
  }

  bool parse_row() {
    const std::size_t nonzeros_before = block_->columns.size();
    make_room(nonzeros_before);
    std::uint64_t last_index = 0;
    for (;;) {
      skip_blanks();
      last_index = take_plain_entries(last_index);
      skip_blanks();
      if (at_end()) break;
      const char* entry = next_;
      const ParsedIndex index = parse_index(entry, line_end_);
      if (!check_index(entry, index, last_index)) return false;
      last_index = index.value;
      if (!parse_entry(entry, index)) return false;
    }
    const auto nonzeros =
        static_cast<std::size_t>(next_column_ - block_->columns.data()) - nonzeros_before;
    block_->columns.resize(nonzeros_before + nonzeros);
    block_->values.resize(nonzeros_before + nonzeros);
    block_->row_sizes.push_back(static_cast<std::uint32_t>(nonzeros));
    if (nonzeros > 0) note_largest(block_->columns.back() + 1);
    return true;
  }

  /// For what is left of the line: an entry has three characters, and a blank before it.
  void make_room(std::size_t nonzeros_before) {
    const auto most = static_cast<std::size_t>(line_end_ - next_) / 4;
    block_->columns.resize(nonzeros_before + most);
    block_->values.resize(nonzeros_before + most);
    next_column_ = block_->columns.data() + nonzeros_before;
    next_value_ = block_->values.data() + nonzeros_before;
  }

  /// Entries of the form that nearly all have, one blank between them, as far as they go. The last
  /// index is returned, and `next_` is what follows. At the line's end there is no digit: no need
  /// to look whether it is there.
  [[gnu::noinline]] std::uint64_t take_plain_entries(std::uint64_t last_index) {
    const std::uint64_t most = options_->features != 0 ? options_->features : largest_index;
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
      const std::uint64_t index = value_of_digits(eight_characters(next), colon);
      if (index <= last_index || index > most) break;
      const PlainFloat value = plain_float(next, colon + 1, map, without_first_marks(map));
      const char* const end = next + value.end;
      if (value.end == 0 || (*end != ' ' && end != line_end_)) break;
      last_index = index;
      columns[count] = static_cast<std::uint32_t>(index - 1);
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

  /// The last index of a row is its largest.
  void note_largest(std::uint32_t index) {
    if (index <= block_->largest_column) return;
    block_->largest_column = index;
    block_->largest_column_line = line_number_;
  }

  /// The value after "index:", kept under column index - 1.
  bool parse_entry(const char* entry, const ParsedIndex& index) {
    const char* value_begin = index.end + 1;
    const ParsedFloat value = parse_float(value_begin, line_end_);
    next_ = value.end;
    if (value.fault != NumberFault::none || !(at_line_end() || ends_token(*next_))) {
      const std::string_view token = token_at(value_begin);
      return fault_at(kind_of(value.fault), value_begin, token,
                      [&] { return fault_text(value.fault, token); });
    }
    if (options_->features != 0 && index.value > options_->features) {
      if (options_->drop_unknown_features) return true;
      return index_fault(entry, index, [&] { return beyond_features_text(index.value); });
    }
    *next_column_++ = static_cast<std::uint32_t>(index.value - 1);
    *next_value_++ = value.value * options_->scale;
    return true;
  }

  bool check_index(const char* entry, const ParsedIndex& index, std::uint64_t last_index) {
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
    if (index.value == 0) {
      return index_fault(entry, index, [] {
        return std::string("found feature index 0; expected indices that count from 1");
      });
    }
    if (index.value <= last_index) {
      return index_fault(entry, index, [&] {
        return fmt::format(
            "found feature index {} after {}; expected increasing indices within a row",
            index.value, last_index);
      });
    }
    return true;
  }

  static std::string no_entry_text(std::string_view token) {
    if (token.starts_with("qid:")) {
      return fmt::format(
          "found {}; expected INDEX:VALUE (ranking data with query ids cannot be "
          "trained on)",
          echoed(token));
    }
    return fmt::format("found {}; expected INDEX:VALUE", echoed(token));
  }

  std::string beyond_features_text(std::uint64_t index) const {
    return fmt::format("found feature index {}; expected at most {}, the number of features", index,
                       options_->features);
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
  ParsedBlock* block_;
  std::size_t line_number_ = 0;
  const char* line_begin_ = nullptr;
  const char* line_end_ = nullptr;
  const char* next_ = nullptr;
  const char* plain_end_ = nullptr;  // numbers that begin before it may be read as plain ones
  // Destinations of the next entry of the row that is being read.
  std::uint32_t* next_column_ = nullptr;
  float* next_value_ = nullptr;
};

}  // namespace

CodedDataset read_libsvm(NamedSource file, const ReadOptions& options) {
  TextBlocks blocks(std::move(file.bytes), file.name);
  DatasetBuilder builder(file.name, options, file.lines_before);
  parse_text(
      blocks,
      [&](std::string_view text, ParsedBlock& block) { LibsvmParser(options, block).parse(text); },
      builder);
  return builder.finish_sparse();
}

}  // namespace trainyard
