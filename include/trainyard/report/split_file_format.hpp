// The report of `trainyard split` on the file that it has written.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace trainyard {

struct SplitFileReport {
  std::string file{}, dataset{};
  std::size_t rows = 0;  // for training
  std::string rule{};    // as --partition has it
  std::uint64_t seed = 1;
  std::vector<std::size_t> rows_of_parts{};  // one for each worker
};

/// One line.
std::string split_file_text(const SplitFileReport& report);

/// {"file", "dataset", "rows", "parts", "partition", "seed", "rows_of_parts": [750, …]}.
std::string split_file_json(const SplitFileReport& report);

}  // namespace trainyard
