#include "study/left_out.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trainyard {

namespace {

std::string without(std::string_view text, std::string_view name) {
  std::string made;
  if (name.empty()) return std::string(text);
  for (auto at = text.find(name); at != std::string_view::npos; at = text.find(name)) {
    made += text.substr(0, at);
    made += '*';
    text.remove_prefix(at + name.size());
  }
  return made += text;
}

/// Without the name that an error begins with where a contestant has settings or a point.
std::string reason_of(const LeftOut& left) {
  const std::string names_itself = left.label + ": ";
  const bool does = left.reason.starts_with(names_itself);
  return does ? left.reason.substr(names_itself.size()) : left.reason;
}

/// Without the names of who is left out.
std::string nobodys(const LeftOut& left) {
  const std::string_view label = left.label;
  return without(without(reason_of(left), label), label.substr(0, label.find_first_of(":{,")));
}

std::string note_of(std::span<const LeftOut* const> alike) {
  const LeftOut& first = *alike.front();
  if (alike.size() == 1) {
    return fmt::format("warning: {} is skipped: {}", first.label, reason_of(first));
  }
  std::vector<std::string> names;
  bool has_points = false;
  for (const LeftOut* left : alike) {
    names.push_back(left->label);
    has_points = has_points || left->label.find(", ") != std::string::npos;
  }
  return fmt::format("warning: {} are skipped, all as the first: {}; {}: {}", alike.size(),
                     fmt::join(names, has_points ? "; " : ", "), first.label, reason_of(first));
}

}  // namespace

std::vector<std::string> left_out(const Compared& compared) {
  std::vector<std::string> all;
  for (const LeftOut& left : compared.left_out) {
    all.push_back(fmt::format("{}: {}", left.label, reason_of(left)));
  }
  return all;
}

std::vector<std::string> left_out_notes(const std::vector<LeftOut>& all) {
  std::vector<std::string> reasons;
  std::vector<std::vector<const LeftOut*>> alike;
  for (const LeftOut& left : all) {
    const std::string reason = nobodys(left);
    const auto known = std::ranges::find(reasons, reason);
    const auto at = static_cast<std::size_t>(known - reasons.begin());
    if (known == reasons.end()) {
      reasons.push_back(reason);
      alike.emplace_back();
    }
    alike[at].push_back(&left);
  }
  std::vector<std::string> notes;
  notes.reserve(alike.size());
  for (const std::vector<const LeftOut*>& each : alike) notes.push_back(note_of(each));
  return notes;
}

bool starts_at_target(const SeedStatistics& runs) {
  return std::ranges::any_of(runs.summaries,
                             [](const Summary* s) { return s->epochs_to_target == 0.0; });
}

}  // namespace trainyard
