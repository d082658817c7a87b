#include "trainyard/experiment/consensus.hpp"

#include <fstream>
#include <sstream>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/topology/partial_averaging.hpp"
#include "trainyard/topology/spectrum.hpp"

namespace trainyard {

std::vector<ConsensusRound> average_over(const Topology& topology, std::vector<double> start,
                                         std::uint64_t rounds) {
  PartialAveraging averaging(topology, std::move(start));
  std::vector<ConsensusRound> result;
  result.reserve(static_cast<std::size_t>(rounds) + 1);
  while (true) {
    result.push_back({averaging.values(), consensus_distance(averaging.values())});
    if (result.size() > rounds) return result;
    averaging.next_round();
  }
}

std::vector<double> read_values(const std::filesystem::path& file, int workers,
                                std::string_view what) {
  std::error_code error;
  std::ifstream stream(file);
  const std::string expected = fmt::format("{} numbers, one for each worker", workers);
  if (!stream || std::filesystem::is_directory(file, error)) {
    throw UsageError(fmt::format("{}: {}: cannot be read; expected a file of {}", what,
                                 file.string(), expected));
  }
  std::vector<double> values;
  std::string line;
  for (int number = 1; std::getline(stream, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    const std::string where = fmt::format("{}: {}:{}", what, file.string(), number);
    for (std::string word; words >> word;) {
      if (values.size() == static_cast<std::size_t>(workers)) {
        throw UsageError(
            fmt::format("{}: '{}' is one too many; expected {}", where, word, expected));
      }
      values.push_back(parse_number(word, where));
    }
  }
  if (values.size() < static_cast<std::size_t>(workers)) {
    throw UsageError(fmt::format("{}: {}: found {} number{}; expected {}", what, file.string(),
                                 values.size(), values.size() == 1 ? "" : "s", expected));
  }
  return values;
}

}  // namespace trainyard
