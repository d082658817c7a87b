// Files into data sets. Every reader takes the decompressed bytes as a stream, so .gz files are
// read transparently, and none holds more than the data set itself and a few blocks of text.
#pragma once

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "trainyard/data/dataset.hpp"

namespace trainyard {

enum class Format { libsvm, csv, tsv, idx };
/// Throws UsageError, naming `what`.
Format parse_format(std::string_view text, std::string_view what);
/// From the file's name (".gz" ignored): .csv .tsv .idx/"-ubyte"; LIBSVM otherwise.
Format guess_format(const std::filesystem::path& file);

struct ReadOptions {
  Format format = Format::libsvm;
  /// LIBSVM: the dimension, where known; a larger index in the file is then an error (strict) or
  /// its entry is dropped (a test file may hold features its training file never saw). 0: found.
  std::size_t features = 0;
  bool drop_unknown_features = false;
  /// Number of classes where known; 0: found.
  int classes = 0;
  /// CSV/TSV: which column holds the label, from 0.
  std::size_t label_column = 0;
  /// IDX: the file of labels that goes with the file of images.
  std::filesystem::path labels_file;
  /// Every feature is multiplied by this (1/255 for pixels).
  float scale = 1.0F;
  /// CSV/TSV/IDX are stored dense, LIBSVM sparse.
};

/// Labels may be -1/+1, 0/1, 1/2 (two classes), or whole numbers 0..k-1 or 1..k. They are mapped to
/// 0..k-1 in increasing order; what was found is checked to be one of these.
/// Throws DataError: "FILE:LINE:COLUMN: what was found; what is accepted".
Dataset read_dataset(const std::filesystem::path& file, const ReadOptions& options);

/// The same from bytes in memory, `name` standing for the file in messages. For IDX, `labels` holds
/// the bytes of the labels file. (Tests and fuzz targets.)
Dataset read_dataset_bytes(std::string_view bytes, std::string_view labels, const std::string& name,
                           const ReadOptions& options);

}  // namespace trainyard
