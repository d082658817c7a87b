#include "trainyard/study/repeated_notes.hpp"

#include <algorithm>

#include "trainyard/study/collated_notes.hpp"

#include "study/numbers_apart.hpp"

namespace trainyard {

bool RepeatedNotes::is_new(const Case& one, const std::string& text) {
  const std::string run = folder_of(one).string();
  const std::lock_guard lock(mutex_);
  const auto [said, is_first] =
      said_.try_emplace({several_seeds_ ? name_of(one) : one.label, kind_of_sentence(text)}, run);
  const bool is_new = is_first || said->second == run;
  if (!is_new) kept_back_[text] = name_of(one);
  return is_new;
}

std::vector<std::string> RepeatedNotes::lines_left(std::span<const RunResult> runs) const {
  std::vector<std::string> lines;
  std::map<std::string, std::string> left = kept_back_;
  for (const auto& [note, texts] : collate(noted_runs(runs))) {
    const bool is_said = std::ranges::none_of(
        texts, [&](const std::string& text) { return kept_back_.contains(text); });
    if (is_said) continue;
    lines.push_back(note.about.empty() ? note.text : with_name(note.text, note.about));
    for (const std::string& text : texts) left.erase(text);
  }
  for (const auto& [text, name] : left) lines.push_back(with_name(text, name));
  return lines;
}

}  // namespace trainyard
