// Readers of one's own, for files of formats that are not among those of read.hpp.
//
//   FileRows read_arff(const std::filesystem::path& file);  // fills rows.dense and rows.labels
//   add_reader({.name = "arff", .endings = {".arff"}, .read = read_arff});
//
// Threads: add_reader() by one, while nothing else is going on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace trainyard {

/// Rows as they stand in a file: dense, or in compressed sparse rows, all values finite.
struct FileRows {
  std::size_t features = 0;
  std::vector<float> dense{};              // [rows × features], row-major; empty when sparse
  std::vector<std::uint64_t> row_begin{};  // [rows + 1]; empty when dense
  std::vector<std::uint32_t> columns{};    // [nonzeros], from 0, strictly increasing within a row
  std::vector<float> values{};             // [nonzeros]
  /// [rows] as written: whole numbers, which become classes as those of any file (read.hpp), or
  /// real ones for a model that takes them. Empty: the file has none.
  std::vector<double> labels{};
  std::vector<float> weights{};  // [rows] ω ≥ 0; empty where all are 1
};

struct OwnReader {
  std::string name;                    // as typed after --data-format
  std::vector<std::string> endings{};  // of names of files that are taken for this format, small
                                       // letters: ".arff"
  /// Throws DataError that begins with the file's name. Called by any thread, also for test and
  /// validation files, and for rows to be scored; what it returns is checked.
  std::function<FileRows(const std::filesystem::path& file)> read{};
};

/// Adds a format, which every command then knows by its name and endings; in the place of one of
/// the same name that was added before. Throws UsageError for a name that cannot be typed or is
/// there already, for a row without `read`, and for an ending without a dot at its beginning.
void add_reader(OwnReader reader);

}  // namespace trainyard
