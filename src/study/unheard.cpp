#include "trainyard/study/unheard.hpp"

#include <algorithm>

#include "trainyard/scheme/scheme.hpp"
#include "trainyard/study/same_runs.hpp"

namespace trainyard {

bool came_unheard(const Summary& s) {
  if (!s.seconds_to_target || s.workers < 2 || s.scheme == "sequential") return false;
  if (find_scheme(s.scheme).family == SchemeFamily::shared_memory && s.messages == 0) return false;
  if (!s.consensus_distance) return false;  // a server's model, which only messages move
  if (s.messages == 0) return true;
  const double mean = static_cast<double>(s.bytes_sent) / static_cast<double>(s.messages);
  const double transfer = s.bandwidth_bytes_per_s > 0.0 ? mean / s.bandwidth_bytes_per_s : 0.0;
  return *s.seconds_to_target < s.latency_s + transfer;
}

std::vector<std::string> unheard(std::span<const RunResult> results) {
  std::vector<std::string> names;
  for (const RunResult& run : results) {
    if (!came_unheard(run.summary)) continue;
    std::string name = own_name(run);
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace trainyard
