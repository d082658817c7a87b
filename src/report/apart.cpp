#include "report/apart.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace trainyard {

std::vector<SeedStatistics> contestants_of(const std::vector<RunResult>& results) {
  std::vector<SeedStatistics> all = seed_statistics(results);
  std::stable_partition(all.begin(), all.end(),
                        [](const SeedStatistics& one) { return !one.summaries.front()->within; });
  return all;
}

std::string apart_sentence(const std::vector<SeedStatistics>& all) {
  std::vector<std::string> names;
  for (const SeedStatistics& one : all) {
    const auto& within = one.summaries.front()->within;
    if (!within) continue;
    std::string name = fmt::format("{} within {}", one.label, *within);
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  if (names.empty()) return "";
  return fmt::format(
      "apart, and not ranked: {}.\nTheir workers share memory, and nothing of theirs crosses the "
      "network that the others talk over.\n\n",
      fmt::join(names, "; "));
}

}  // namespace trainyard
