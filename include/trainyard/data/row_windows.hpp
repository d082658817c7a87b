// The rows of a file, some at a time: a file larger than the memory, or a pipe.
//
//   RowWindows windows("rows.csv", options);
//   while (auto rows = windows.next()) use(rows->data);
//
// Threads: one at a time for one object. The next window is read by a thread of its own while the
// last one is used.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/data/read.hpp"

namespace trainyard {

class TextBlocks;  // src/data/text_blocks.hpp

class RowWindows {
 public:
  /// What a window is read of, at least, where the file has it. Of the shortest rows half a
  /// million.
  static constexpr std::size_t default_bytes = std::size_t{2} << 20U;

  /// The schema of a CSV or TSV file is known: REQUIRES options.schema for them. "-" is standard
  /// input. Of npy and IDX files the one window is the file. Of a LIBSVM file with
  /// options.label_weights the beginning shows whether rows begin with label:weight, or have no
  /// labels. Throws DataError when it cannot be opened.
  RowWindows(std::filesystem::path file, ReadOptions options, std::size_t bytes = default_bytes);
  ~RowWindows();
  RowWindows(const RowWindows&) = delete;
  RowWindows& operator=(const RowWindows&) = delete;

  /// The next rows, read as read_coded_dataset() reads a whole file; nothing at its end. Throws
  /// DataError as that does, each line by its number in the file, and where there is no row at all.
  std::optional<CodedDataset> next();

  /// Of how the file's beginning is read, for the user: "note: FILE: has no header line, …".
  const std::vector<std::string>& remarks() const { return remarks_; }

 private:
  class Text;

  void take_header(TextBlocks& blocks);
  CodedDataset read(const std::string& text);

  const std::filesystem::path file_;
  ReadOptions options_;
  std::unique_ptr<Text> text_;  // of text files
  std::string header_;          // its header line and what stands before it
  std::size_t header_lines_ = 0;
  std::size_t lines_ = 0;  // of the file in earlier windows
  std::vector<std::string> remarks_;
  bool labelled_ = false;  // its first rows
  bool begun_ = false, ended_ = false;
};

}  // namespace trainyard
