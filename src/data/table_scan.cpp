// A column holds words where more than half of its fields that are not missing are words. So it
// does where it has ten different values at most, and each of the words among them comes ten times
// on average: "2", "3", "4", "5more". In all other columns a word is a fault, as a typing error is,
// which the reading proper finds and names.
//
// Blocks are scanned by all cores, sixteen at a time, and merged in order.
#include "data/table_scan.hpp"

#include <algorithm>
#include <functional>
#include <unordered_set>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/parallel.hpp"

#include "data/table_field.hpp"

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
  void add(std::string_view text) {
    if (is_missing(text)) return;
    ++fields_;
    if (is_word(text)) ++words_;
    if (!many_ && !values_.contains(text)) keep(std::string(text));
  }

  void merge(const ColumnValues& later) {
    fields_ += later.fields_;
    words_ += later.words_;
    if (later.many_) forget_values();
    for (const std::string& value : later.values_) {
      if (!many_) keep(value);
    }
  }

  bool holds_words() const {
    if (2 * words_ > fields_) return true;
    if (words_ == 0 || many_ || values_.size() > few_values) return false;
    const auto different = static_cast<std::size_t>(std::ranges::count_if(values_, is_word));
    return words_ >= times_of_each * different;
  }
  bool has_too_many() const { return many_; }

  std::vector<std::string> sorted() const {
    std::vector<std::string> all(values_.begin(), values_.end());
    std::ranges::sort(all);
    return all;
  }

 private:
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
  bool many_ = false;  // more values than most_words, and none is kept
  std::unordered_set<std::string, TextHash, std::equal_to<>> values_;
};

/// The columns to be scanned, by their place in the file.
struct ScannedColumns {
  std::vector<bool> used;  // [columns of the file]
  char separator;
  bool whole_rows;  // rows with a missing field do not count
};

/// One block of text.
class BlockScan {
 public:
  explicit BlockScan(const ScannedColumns& columns)
      : columns_(&columns), values_(columns.used.size()) {}

  void scan(std::string_view text) {
    for_each_line(text, [this](std::size_t, std::string_view line) {
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
      for_each_used(
          line, [&](std::size_t, std::string_view text) { whole = whole && !is_missing(text); });
      if (!whole) return;
    }
    for_each_used(line, [this](std::size_t c, std::string_view text) { values_[c].add(text); });
  }

  /// Rows of another width, and broken quotes, are the affair of the reading proper.
  template <typename Handle>
  void for_each_used(std::string_view line, Handle handle) {
    const char* const end = line.data() + line.size();
    const char* next = line.data();
    for (std::size_t c = 0; c < columns_->used.size() && next != nullptr; ++c) {
      const Field field = next_field(next, end, columns_->separator, unquoted_);
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

void check_number_of_words(const std::string& file, const std::string& column,
                           const ColumnValues& values) {
  if (!values.has_too_many()) return;
  throw DataError(fmt::format(
      "{}: found more than {} different words in column {}; expected numbers, or fewer of them: it "
      "is probably an identifier; leave it out with --drop-columns {}",
      file, most_words, echoed(column), column));
}

/// The label's words, where it has any.
std::vector<std::string> classes_in(const std::string& file, const std::string& column,
                                    const ColumnValues& labels) {
  if (!labels.holds_words()) return {};
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

}  // namespace

void scan_words(TextBlocks& blocks, char separator, const TableHead& head,
                const ReadOptions& options, TableSchema& schema,
                std::vector<std::string>& remarks) {
  ScannedColumns scanned{std::vector<bool>(head.columns, false), separator,
                         options.table.missing == MissingFields::drop};
  for (const TableColumn& column : schema.columns) scanned.used[column.column] = true;
  scanned.used[schema.label_column] = true;
  const BlockScan scan = scan_all(blocks, scanned);
  schema.features = 0;
  std::size_t columns_of_words = 0;
  for (TableColumn& column : schema.columns) {
    const ColumnValues& values = scan.of(column.column);
    if (values.holds_words()) {
      check_number_of_words(blocks.name(), column.name, values);
      column.categories = values.sorted();
      ++columns_of_words;
    }
    column.first = schema.features;
    schema.features += column.features();
  }
  if (!options.real_labels) {
    schema.class_names = classes_in(blocks.name(), schema.label_name, scan.of(schema.label_column));
  }
  if (columns_of_words > 0) {
    remarks.push_back(fmt::format("note: {}: words in {} column{}, a feature for each: {}",
                                  blocks.name(), columns_of_words, columns_of_words == 1 ? "" : "s",
                                  words_text(schema)));
  }
}

}  // namespace trainyard
