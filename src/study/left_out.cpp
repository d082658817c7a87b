#include "study/left_out.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

namespace trainyard {

namespace {

/// REQUIRES: `name` is not empty.
std::string without(std::string_view text, std::string_view name) {
  std::string made;
  for (auto at = text.find(name); at != std::string_view::npos; at = text.find(name)) {
    made += text.substr(0, at);
    made += '*';
    text.remove_prefix(at + name.size());
  }
  return made += text;
}

/// Without the names of who is left out.
std::string nobodys(const LeftOut& left) {
  const std::string_view label = left.label;
  return without(without(left.reason, label), label.substr(0, label.find_first_of(":{")));
}

}  // namespace

std::vector<std::string> left_out(const Compared& compared) {
  std::vector<std::string> all;
  for (const LeftOut& left : compared.left_out) {
    const std::string names_itself = left.label + ": ";
    const bool does = left.reason.starts_with(names_itself);
    all.push_back(does ? left.reason : names_itself + left.reason);
  }
  return all;
}

std::vector<std::string> left_out_notes(const std::vector<LeftOut>& all) {
  std::vector<std::string> reasons, notes;
  std::vector<std::size_t> alike;  // how many others each note names
  for (const LeftOut& left : all) {
    const std::string reason = nobodys(left);
    const auto known = std::ranges::find(reasons, reason);
    if (known == reasons.end()) {
      reasons.push_back(reason);
      notes.push_back(fmt::format("warning: {} is skipped: {}", left.label, left.reason));
      alike.push_back(0);
      continue;
    }
    const auto at = static_cast<std::size_t>(known - reasons.begin());
    notes[at] += fmt::format(
        "{}{}", alike[at]++ == 0 ? "; and so are, for the same reason, " : ", ", left.label);
  }
  return notes;
}

bool starts_at_target(const SeedStatistics& runs) {
  return std::ranges::any_of(runs.summaries,
                             [](const Summary* s) { return s->epochs_to_target == 0.0; });
}

}  // namespace trainyard
