// The known data sets: datasets/catalog.toml says what each is, where its files lie under the data
// directory, and how they are to be read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/data/generate.hpp"
#include "trainyard/data/read.hpp"

namespace trainyard {

struct CatalogFile {
  std::string path;    // under the data directory, e.g. "a9a/a9a.gz"
  std::string source;  // address; empty where none is known
  std::string sha256;  // of the file as stored; empty where not known
};

struct CatalogEntry {
  std::string name;
  std::string summary;
  Format format = Format::libsvm;
  std::size_t rows = 0, test_rows = 0, features = 0;
  int classes = 2;
  double scale = 1.0;
  std::size_t label_column = 0;
  bool split_every_fifth = false;  // no test file: row i with i mod 5 = 4 is a test row, on request
  std::vector<CatalogFile> train;  // IDX: images, labels
  std::vector<CatalogFile> test;
};

/// The built-in catalogue. Throws InternalError when the installed file is broken.
const std::vector<CatalogEntry>& catalog();

struct DatasetRequest {
  std::string dataset = "sparse-logistic";  // a generator, a name of the catalogue, or a path
  std::string test;                         // a path; empty: the catalogue's test file, or none
  std::string format;                       // empty: guessed or the catalogue's
  std::string data_dir = "data";
  std::size_t label_column = 0;
  std::uint64_t seed = 1;  // for the generators
};

struct LoadedData {
  std::string name;
  Dataset train;
  Dataset test;  // rows == 0 when there is none
};

/// Throws UsageError for an unknown name (with the nearest known one and where it looked) and
/// DataError for a file that cannot be read. The test set has the training set's features: fewer
/// are padded, unknown ones dropped.
LoadedData load_dataset(const DatasetRequest& request);

}  // namespace trainyard
