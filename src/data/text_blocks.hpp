// A text file in blocks of whole lines.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "data/byte_source.hpp"

namespace trainyard {

class TextBlocks {
 public:
  TextBlocks(std::unique_ptr<ByteSource> source, std::string name);

  /// The next lines, about a mebibyte of them, the last one with or without its newline. False at
  /// the end of the file.
  bool next(std::string& block);

  /// The first block, without taking it: for what must be known before lines are read in parallel.
  std::string_view peek();

  const std::string& name() const { return name_; }

 private:
  bool read_more(std::string& block);

  std::unique_ptr<ByteSource> source_;
  std::string name_;
  std::string peeked_;
  bool has_peeked_ = false;
  // Doubles from block to block up to a mebibyte, so that a small file costs little.
  std::size_t block_bytes_ = std::size_t{16} * 1024;
  std::string carried_;  // the beginning of a line whose end is yet to be read
  bool ended_ = false;
};

/// Calls handle(line_number, line) for every line of `block`, line numbers from 1, lines without
/// their "\n" or "\r\n"; stops early when handle returns false. Says how many lines there were.
template <typename Handle>
std::size_t for_each_line(std::string_view block, Handle&& handle) {
  std::size_t line_number = 0;
  while (!block.empty()) {
    const std::size_t newline = block.find('\n');
    std::string_view line = block.substr(0, newline);
    block.remove_prefix(newline == std::string_view::npos ? block.size() : newline + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++line_number;
    if (!handle(line_number, line)) break;
  }
  return line_number;
}

}  // namespace trainyard
