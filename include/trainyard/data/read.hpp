// Files into data sets. Every reader takes the decompressed bytes as a stream, so .gz files are
// read transparently, and none holds more than the data set itself and a few blocks of text.
//
// Threads: any; reading a file uses all cores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/data/dataset.hpp"
#include "trainyard/data/table.hpp"

namespace trainyard {

/// Formats of one's own (add_reader.hpp) have the numbers behind these.
enum class Format { libsvm, csv, tsv, idx, npy, npz };
/// All that are known, as --data-format takes them.
std::vector<std::string> format_names();
bool is_own_format(Format format);
/// Throws UsageError, naming `what`.
Format parse_format(std::string_view text, std::string_view what);
std::string format_text(Format format);
/// From what the file begins with, decompressed; where that shows nothing, or the file is a pipe or
/// is not there, from its name in letters of any case (".gz", ".bz2", ".xz", ".zst" ignored): .csv
/// .tsv .idx/"-ubyte" .npy .npz; LIBSVM otherwise. CSV stands for a table with any separator. An
/// ending of a format of one's own comes before all of this.
Format guess_format(const std::filesystem::path& file);

/// How a file writes its classes. `from_zero` also stands for 0/1, `from_one` for 1/2. `listed`: by
/// any whole numbers, which are classes in increasing order.
enum class LabelCoding { found, plus_minus, from_zero, from_one, listed };

/// Whether rows have labels. if_there: a file without any is read, too, and all its labels are 0;
/// a file in which some rows have one is refused. none: what labels there are is passed over.
enum class LabelUse { required, if_there, none };

struct ReadOptions {
  Format format = Format::libsvm;
  /// LIBSVM: the dimension, where known; a larger index in the file is then an error (strict) or
  /// its entry is dropped (a test file may hold features its training file never saw). 0: found.
  /// CSV/TSV/IDX/npy: where known, a file with another number of features is an error. 0: found.
  std::size_t features = 0;
  bool drop_unknown_features = false;
  /// Number of classes where known; 0: found, and then every class must occur.
  int classes = 0;
  /// A test file is read with its training file's coding: where the labels are 1..k-1, only the
  /// training file knows whether class 0 or class k is missing.
  LabelCoding coding = LabelCoding::found;
  std::vector<std::int32_t> class_values{};  // [classes] of LabelCoding::listed
  /// Labels are real numbers, and become targets: as `real_labels` of a model wants them. Not of
  /// IDX files, whose labels are bytes.
  bool real_labels = false;
  LabelUse labels = LabelUse::required;
  /// CSV/TSV: which column holds the label, by name or number (TableOptions).
  std::string label_column = "0";
  /// LIBSVM where rows need no label: one that begins with A:B begins with its label and weight,
  /// and not with a feature.
  bool label_weights = false;
  /// LIBSVM: the index of the first feature, 0 or 1; empty: 1, or 0 where the file has an index 0.
  std::optional<std::uint32_t> first_index{};
  /// CSV/TSV/npy: what is subtracted from each feature before it is rounded to float, [features] or
  /// empty (features_to_shift() of scaling.hpp).
  std::vector<double> subtracted{};
  /// CSV/TSV: the rest of how the table is to be read.
  TableOptions table;
  /// CSV/TSV: of the training file, where this one is a test file. Columns are found by their names
  /// where both files have a header line, and by their places otherwise; `label_column`, the
  /// columns of `table` and `features` then say nothing.
  std::shared_ptr<const TableSchema> schema;
  /// CSV/TSV: the column, by name or number, whose values divide the rows (Dataset::groups). It is
  /// no feature, unless table.columns names it; with a schema, unless it is one there. Empty: none.
  std::string group_column{};
  /// With a schema: the column that holds the weights in place of the schema's, by name or number.
  std::string other_weight_column{};
  /// IDX and npy: the file of labels that goes with the file of images or features. An npz file
  /// holds both.
  std::filesystem::path labels_file;
  /// Every feature is multiplied by this (1/255 for pixels).
  float scale = 1.0F;
  /// CSV/TSV/IDX/npy are stored dense, LIBSVM sparse.
};

struct CodedDataset {
  Dataset data;
  LabelCoding coding = LabelCoding::found;
  std::vector<std::int32_t> class_values{};  // [classes] of LabelCoding::listed, else empty
  std::uint32_t first_index = 1;             // LIBSVM: of the first feature
  /// LIBSVM: the first line with the largest index, from 1; 0 in other formats. One wrong index
  /// makes a model as long as it says, and this is where it stands.
  std::size_t largest_feature_line = 0;
  /// CSV/TSV: what the table showed; else empty.
  std::shared_ptr<const TableSchema> schema;
  /// False: its labels say nothing (LabelUse).
  bool labelled = true;
  /// Words of a table that its schema does not know, and missing fields to be filled.
  std::size_t unknown_words = 0, missing_fields = 0;
  /// Remarks for the user: "note: FILE: 12 rows with missing fields were left out".
  std::vector<std::string> remarks{};
};

/// Labels are whole numbers, mapped to 0..k-1 in increasing order: those of -1/+1, 0/1, 1/2, 0..k-1
/// and 1..k, or any others, of which each that occurs is a class. A file in which all rows have one
/// label is taken when the label is -1, 0, 1 or 2: as class 0 for -1 and 0, as class 1 for 1 and 2.
/// Feature indices may be up to 2^31 - 1; the model is as long as the largest one found. Words are
/// labels in CSV and TSV files: classes in sorted order.
/// A row's weight is finite and not below 0: of LIBSVM "label:weight", 1 where none is written, of
/// tables in the weight column.
/// With MissingFields::mean the missing fields of a table are NaN in what is read, until
/// fill_missing() has filled them.
/// Throws DataError: "FILE:LINE:COLUMN: what was found; what is accepted", for the first fault of a
/// text, with the number of its kind and the first five places where there are several. Throws
/// OptionError where the file lacks a column that the options name.
CodedDataset read_coded_dataset(const std::filesystem::path& file, const ReadOptions& options);
Dataset read_dataset(const std::filesystem::path& file, const ReadOptions& options);

/// Reads from bytes in memory, `name` standing for the file in messages. For IDX and npy, `labels`
/// holds the bytes of the labels file. (Tests and fuzz targets.)
CodedDataset read_coded_dataset_bytes(std::string_view bytes, std::string_view labels,
                                      const std::string& name, const ReadOptions& options);
Dataset read_dataset_bytes(std::string_view bytes, std::string_view labels, const std::string& name,
                           const ReadOptions& options);

/// Whether a file that begins so is compressed in a way in which files are read here.
bool is_compressed(std::string_view bytes);

/// Whether the labels of files of this format lie in a file of their own.
bool has_labels_file(Format format);

/// "train-images-idx3-ubyte.gz" → "train-labels-idx1-ubyte.gz" in the same folder; of npy files
/// "X_train.npy" → "y_train.npy", "train_X.npy" → "train_y.npy", "x.npy" → "y.npy" and
/// "test_features.npy" → "test_labels.npy". Empty when the name does not follow these patterns.
std::filesystem::path guess_labels_file(const std::filesystem::path& features);

}  // namespace trainyard
