// A text file is cut at the ends of rows, and each piece is read as if it were a file: a table's
// header line is put before every piece, as its columns are found by it. While one piece is parsed
// the next is read and decompressed.
#include "trainyard/data/row_windows.hpp"

#include <algorithm>
#include <future>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/text_file.hpp"

#include "data/byte_source.hpp"
#include "data/readers.hpp"
#include "data/table_layout.hpp"
#include "data/text_blocks.hpp"

namespace trainyard {

namespace {

std::string name_of(const std::filesystem::path& file) {
  return file == "-" ? "standard input" : file.string();
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

}  // namespace

/// The blocks of a text, many of them at a time.
class RowWindows::Text {
 public:
  Text(TextBlocks blocks, std::size_t bytes) : blocks_(std::move(blocks)), bytes_(bytes) {
    fetch();
  }

  /// Empty at the end.
  std::string next() {
    if (!coming_.valid()) return {};
    std::string piece = coming_.get();
    if (!piece.empty()) fetch();
    return piece;
  }

 private:
  void fetch() {
    coming_ = std::async(std::launch::async, [this] { return read(); });
  }

  std::string read() {
    std::string piece;
    for (TextBlock block; piece.size() < bytes_ && blocks_.next(block);) piece += text_of(block);
    return piece;
  }

  // Of the thread that reads, until what it reads is got.
  TextBlocks blocks_;
  const std::size_t bytes_;
  std::future<std::string> coming_;
};

RowWindows::RowWindows(std::filesystem::path file, ReadOptions options, std::size_t bytes)
    : file_(std::move(file)), options_(std::move(options)) {
  const Format format = options_.format;
  if (has_labels_file(format) || format == Format::npz || is_own_format(format)) {
    if (file_ != "-") return;
    throw DataError(
        fmt::format("standard input: a file of format {} is not read from a pipe; "
                    "expected its name",
                    format_text(format)));
  }
  TextBlocks blocks(open_file(file_ == "-" ? "/dev/stdin" : file_), name_of(file_));
  if (format == Format::libsvm && options_.label_weights &&
      may_lack_labels(blocks.peek(), options_)) {
    options_.label_weights = false;
    remarks_.push_back(fmt::format("note: {}: its rows begin with INDEX:VALUE, and have no labels",
                                   name_of(file_)));
  }
  if (format != Format::libsvm) {
    require(options_.schema != nullptr, "windows of a table without a schema");
    take_header(blocks);
  }
  text_ = std::make_unique<Text>(std::move(blocks), bytes);
}

RowWindows::~RowWindows() = default;

/// Takes the header line and what stands before it away. What the beginning of the file shows holds
/// for all of it.
void RowWindows::take_header(TextBlocks& blocks) {
  const std::string beginning(blocks.peek());
  const TableHead head = read_head(blocks, usual_separator(options_.format), options_);
  if (head.columns == 0) return;  // no row: the reader says so
  remarks_ = head.remarks;
  options_.table.header = head.names.empty() ? HeaderLine::no : HeaderLine::yes;
  options_.table.delimiter = head.dialect.separator;
  options_.table.decimal = head.dialect.decimal;
  header_lines_ = lines_ = head.skipped_lines;
  std::size_t end = 0;
  for (std::size_t line = 0; line < header_lines_; ++line) end = beginning.find('\n', end) + 1;
  header_ = beginning.substr(0, end);
}

CodedDataset RowWindows::read(const std::string& text) {
  CodedDataset rows =
      read_text_window(header_ + text, name_of(file_), lines_ - header_lines_, options_);
  // A window sees its own rows only; a file's have all a label, or none.
  if (std::exchange(begun_, true) && rows.labelled != labelled_) {
    throw DataError(fmt::format(
        "{}: rows from line {} on have {} label, and those before them have {}; expected one in "
        "each "
        "row, or in none (--no-labels passes them over)",
        name_of(file_), lines_ + 1, rows.labelled ? "a" : "no", rows.labelled ? "none" : "one"));
  }
  labelled_ = rows.labelled;
  lines_ += static_cast<std::size_t>(std::ranges::count(text, '\n'));
  return rows;
}

std::optional<CodedDataset> RowWindows::next() {
  if (ended_) return std::nullopt;
  if (text_ == nullptr) {
    ended_ = true;
    return read_coded_dataset(file_, options_);
  }
  std::string text = text_->next();
  while (begun_ && !text.empty() && is_blank(text)) {
    lines_ += static_cast<std::size_t>(std::ranges::count(text, '\n'));
    text = text_->next();
  }
  if (begun_ && text.empty()) {
    ended_ = true;
    return std::nullopt;
  }
  return read(text);
}

}  // namespace trainyard
