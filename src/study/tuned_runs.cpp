#include "study/tuned_runs.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "trainyard/base/units.hpp"

namespace trainyard {

Note edge_note(const Tuning& tuning) {
  return {
      .about = "",
      .text = fmt::format("note: a {} step size than {:.6g} may be better: the next one was {}",
                          tuning.edge_is_up ? "larger" : "smaller", tuning.sizes.front(),
                          tuning.edge_was_worse ? "worse in shorter runs, and not tried for as long"
                                                : "not tried for as long")};
}

std::vector<OptionText> texts_of(const Tuning& tuning) {
  std::vector<OptionText> texts;
  for (std::size_t i = 0; i < tuning.names.size(); ++i) {
    texts.push_back({tuning.names[i], fmt::to_string(tuning.sizes[i])});
  }
  return texts;
}

void tell(const RunResult& result, const std::vector<Note>& told, const RunHooks& listening) {
  for (const Metrics& metrics : result.metrics) {
    if (listening.evaluated) listening.evaluated(metrics);
  }
  for (const Note& note : result.summary.notes) {
    const bool known = std::ranges::find(told, note) != told.end();
    if (!known && listening.remark) listening.remark(note.text);
  }
}

std::optional<std::string> what_tuning_costs(const std::deque<TunedRuns>& all,
                                             const std::vector<Case>& cases, bool is_far) {
  std::size_t searches = 0, runs = 0;
  std::optional<Duration> longest;
  bool on_clock = false, to_target = false;
  for (const TunedRuns& each : all) {
    const Case& first = cases[each.tuned.front()];
    if (first.tuned.empty()) continue;
    ++searches;
    runs += each.tuned.size();
    longest = std::max(longest, first.configuration.seconds);
    on_clock = on_clock || first.configuration.time == TimeMode::wall;
    to_target = to_target || has_target(first.configuration);
  }
  if (searches == 0 || !(on_clock || longest || is_far)) return std::nullopt;
  const std::string at_most =
      on_clock && longest && !to_target
          ? fmt::format(", some {} of the clock in all",
                        human_duration(4.0 * to_seconds(*longest) * static_cast<double>(runs)))
          : "";
  const std::string each =
      to_target
          ? "about four times the steps to its target and one evaluation beyond"
          : fmt::format("about four times the steps of its run{}", runs == searches ? "" : "s");
  return fmt::format("tuning: {} to find, each with {}{}; --lr X is one for all",
                     searches == 1 ? "a step size" : fmt::format("{} step sizes", searches), each,
                     at_most);
}

std::optional<Note> note_of_tuning(const std::deque<TunedRuns>& all,
                                   const std::vector<std::optional<RunResult>>& results) {
  std::size_t runs = 0;
  double tuning = 0.0, shown = 0.0;
  for (const TunedRuns& each : all) {
    if (!each.search) continue;
    for (const TuningTrial& trial : each.search->result().trials) {
      runs += each.tuned.size();
      tuning += static_cast<double>(trial.steps);
    }
    for (const auto& [index, moved] : each.made) {
      if (!results[index]) continue;
      --runs;
      tuning -= results[index]->summary.steps;
    }
  }
  std::vector<std::string> names;
  bool all_are = true;
  for (const std::optional<RunResult>& result : results) {
    if (!result) continue;
    const Summary& s = result->summary;
    if (s.tuned.empty()) {
      all_are = false;
      continue;
    }
    shown += s.steps;
    if (std::ranges::find(names, s.label) == names.end()) names.push_back(s.label);
  }
  if (shown == 0.0) return std::nullopt;
  return Note{.about = "",
              .text = fmt::format(
                  "note: {} at the best step size that tuning found for it, in {} further runs "
                  "with {:.2g} times the steps of those shown; --lr X is one for "
                  "all",
                  all_are ? "each" : fmt::format("each of {}", fmt::join(names, ", ")), runs,
                  tuning / shown)};
}

}  // namespace trainyard
