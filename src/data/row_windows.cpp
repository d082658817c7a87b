// A text file is cut at the ends of lines, and each piece is read as if it were a file: a table's
// header line is put before every piece, as its columns are found by it. A piece ends outside of
// quotes, in which tables may have line breaks. While one piece is parsed the next is read and
// decompressed.
#include "trainyard/data/row_windows.hpp"

#include <algorithm>
#include <future>
#include <string>
#include <utility>

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

/// Pieces of whole lines.
class RowWindows::Text {
 public:
  Text(std::unique_ptr<ByteSource> source, std::size_t bytes, bool has_quotes)
      : source_(std::move(source)), bytes_(bytes), has_quotes_(has_quotes) {
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
    std::string piece = std::exchange(carried_, {});
    while (!ended_) {
      const std::size_t old_size = piece.size();
      piece.resize(old_size + bytes_);
      const std::size_t count = source_->read({piece.data() + old_size, bytes_});
      piece.resize(old_size + count);
      ended_ = count < bytes_;
      if (ended_) break;
      const std::size_t end = end_of_lines(piece, piece.size() < most_pieces * bytes_);
      if (end == 0) continue;
      carried_ = piece.substr(end);
      piece.resize(end);
      break;
    }
    return piece;
  }

  /// A quote that nobody closes does not take the whole file: the parser says what is wrong.
  static constexpr std::size_t most_pieces = 16;

  /// One past the last line break, outside of quotes where they count; 0: there is none. A piece
  /// begins outside.
  std::size_t end_of_lines(std::string_view text, bool quotes_count) const {
    std::size_t last = text.rfind('\n');
    if (last == std::string_view::npos) return 0;
    if (!has_quotes_ || !quotes_count) return last + 1;
    bool inside = std::ranges::count(text.substr(0, last), '"') % 2 == 1;
    while (inside) {
      const std::size_t before = last == 0 ? std::string_view::npos : text.rfind('\n', last - 1);
      if (before == std::string_view::npos) return 0;
      const auto between = text.substr(before, last - before);
      inside = inside != (std::ranges::count(between, '"') % 2 == 1);
      last = before;
    }
    return last + 1;
  }

  std::unique_ptr<ByteSource> source_;
  const std::size_t bytes_;
  const bool has_quotes_;
  // Of the thread that reads, until what it reads is got.
  std::string carried_;
  bool ended_ = false;
  std::future<std::string> coming_;
};

RowWindows::RowWindows(std::filesystem::path file, ReadOptions options, std::size_t bytes)
    : file_(std::move(file)), options_(std::move(options)) {
  const bool is_table = options_.format == Format::csv || options_.format == Format::tsv;
  require(!is_table || options_.schema != nullptr, "windows of a table without a schema");
  if (has_labels_file(options_.format)) return;
  text_ = std::make_unique<Text>(open_file(file_ == "-" ? "/dev/stdin" : file_), bytes, is_table);
}

RowWindows::~RowWindows() = default;

/// Whether the text that a file begins with has no row yet.
bool RowWindows::is_only_header(const std::string& text) {
  take_header(text);
  return is_blank(std::string_view(text).substr(header_.size()));
}

/// The header line and what stands before it, of the text that the file begins with.
void RowWindows::take_header(const std::string& text) {
  if (options_.schema == nullptr) return;
  TextBlocks blocks(open_bytes(text, name_of(file_)), name_of(file_));
  header_lines_ =
      read_head(blocks, options_.format == Format::tsv ? '\t' : ',', options_).skipped_lines;
  std::size_t end = 0;
  for (std::size_t line = 0; line < header_lines_; ++line) end = text.find('\n', end) + 1;
  header_ = text.substr(0, end);
}

CodedDataset RowWindows::read(const std::string& text) {
  const bool is_first = !std::exchange(begun_, true);
  const std::string whole = is_first ? text : header_ + text;
  const std::size_t before = is_first ? 0 : lines_ - header_lines_;
  CodedDataset rows = read_text_window(whole, name_of(file_), before, options_);
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
  // What stands before the rows may be longer than a window.
  for (std::string more; !begun_ && is_only_header(text); text += more) {
    more = text_->next();
    if (more.empty()) break;
  }
  return read(text);
}

}  // namespace trainyard
