// The readers behind read_dataset(), one file each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "trainyard/data/read.hpp"

#include "data/byte_source.hpp"

namespace trainyard {

/// An open file and what to call it in messages.
struct NamedSource {
  std::unique_ptr<ByteSource> bytes;
  std::string name;
  /// Opens it once more, from its beginning. Empty where it can be read only once: a pipe.
  std::function<std::unique_ptr<ByteSource>()> reopen{};
  /// The size of the file on the disk, 0 if there is none; smaller than that of `bytes` if it is
  /// compressed.
  std::uint64_t file_bytes = 0;
  /// Lines of the file before the first of `bytes`.
  std::size_t lines_before = 0;
  /// `bytes` are a part of a file whose beginning has been looked at already.
  bool continued = false;
};

/// Throws RunError, with what is needed and what is free, unless there is room for that many values
/// of so many bytes each in the file. A header may promise more than the file holds: then for as
/// many as it can hold, as that is another fault.
void require_room_for(const NamedSource& file, std::uint64_t values, std::size_t value_bytes);

/// Whole lines of a text file, after `lines_before` others.
CodedDataset read_text_window(const std::string& text, const std::string& name,
                              std::size_t lines_before, const ReadOptions& options);

CodedDataset read_libsvm(NamedSource file, const ReadOptions& options);
/// CSV, TSV and other tables with separators.
CodedDataset read_separated(NamedSource file, const ReadOptions& options);
CodedDataset read_idx(NamedSource images, NamedSource labels, const ReadOptions& options);
CodedDataset read_npy(NamedSource features, NamedSource labels, const ReadOptions& options);

/// Two arrays of an npz file, which has to be one on a disk: it is opened once for each.
CodedDataset read_npz(NamedSource file, const ReadOptions& options);

/// Whether all rows of a LIBSVM text may as well begin with INDEX:VALUE where they could begin with
/// label:weight, as ReadOptions::label_weights has it.
bool may_lack_labels(std::string_view text, const ReadOptions& options);

}  // namespace trainyard
