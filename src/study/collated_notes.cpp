#include "trainyard/study/collated_notes.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "trainyard/configuration/contestant.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

namespace {

/// All seeds of one contestant at one point.
struct SameName {
  std::string label, name;
  std::vector<const NotedRun*> runs;
};

std::vector<SameName> by_name(std::span<const NotedRun> runs) {
  std::vector<SameName> all;
  for (const NotedRun& run : runs) {
    auto found = std::ranges::find(all, run.name, &SameName::name);
    if (found == all.end()) found = all.insert(found, {run.label, run.name, {}});
    found->runs.push_back(&run);
  }
  return all;
}

bool has(const NotedRun& run, const std::string& text) {
  return std::ranges::find(run.notes, text, &Note::text) != run.notes.end();
}

/// "seed 2" where all runs of some seeds have it, and none of another; else empty.
std::string seeds_with(const std::string& text, std::span<const NotedRun> runs) {
  std::set<std::uint64_t> with, without;
  for (const NotedRun& run : runs) (has(run, text) ? with : without).insert(run.seed);
  const auto is_among_others = [&](std::uint64_t seed) { return without.contains(seed); };
  if (without.empty() || std::ranges::any_of(with, is_among_others)) return "";
  return fmt::format("seed{} {}", with.size() == 1 ? "" : "s", fmt::join(with, ", "));
}

bool all_have(const SameName& same, const std::string& text) {
  return std::ranges::all_of(same.runs, [&](const NotedRun* run) { return has(*run, text); });
}

/// At all points of the contestant.
bool everywhere(const std::string& label, const std::string& text,
                const std::vector<SameName>& all) {
  return std::ranges::all_of(
      all, [&](const SameName& same) { return same.label != label || all_have(same, text); });
}

/// Names the runs that have the note; empty if all have it.
std::string about(const std::string& text, std::span<const NotedRun> runs) {
  const std::vector<SameName> all = by_name(runs);
  if (std::string seeds = seeds_with(text, runs); all.size() > 1 && !seeds.empty()) {
    return seeds;
  }
  std::vector<std::string> names;
  bool everybody = true;
  for (const SameName& same : all) {
    if (all_have(same, text)) {
      std::string name = everywhere(same.label, text, all) ? same.label : same.name;
      if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
      continue;
    }
    everybody = false;
    for (const NotedRun* run : same.runs) {
      if (has(*run, text)) names.push_back(fmt::format("{}, seed {}", same.name, run->seed));
    }
  }
  return everybody ? "" : fmt::format("{}", fmt::join(names, "; "));
}

constexpr std::string_view mean_step =
    "γ × the mean of the workers' gradients, exactly or to first order";

/// Says what a step is with so many workers: gradients are averaged, or each is taken in full. With
/// one worker both are the same.
std::string_view step_of(const Scheme& scheme, int workers) {
  const std::string_view step = scheme.step;
  const auto begins = [&](std::string_view words) { return step.starts_with(words); };
  const bool of_groups = begins("γ × mean over each group");
  if ((of_groups || begins("γ × each gradient")) && workers > 1) return step;
  const bool of_mean = begins("γ × mean over") || begins("γ × own gradient") ||
                       begins("γ × estimate of the mean") || begins("γ × each gradient");
  return of_mean ? mean_step : step;
}

/// Not that of all: found for it, or said for it alone.
bool has_own_step_size(const RunResult& run) {
  const auto has = [](const std::vector<OptionText>& options) {
    return std::ranges::find(options, "lr", &OptionText::option) != options.end();
  };
  return has(run.summary.tuned) || has(run.summary.settings);
}

}  // namespace

std::vector<Note> collated_notes(std::span<const NotedRun> runs) {
  std::vector<Note> collated;
  for (const NotedRun& run : runs) {
    for (const Note& note : run.notes) {
      if (std::ranges::find(collated, note.text, &Note::text) != collated.end()) continue;
      collated.push_back({.about = about(note.text, runs), .text = note.text});
    }
  }
  return collated;
}

std::vector<Note> collated_notes(std::span<const RunResult> runs, std::vector<Note> of_all) {
  std::vector<NotedRun> noted;
  noted.reserve(runs.size());
  for (const RunResult& run : runs) {
    const Summary& s = run.summary;
    noted.push_back({s.label, name_at(s.label, s.varied), s.seed, s.notes});
  }
  std::ranges::move(collated_notes(noted), std::back_inserter(of_all));
  return of_all;
}

std::vector<StepKind> differing_steps(std::span<const RunResult> runs) {
  std::map<double, std::set<std::string_view>> meanings;  // of each step size
  for (const RunResult& run : runs) {
    if (!has_own_step_size(run)) {
      meanings[run.summary.lr].insert(
          step_of(find_scheme(run.summary.scheme), run.resolved.workers));
    }
  }
  std::vector<StepKind> kinds;
  for (const RunResult& run : runs) {
    if (has_own_step_size(run) || meanings[run.summary.lr].size() < 2) continue;
    const Scheme& scheme = find_scheme(run.summary.scheme);
    const std::string step(step_of(scheme, run.resolved.workers));
    auto found = std::ranges::find(kinds, step, &StepKind::step);
    if (found == kinds.end()) found = kinds.insert(found, {.step = step, .schemes = {}});
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
              .text = fmt::format("note: one step size γ means different steps (--tune-lr gives "
                                  "each scheme its own best): {}",
                                  fmt::join(parts, "; "))};
}

}  // namespace trainyard
