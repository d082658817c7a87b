// Files into data sets. Every reader takes the decompressed bytes as a stream, so .gz files are
// read transparently, and none holds more than the data set itself and a few blocks of text.
//
// Threads: any; reading a file uses all cores.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "trainyard/data/dataset.hpp"

namespace trainyard {

enum class Format { libsvm, csv, tsv, idx };
/// Throws UsageError, naming `what`.
Format parse_format(std::string_view text, std::string_view what);
std::string format_text(Format format);
/// From the file's name (".gz" ignored): .csv .tsv .idx/"-ubyte"; LIBSVM otherwise.
Format guess_format(const std::filesystem::path& file);

/// How a file writes its classes. `from_zero` also stands for 0/1, `from_one` for 1/2.
enum class LabelCoding { found, plus_minus, from_zero, from_one };

struct ReadOptions {
  Format format = Format::libsvm;
  /// LIBSVM: the dimension, where known; a larger index in the file is then an error (strict) or
  /// its entry is dropped (a test file may hold features its training file never saw). 0: found.
  /// CSV/TSV/IDX: where known, a file with another number of features is an error. 0: found.
  std::size_t features = 0;
  bool drop_unknown_features = false;
  /// Number of classes where known; 0: found, and then every class must occur.
  int classes = 0;
  /// A test file is read with its training file's coding: where the labels are 1..k-1, only the
  /// training file knows whether class 0 or class k is missing.
  LabelCoding coding = LabelCoding::found;
  /// CSV/TSV: which column holds the label, from 0.
  std::size_t label_column = 0;
  /// IDX: the file of labels that goes with the file of images.
  std::filesystem::path labels_file;
  /// Every feature is multiplied by this (1/255 for pixels).
  float scale = 1.0F;
  /// CSV/TSV/IDX are stored dense, LIBSVM sparse.
};

struct CodedDataset {
  Dataset data;
  LabelCoding coding = LabelCoding::found;
  /// LIBSVM: the first line with the largest index, from 1; 0 in other formats. One wrong index
  /// makes a model as long as it says, and this is where it stands.
  std::size_t largest_feature_line = 0;
};

/// Labels may be -1/+1, 0/1, 1/2 (two classes), or whole numbers 0..k-1 or 1..k. They are mapped to
/// 0..k-1 in increasing order; what was found is checked to be one of these. A file in which all
/// rows have one label is taken when the label is -1, 0, 1 or 2: as class 0 for -1 and 0, as class
/// 1 for 1 and 2. Feature indices may be up to 2^31 - 1; the model is as long as the largest one
/// found. Throws DataError: "FILE:LINE:COLUMN: what was found; what is accepted", for the first bad
/// line.
CodedDataset read_coded_dataset(const std::filesystem::path& file, const ReadOptions& options);
Dataset read_dataset(const std::filesystem::path& file, const ReadOptions& options);

/// The same from bytes in memory, `name` standing for the file in messages. For IDX, `labels` holds
/// the bytes of the labels file. (Tests and fuzz targets.)
CodedDataset read_coded_dataset_bytes(std::string_view bytes, std::string_view labels,
                                      const std::string& name, const ReadOptions& options);
Dataset read_dataset_bytes(std::string_view bytes, std::string_view labels, const std::string& name,
                           const ReadOptions& options);

/// "train-images-idx3-ubyte.gz" → "train-labels-idx1-ubyte.gz" in the same folder; empty when the
/// name does not follow that pattern.
std::filesystem::path guess_labels_file(const std::filesystem::path& images);

}  // namespace trainyard
