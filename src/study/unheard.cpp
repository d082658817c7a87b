#include "study/unheard.hpp"

#include <algorithm>

#include "trainyard/scheme/scheme.hpp"

#include "study/same_runs.hpp"

namespace trainyard {

bool came_unheard(const Summary& s) {
  if (!s.seconds_to_target || s.workers < 2 || s.scheme == "sequential") return false;
  if (find_scheme(s.scheme).family == SchemeFamily::shared_memory && s.messages == 0) return false;
  return s.messages == 0 || *s.seconds_to_target < s.latency_s;
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
