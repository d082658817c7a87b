// The readers behind read_dataset(), one file each.
#pragma once

#include <memory>
#include <string>

#include "trainyard/data/read.hpp"

#include "data/byte_source.hpp"

namespace trainyard {

/// An open file and what to call it in messages.
struct NamedSource {
  std::unique_ptr<ByteSource> bytes;
  std::string name;
};

CodedDataset read_libsvm(NamedSource file, const ReadOptions& options);
/// CSV and TSV: they differ in the separator.
CodedDataset read_separated(NamedSource file, char separator, const ReadOptions& options);
CodedDataset read_idx(NamedSource images, NamedSource labels, const ReadOptions& options);

}  // namespace trainyard
