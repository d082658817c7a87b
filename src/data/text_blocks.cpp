#include "data/text_blocks.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

// Large enough that handing a block over (about a microsecond) is nothing beside parsing it (some
// five milliseconds), small enough that a hundred cores with a block each need a few hundred MiB.
constexpr std::size_t largest_block_bytes = std::size_t{1024} * 1024;
// A row of 16 million features at 16 bytes each. Without a limit a compressed file of zeros, a
// thousandth of its real size, would fill the memory before its first "line" ended.
constexpr std::size_t longest_line_bytes = std::size_t{256} * 1024 * 1024;

}  // namespace

TextBlocks::TextBlocks(std::unique_ptr<ByteSource> source, std::string name)
    : source_(std::move(source)), name_(std::move(name)) {}

bool TextBlocks::next(std::string& block) {
  if (!std::exchange(has_peeked_, false)) return read_more(block);
  block.swap(peeked_);
  return !block.empty();
}

std::string_view TextBlocks::peek() {
  if (!has_peeked_) {
    if (!read_more(peeked_)) peeked_.clear();
    has_peeked_ = true;
  }
  return peeked_;
}

std::string_view TextBlocks::peek_further() {
  peek();
  std::string more;
  if (read_more(more)) peeked_ += more;
  return peeked_;
}

void TextBlocks::skip_lines(std::size_t lines) {
  std::string_view rest = peek();
  for (; lines > 0; --lines) rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
  peeked_.erase(0, peeked_.size() - rest.size());
}

bool TextBlocks::read_more(std::string& block) {
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
      block.erase(0, block.size() - without_byte_order_mark(block).size());
    }
    block_bytes_ = std::min(2 * block_bytes_, largest_block_bytes);
    const std::size_t newline = std::string_view(block).substr(old_size).rfind('\n');
    if (newline != std::string_view::npos) {
      carried_.assign(block, old_size + newline + 1);
      block.resize(old_size + newline + 1);
      return true;
    }
  }
  return !block.empty();
}

}  // namespace trainyard
