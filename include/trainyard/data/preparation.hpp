// What made features and classes of a training file's rows: by it the rows of another file are made
// alike, so that the trained model can say something of them.
//
//   Preparation preparation = loaded.preparation;     // of load_dataset()
//   ReadOptions options = reading_of(preparation, file, guess_format(file));
//   Dataset rows = prepared(read_coded_dataset(file, options), preparation);
//
// Threads: values like any other; prepared() uses the calling thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/data/read.hpp"
#include "trainyard/data/scaling.hpp"

namespace trainyard {

struct Preparation {
  Format format = Format::libsvm;  // of the training file
  bool sparse = false;
  std::size_t features = 0;  // of the file, without the intercept's
  int classes = 2;           // 1: labels are real numbers
  LabelCoding coding = LabelCoding::from_zero;
  std::vector<std::int32_t> class_values;  // [classes] of LabelCoding::listed
  std::uint32_t first_index = 1;           // of a LIBSVM file
  bool label_weights = false;              // its rows began with label:weight
  double value_scale = 1.0;                // every value is multiplied by it: 1/255 for pixels
  TableOptions table;  // of which missing fields and how fields are written are used
  std::shared_ptr<const TableSchema> schema;  // of a CSV or TSV file; else none
  /// What takes the place of a missing field, in the units of the file. [features] for
  /// MissingFields::mean, else empty.
  std::vector<double> filling;
  FeatureScaling scaling = FeatureScaling::none;
  FeatureTransform transform;  // [features], or empty
  bool intercept = false;      // a feature that is 1 comes last
};

/// "age", "town=Kiel", "intercept". Empty where they are not known.
std::vector<std::string> feature_names(const Preparation& preparation);

/// Whether classes are words, which a table's schema has.
bool has_word_classes(const Preparation& preparation);

/// [classes]: "no", "yes"; "-1", "1"; "0", "1", "2". Empty where labels are real numbers.
std::vector<std::string> class_texts(const Preparation& preparation);

/// How a file has to be read for prepared(). Labels are read if they are there.
/// Throws DataError where its format is one that the training file's columns cannot be found in.
ReadOptions reading_of(const Preparation& preparation, const std::filesystem::path& file,
                       Format format);

/// Missing fields filled, features scaled, the intercept appended.
Dataset prepared(Dataset rows, const Preparation& preparation);

/// A JSON object, as model.json has it (docs/results.md), and back. Throws DataError that begins
/// with `name` where something is missing, or is not what it should be.
std::string preparation_json(const Preparation& preparation);
Preparation parse_preparation(std::string_view json, const std::string& name);

}  // namespace trainyard
