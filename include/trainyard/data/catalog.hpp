// The known data sets: datasets/catalog.toml says what each is, where its files lie under the data
// directory, and how they are to be read.
//
// Threads: any; reading a file uses all cores.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/base/vector.hpp"
#include "trainyard/data/generate.hpp"
#include "trainyard/data/preparation.hpp"
#include "trainyard/data/read.hpp"
#include "trainyard/data/scaling.hpp"

namespace trainyard {

struct CatalogFile {
  std::string path;            // under the data directory, e.g. "a9a/a9a.gz"
  std::string source;          // address of the original; empty where none holds the same content
  std::string sha256;          // of the file as stored; empty where not known
  std::string content_sha256;  // of its decompressed content; empty where not known
};

struct CatalogEntry {
  std::string name;
  std::string summary;
  std::string licence;
  Format format = Format::libsvm;
  std::size_t rows = 0, test_rows = 0, features = 0;
  int classes = 2;
  double scale = 1.0;
  std::size_t label_column = 0;
  std::vector<CatalogFile> train;  // IDX: images, labels
  std::vector<CatalogFile> test;   // empty: the set has no test file
};

/// The built-in catalogue, read once: datasets/catalog.toml as it was when the program was built.
const std::vector<CatalogEntry>& catalog();

/// Any catalogue. Throws InternalError that gives `name` and the line.
std::vector<CatalogEntry> read_catalog(std::string_view text, const std::string& name);

struct StartingModel;

/// The model of another run that training goes on from, by the folder of that run.
struct StartRequest {
  std::string folder{};  // empty: none
  /// Opens it (scoring/trained_model.hpp), when the rows are read.
  std::shared_ptr<const StartingModel> (*open)(const std::string& folder) = nullptr;

  bool operator==(const StartRequest& other) const { return folder == other.folder; }
};

struct DatasetRequest {
  std::string dataset = "sparse-logistic";  // a generator, a name of the catalogue, or a path
  // A path, or "every-fifth": row i (from 0) with i mod 5 = 4 is taken out of the training rows and
  // becomes a test row. Empty: the catalogue's test file, or none.
  std::string test;
  // A fraction of the training rows (validation_fraction()), each class by it and drawn by `seed`,
  // once test rows are taken out; or a file. Empty: none.
  std::string validation{};
  std::string format;  // empty: guessed or the catalogue's
  std::string data_dir = "data";
  std::string labels, test_labels;  // files, of formats that have them apart; empty: guessed
  std::string label_column = "0";   // of a CSV or TSV file, by name or number
  TableOptions table;               // of a CSV or TSV file
  std::string group_column{};       // whose values divide training rows (read.hpp); empty: none
  std::optional<std::uint32_t> first_index{};  // of a LIBSVM file; empty: found
  bool labels_used = true;   // false: they say nothing to the model, whatever they are
  bool real_labels = false;  // labels are real numbers, and become targets
  FeatureScaling scaling = FeatureScaling::none;
  bool intercept = false;      // appends a feature that is 1 in every row
  std::string class_weight{};  // of training rows (class_weights.hpp); empty: 1
  std::uint64_t seed = 1;      // for the generators, and for what is drawn for validation
  // Rows are made by its preparation, which scaling, intercept and table must not gainsay.
  StartRequest start{};

  bool operator==(const DatasetRequest&) const = default;
};

/// The kind of data set that a name stands for, as load_dataset() looks it up.
enum class DataOrigin { generated, known, file };
DataOrigin origin_of(const std::string& dataset);

/// A model that another run has left, from which training goes on.
struct StartingModel {
  std::string folder;
  std::string model;        // as --model has it
  Preparation preparation;  // that its rows were made by, and new ones have to be
  VectorBuffer parameters;
};

/// LoadedData of a split file that has validation rows ask for them so.
inline constexpr const char* split_validation = "split";

struct LoadedData {
  std::string name;
  Dataset train{};
  Dataset test{};        // rows == 0 when there is none
  Dataset validation{};  // the same
  /// Of each class, by which training rows are multiplied; empty: nobody asked for any. Validation
  /// rows have none of them, but their loss is to be taken with them: it stands for the training
  /// loss. They lie in the order of their classes then.
  std::vector<double> class_weights{};
  std::size_t largest_feature_line = 0;  // of the training file, see CodedDataset
  Preparation preparation{};             // what made the rows; of no features: not known
  std::uint64_t content = 0;             // of a split file: a fingerprint of all that it holds
  std::shared_ptr<const StartingModel> start{};  // that the request names
  // For the user: "note: rows.csv: 12 rows with missing fields were left out", and warnings.
  std::vector<std::string> remarks{};
};

/// Of "0.2", which names no file. It need not be between 0 and 1.
std::optional<double> validation_fraction(std::string_view text);

/// Whether it is a file that 'trainyard split' has written (split_file.hpp).
bool asks_for_split_file(const DatasetRequest& request);

/// When the rows of a split file (split_file.hpp) are checked; other files are read whole.
enum class RowCheck {
  all,    // now, which reads them
  later,  // by who reads them
};

/// `dataset` is looked up among the generators (find_generator()), then in the catalogue; what is
/// neither is a path if there is such a file or the text holds a '/' or a '.'. Throws UsageError
/// for an unknown name (with the nearest known one) and DataError for a file that cannot be read;
/// where a known set's file is missing, it says where it looked and how to get it. Test
/// and validation rows have the training set's features: fewer are padded, unknown ones dropped.
/// Missing fields are filled and features scaled by what the training rows show, those that are
/// taken out for testing or validation left out. The weights of training rows are multiplied by
/// those of their classes and then divided by their mean. What was done to the rows of a split file
/// was done when it was written: UsageError for options that ask for more.
LoadedData load_dataset(const DatasetRequest& request, RowCheck check = RowCheck::all);

}  // namespace trainyard
