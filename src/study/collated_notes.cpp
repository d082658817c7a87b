#include "trainyard/study/collated_notes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "trainyard/scheme/scheme.hpp"
#include "trainyard/study/contestant.hpp"

namespace trainyard {

namespace {

/// All seeds of one contestant at one point.
struct NamedRuns {
  std::string name;
  std::vector<const RunResult*> runs;
};

std::vector<NamedRuns> by_name(std::span<const RunResult> runs) {
  std::vector<NamedRuns> all;
  for (const RunResult& run : runs) {
    const std::string name = name_at(run.summary.label, run.summary.varied);
    auto found = std::ranges::find(all, name, &NamedRuns::name);
    if (found == all.end()) found = all.insert(found, {.name = name, .runs = {}});
    found->runs.push_back(&run);
  }
  return all;
}

bool has(const RunResult& run, const Note& note) {
  return std::ranges::find(run.summary.notes, note) != run.summary.notes.end();
}

/// Those that have the note; empty where all have.
std::string about(const Note& note, std::span<const NamedRuns> all) {
  std::vector<std::string> names;
  bool everybody = true;
  for (const NamedRuns& named : all) {
    const auto count = static_cast<std::size_t>(
        std::ranges::count_if(named.runs, [&](const RunResult* run) { return has(*run, note); }));
    if (count == named.runs.size()) {
      names.push_back(named.name);
      continue;
    }
    everybody = false;
    for (const RunResult* run : named.runs) {
      if (has(*run, note)) {
        names.push_back(fmt::format("{}, seed {}", named.name, run->summary.seed));
      }
    }
  }
  return everybody ? "" : fmt::format("{}", fmt::join(names, "; "));
}

/// Not that of all: found for it, or said for it alone.
bool has_own_step_size(const RunResult& run) {
  const auto has = [](const std::vector<OptionText>& options) {
    return std::ranges::find(options, "lr", &OptionText::option) != options.end();
  };
  return has(run.summary.tuned) || has(run.summary.settings);
}

}  // namespace

std::vector<Note> collated_notes(std::span<const RunResult> runs, std::vector<Note> of_all) {
  const std::vector<NamedRuns> named = by_name(runs);
  std::vector<Note> seen;
  for (const RunResult& run : runs) {
    for (const Note& note : run.summary.notes) {
      if (std::ranges::find(seen, note) != seen.end()) continue;
      seen.push_back(note);
      of_all.push_back({.about = about(note, named), .text = note.text});
    }
  }
  return of_all;
}

std::vector<StepKind> differing_steps(std::span<const RunResult> runs) {
  std::map<double, std::set<std::string_view>> meanings;  // of each step size
  for (const RunResult& run : runs) {
    if (!has_own_step_size(run)) {
      meanings[run.summary.lr].insert(find_scheme(run.summary.scheme).step);
    }
  }
  std::vector<StepKind> kinds;
  for (const RunResult& run : runs) {
    if (has_own_step_size(run) || meanings[run.summary.lr].size() < 2) continue;
    const Scheme& scheme = find_scheme(run.summary.scheme);
    auto found = std::ranges::find(kinds, scheme.step, &StepKind::step);
    if (found == kinds.end()) found = kinds.insert(found, {.step = scheme.step, .schemes = {}});
    auto& names = found->schemes;
    if (std::ranges::find(names, scheme.name) == names.end()) names.push_back(scheme.name);
  }
  return kinds;
}

std::optional<Note> differing_steps_note(std::span<const RunResult> runs) {
  std::vector<std::string> parts;
  for (const auto& [step, names] : differing_steps(runs)) {
    parts.push_back(fmt::format("in {} {}", fmt::join(names, ", "), step));
  }
  if (parts.empty()) return std::nullopt;
  return Note{.about = "",
              .text = fmt::format("note: one step size γ means different steps (without --lr, "
                                  "each scheme has its own best): {}",
                                  fmt::join(parts, "; "))};
}

}  // namespace trainyard
