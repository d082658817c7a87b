#include "trainyard/analysis/consensus.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/text_file.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/topology/partial_averaging.hpp"
#include "trainyard/topology/spectrum.hpp"

namespace trainyard {

namespace {

std::string numbers_of(int workers) {
  return counted(workers, "number") + ", one for each worker";
}

}  // namespace

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
  const std::string name = fmt::format("{}: {}", what, file.string());
  const std::string expected = fmt::format("a file of {}", numbers_of(workers));
  return parse_values(read_text_file(file, name, expected), workers, name);
}

std::vector<double> parse_values(std::string_view text, int workers, const std::string& name) {
  std::vector<double> values;
  for_each_line(text, [&](std::size_t number, std::string_view line) {
    const auto words = words_of(line);
    if (words.empty()) return true;
    const std::string where = fmt::format("{}:{}", name, number);
    for (const std::string_view word : words) {
      if (values.size() == static_cast<std::size_t>(workers)) {
        throw UsageError(fmt::format("{}: {} is one too many; expected {}", where, echoed(word),
                                     numbers_of(workers)));
      }
      values.push_back(parse_number(word, where));
    }
    return true;
  });
  if (values.size() < static_cast<std::size_t>(workers)) {
    throw UsageError(fmt::format("{}: found {}; expected {}", name,
                                 counted(values.size(), "number"), numbers_of(workers)));
  }
  return values;
}

}  // namespace trainyard
