// A file's rows scored some at a time, and measured where they have labels.
//
//   FileScoring scoring(trained, "new.csv", reading_of(trained.preparation, "new.csv", format));
//   while (const auto part = scoring.next()) write(*part);
//   const Scored scored = scoring.finish();
//
// Threads: one at a time for one object.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "trainyard/data/row_windows.hpp"
#include "trainyard/scoring/measures.hpp"
#include "trainyard/scoring/score.hpp"

namespace trainyard {

/// A part of the file.
struct ScoredRows {
  Dataset rows;  // of which labels and targets say something only where it is
  bool labelled = false;
  Predictions said;
};

/// The whole of it.
struct Scored {
  std::size_t rows = 0;
  std::size_t measured = 0;        // those that have a label and no missing field
  std::size_t left_out = 0;        // those without a prediction, for their missing fields
  std::size_t missing_fields = 0;  // that were filled
  std::size_t unknown_words = 0;   // that training did not see: their features are 0
  std::string weighted_by{};       // "column 'w'", by which rows count; empty: all alike
  std::string unweighted{};  // "column 'w'", by which training rows counted, and which is not there
  std::optional<ClassMeasures> classes;  // where rows have labels, of a model that has classes
  std::optional<RealMeasures> real;      // of one that has not
  std::vector<std::string> remarks{};    // of how the file is read: "note: FILE: …"
};

class FileScoring {
 public:
  /// Rows count by their weights where the file has the model's weight column, or another one that
  /// `reading` names, or weights behind its labels.
  /// REQUIRES: `trained` outlives it. Throws as RowWindows.
  FileScoring(const TrainedModel& trained, const std::filesystem::path& file, ReadOptions reading,
              std::size_t window_bytes = RowWindows::default_bytes);

  /// The next rows; nothing at the end. Throws as RowWindows::next() and predictions().
  std::optional<ScoredRows> next();

  /// Throws DataError where all rows with a label weigh 0.
  Scored finish();

 private:
  void measure(const ScoredRows& part);

  const TrainedModel* trained_;
  const std::string file_;
  const std::string weights_;  // what they are called
  double weight_ = 0.0;        // of the rows that were measured
  bool weighted_ = false;      // some row has a weight
  RowWindows windows_;
  Scored scored_;
  std::vector<std::string> warnings_;  // of rows, each once
  std::optional<ClassMeasuring> classes_;
  std::optional<RealMeasuring> real_;
};

}  // namespace trainyard
