#include "study/left_out.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

namespace trainyard {

std::vector<std::string> left_out(const ComparisonRequest& runs, const std::vector<Note>& notes) {
  std::vector<std::string> all;
  for (const Contestant& contestant : runs.contestants) {
    const std::string begins = fmt::format("warning: {} is skipped: ", contestant.label);
    const auto found = std::ranges::find_if(
        notes, [&](const Note& note) { return note.text.starts_with(begins); });
    if (found == notes.end()) continue;
    std::string_view why = std::string_view(found->text).substr(begins.size());
    const std::string again = contestant.label + ": ";
    if (why.starts_with(again)) why.remove_prefix(again.size());
    all.push_back(again + std::string(why));
  }
  return all;
}

bool starts_at_target(const SeedStatistics& runs) {
  return std::ranges::any_of(runs.summaries,
                             [](const Summary* s) { return s->epochs_to_target == 0.0; });
}

}  // namespace trainyard
