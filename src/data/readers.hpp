// The readers behind read_dataset(), one file each.
#pragma once

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
};

CodedDataset read_libsvm(NamedSource file, const ReadOptions& options);
/// CSV and TSV: they differ in the separator.
CodedDataset read_separated(NamedSource file, char separator, const ReadOptions& options);
CodedDataset read_idx(NamedSource images, NamedSource labels, const ReadOptions& options);
CodedDataset read_npy(NamedSource features, NamedSource labels, const ReadOptions& options);

}  // namespace trainyard
