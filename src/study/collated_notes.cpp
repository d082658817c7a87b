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

#include "study/numbers_apart.hpp"

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

/// "seed 3", "seeds 1 to 8", "seeds 1, 2, 5 to 8".
std::string seeds_text(const std::set<std::uint64_t>& seeds) {
  std::vector<std::string> parts;
  for (auto seed = seeds.begin(); seed != seeds.end();) {
    const std::uint64_t first = *seed;
    std::uint64_t last = first;
    while (++seed != seeds.end() && *seed == last + 1) last = *seed;
    if (last == first + 1) parts.push_back(fmt::to_string(first));
    parts.push_back(last <= first + 1 ? fmt::to_string(last)
                                      : fmt::format("{} to {}", first, last));
  }
  return fmt::format("seed{} {}", seeds.size() == 1 ? "" : "s", fmt::join(parts, ", "));
}

/// "seed 2" where all runs of some seeds have it, and none of another; else empty.
std::string seeds_with(const std::string& text, std::span<const NotedRun> runs) {
  std::set<std::uint64_t> with, without;
  for (const NotedRun& run : runs) (has(run, text) ? with : without).insert(run.seed);
  const auto is_among_others = [&](std::uint64_t seed) { return without.contains(seed); };
  if (without.empty() || std::ranges::any_of(with, is_among_others)) return "";
  return seeds_text(with);
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

/// Texts of one kind, of runs that are told of together.
struct Alike {
  enum class Among { seeds_of_all, seeds_of_a_name, points_of_a_label, nobody };
  Among among = Among::nobody;
  std::string whose, kind;  // the name or the label, or empty; what kind_of_sentence() says
  std::vector<std::string> texts;
};

/// Those among whom another run may have the same with other numbers. REQUIRES: some run has it.
Alike alike_alone(const std::string& text, std::span<const NotedRun> runs) {
  Alike alike{.whose = "", .kind = kind_of_sentence(text), .texts = {text}};
  const NotedRun& one =
      *std::ranges::find_if(runs, [&](const NotedRun& run) { return has(run, text); });
  const auto is_of_name = [&](const NotedRun& run) { return run.name == one.name; };
  const bool is_of_one_name = std::ranges::all_of(
      runs, [&](const NotedRun& run) { return is_of_name(run) || !has(run, text); });
  if (!is_of_one_name) {
    if (!seeds_with(text, runs).empty()) alike.among = Alike::Among::seeds_of_all;
    return alike;
  }
  const bool has_seeds = std::ranges::count_if(runs, is_of_name) > 1;
  alike.among = has_seeds ? Alike::Among::seeds_of_a_name : Alike::Among::points_of_a_label;
  alike.whose = has_seeds ? one.name : one.label;
  return alike;
}

/// Whether one has it besides one of the others: then they are two things.
bool is_in_one_run(const std::vector<std::string>& texts, const std::string& text,
                   std::span<const NotedRun> runs) {
  return std::ranges::any_of(runs, [&](const NotedRun& run) {
    return has(run, text) &&
           std::ranges::any_of(texts, [&](const std::string& other) { return has(run, other); });
  });
}

/// In the order in which the first of each comes.
std::vector<Alike> alike_notes(std::span<const NotedRun> runs) {
  std::vector<Alike> all;
  std::set<std::string> seen;
  for (const NotedRun& run : runs) {
    for (const Note& note : run.notes) {
      if (!seen.insert(note.text).second) continue;
      Alike alone = alike_alone(note.text, runs);
      const auto found = std::ranges::find_if(all, [&](const Alike& other) {
        return alone.among != Alike::Among::nobody && alone.among == other.among &&
               alone.whose == other.whose && alone.kind == other.kind &&
               !is_in_one_run(other.texts, note.text, runs);
      });
      if (found == all.end()) {
        all.push_back(std::move(alone));
      } else {
        found->texts.push_back(note.text);
      }
    }
  }
  return all;
}

std::string about(const Alike& alike, std::span<const NotedRun> runs) {
  std::set<std::uint64_t> seeds;
  std::set<std::string> with, points;
  for (const NotedRun& run : runs) {
    if (run.label == alike.whose) points.insert(run.name);
    const auto is_there = [&](const std::string& text) { return has(run, text); };
    if (!std::ranges::any_of(alike.texts, is_there)) continue;
    seeds.insert(run.seed);
    with.insert(run.name);
  }
  switch (alike.among) {
    case Alike::Among::seeds_of_all:
      return seeds_text(seeds);
    case Alike::Among::seeds_of_a_name:
      return fmt::format("{}, {}", alike.whose, seeds_text(seeds));
    default:
      if (with.size() == points.size()) return alike.whose;
      return fmt::format("{} at {} of {} points", alike.whose, with.size(), points.size());
  }
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

std::vector<CollatedNote> collate(std::span<const NotedRun> runs) {
  std::vector<CollatedNote> collated;
  for (const Alike& alike : alike_notes(runs)) {
    constexpr std::size_t fewest = 3;  // two are as soon read as their ranges
    if (alike.texts.size() >= fewest) {
      collated.push_back({{.about = about(alike, runs), .text = with_ranges(alike.texts)},  //
                          alike.texts});
      continue;
    }
    for (const std::string& text : alike.texts) {
      collated.push_back({{.about = about(text, runs), .text = text}, {text}});
    }
  }
  return collated;
}

std::vector<Note> collated_notes(std::span<const NotedRun> runs) {
  std::vector<Note> notes;
  for (CollatedNote& collated : collate(runs)) notes.push_back(std::move(collated.note));
  return notes;
}

std::vector<NotedRun> noted_runs(std::span<const RunResult> runs) {
  std::vector<NotedRun> noted;
  noted.reserve(runs.size());
  for (const RunResult& run : runs) {
    const Summary& s = run.summary;
    noted.push_back({s.label, name_at(s.label, s.varied), s.seed, s.notes});
  }
  return noted;
}

std::vector<Note> collated_notes(std::span<const RunResult> runs, std::vector<Note> of_all) {
  std::ranges::move(collated_notes(noted_runs(runs)), std::back_inserter(of_all));
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
