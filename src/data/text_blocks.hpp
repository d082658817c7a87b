// A text file in blocks of whole lines, without the byte order mark that may stand before them.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "trainyard/base/text_file.hpp"
#include "trainyard/base/unfilled.hpp"

#include "data/byte_source.hpp"

namespace trainyard {

using TextBlock = UnfilledVector<char>;

inline std::string_view text_of(const TextBlock& block) {
  return {block.data(), block.size()};
}

class TextBlocks {
 public:
  /// `continued`: the text is of a file whose beginning has been looked at already.
  TextBlocks(std::unique_ptr<ByteSource> source, std::string name, bool continued = false);

  /// From now on blocks end where rows of a table with this separator do (table_rows.hpp), also
  /// those that peek() has shown. REQUIRES: no block has been taken.
  void keep_rows_whole(char separator);
  /// From now on they end where lines do again, but for the one that peek() has shown.
  void keep_lines_whole() { separator_ = 0; }

  /// The next lines, 128 KiB of them or a little more, the last one with or without its newline.
  /// False at the end of the file.
  bool next(TextBlock& block);

  /// The first block, without taking it: for what must be known before lines are read in parallel.
  std::string_view peek();
  /// The text of the last call with one block more, or unchanged at the end of the file. REQUIRES:
  /// no block has been taken.
  std::string_view peek_further();
  /// Takes the first lines of what peek() shows away. REQUIRES: they are not all that is left, or
  /// the file ends there.
  void skip_lines(std::size_t lines);

  const std::string& name() const { return name_; }

 private:
  bool read_more(TextBlock& block);
  /// Where the last line of `text` ends, or the last row; 0: in none of it.
  std::size_t last_end(std::string_view text) const;

  std::unique_ptr<ByteSource> source_;
  std::string name_;
  TextBlock peeked_;
  bool has_peeked_ = false;
  // Doubles from block to block, so that a small file costs little.
  std::size_t block_bytes_ = std::size_t{16} * 1024;
  TextBlock carried_;   // the beginning of a line whose end is yet to be read
  char separator_ = 0;  // of rows; 0: lines are not looked into
  bool begun_ = false;
  bool ended_ = false;
};

}  // namespace trainyard
