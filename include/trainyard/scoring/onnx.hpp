// A trained model as an ONNX file, for onnxruntime and whatever else reads that format.
//
// Threads: any; this is a function of its argument.
#pragma once

#include <string>
#include <vector>

#include "trainyard/scoring/trained_model.hpp"

namespace trainyard {

struct OnnxModel {
  std::string bytes;                   // the file
  std::vector<std::string> remarks{};  // "note: column 'class' is the input 'class_'"
};

/// What makes rows is in it: it takes values as they stand in a file.
///
/// Inputs: of a table each column of features by its name, rows × 1, numbers as float64 and words
/// as strings; otherwise `features`, rows × features, float32, zeros where a LIBSVM file has
/// nothing. A missing number is NaN and a missing word "", where training filled them. Outputs:
/// `class` [rows], int64, or strings where the classes are words, and `probabilities` [rows ×
/// classes], float32; of least squares `value` [rows × 1].
///
/// Throws UsageError for a model that predicts nothing, and for hashed words.
OnnxModel onnx_model(const TrainedModel& trained);

}  // namespace trainyard
