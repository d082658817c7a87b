#include "data/text_blocks.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"

#include "data/file_kind.hpp"
#include "data/table_rows.hpp"

namespace trainyard {

namespace {

// Large enough that handing a block over (about a microsecond) is nothing beside parsing it (some
// hundred), small enough that the blocks that a core has under way, with what is parsed of them,
// stay in its second-level cache from the reading to the appending.
constexpr std::size_t largest_block_bytes = std::size_t{128} * 1024;
// A row of 16 million features at 16 bytes each. Without a limit a compressed file of zeros, a
// thousandth of its real size, would fill the memory before its first "line" ended.
constexpr std::size_t longest_line_bytes = std::size_t{256} * 1024 * 1024;

void erase_front(TextBlock& block, std::size_t bytes) {
  block.erase(block.begin(), block.begin() + static_cast<std::ptrdiff_t>(bytes));
}

}  // namespace

TextBlocks::TextBlocks(std::unique_ptr<ByteSource> source, std::string name, bool continued)
    : source_(std::move(source)), name_(std::move(name)), begun_(continued) {}

bool TextBlocks::next(TextBlock& block) {
  if (!std::exchange(has_peeked_, false)) return read_more(block);
  block.swap(peeked_);
  return !block.empty();
}

std::string_view TextBlocks::peek() {
  if (!has_peeked_) {
    if (!read_more(peeked_)) peeked_.clear();
    has_peeked_ = true;
  }
  return text_of(peeked_);
}

std::string_view TextBlocks::peek_further() {
  peek();
  TextBlock more;
  if (read_more(more)) peeked_.insert(peeked_.end(), more.begin(), more.end());
  return text_of(peeked_);
}

void TextBlocks::skip_lines(std::size_t lines) {
  std::string_view rest = peek();
  for (; lines > 0; --lines) rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
  erase_front(peeked_, peeked_.size() - rest.size());
}

void TextBlocks::keep_rows_whole(char separator) {
  separator_ = separator;
  if (!std::exchange(has_peeked_, false)) return;
  peeked_.insert(peeked_.end(), carried_.begin(), carried_.end());
  carried_.swap(peeked_);
  peeked_.clear();
}

std::size_t TextBlocks::last_end(std::string_view text) const {
  constexpr std::size_t none = std::string_view::npos;
  if (separator_ == 0 || text.find('"') == none) return text.rfind('\n') + 1;
  std::size_t end = 0;
  for (;;) {
    const std::size_t row = row_end(text.substr(end), separator_, ended_);
    if (row == none) return end;
    end += row + 1;
  }
}

bool TextBlocks::read_more(TextBlock& block) {
  block.swap(carried_);
  carried_.clear();
  while (!ended_) {
    const std::size_t old_size = block.size();
    if (old_size > longest_line_bytes) {
      throw DataError(fmt::format("{}: found a line of more than {} MiB; is this a text file?",
                                  name_, longest_line_bytes >> 20));
    }
    block.resize(old_size + block_bytes_);
    const std::size_t count = source_->read({block.data() + old_size, block_bytes_});
    block.resize(old_size + count);
    ended_ = count < block_bytes_;
    if (!std::exchange(begun_, true)) {
      refuse_other_kinds(name_, text_of(block).substr(0, shown_bytes));
      erase_front(block, block.size() - without_byte_order_mark(text_of(block)).size());
    }
    block_bytes_ = std::min(2 * block_bytes_, largest_block_bytes);
    const std::size_t end = last_end(text_of(block));
    if (end != 0) {
      const auto rest = block.begin() + static_cast<std::ptrdiff_t>(end);
      carried_.assign(rest, block.end());
      block.erase(rest, block.end());
      return true;
    }
  }
  return !block.empty();
}

}  // namespace trainyard
