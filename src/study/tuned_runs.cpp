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

namespace {

void exchange_trials(Archive& archive, std::vector<TuningTrial>& trials) {
  std::vector<std::uint64_t> steps;
  std::vector<double> losses;
  for (const TuningTrial& trial : trials) {
    steps.push_back(trial.steps);
    losses.push_back(trial.loss);
  }
  archive.exchange("tuning/steps", steps);
  archive.exchange("tuning/losses", losses);
  trials.resize(steps.size());
  for (std::size_t i = 0; i < trials.size(); ++i) {
    trials[i].steps = steps[i];
    trials[i].loss = losses.at(i);
    archive.exchange(fmt::format("tuning/{}/sizes", i), trials[i].sizes);
    archive.exchange(fmt::format("tuning/{}/seconds to target", i), trials[i].seconds_to_target);
  }
}

void exchange_flag(Archive& archive, const std::string& name, bool& flag) {
  std::uint8_t value = flag ? 1 : 0;
  archive.exchange(name, value);
  flag = value != 0;
}

/// As far as it has come.
const Tuning* tuning_of(const TunedRuns& runs) {
  if (runs.found) return &runs.found->tuning;
  return runs.search ? &runs.search->result() : nullptr;
}

}  // namespace

void exchange_found(Archive& archive, std::optional<FoundSizes>& found) {
  bool is_tuned = found.has_value();
  exchange_flag(archive, "tuning/is there", is_tuned);
  if (!is_tuned) {
    found.reset();
    return;
  }
  if (!found) found.emplace();
  archive.exchange("tuning/names", found->tuning.names);
  archive.exchange("tuning/sizes", found->tuning.sizes);
  exchange_trials(archive, found->tuning.trials);
  exchange_flag(archive, "tuning/at edge", found->tuning.at_edge);
  exchange_flag(archive, "tuning/edge is up", found->tuning.edge_is_up);
  exchange_flag(archive, "tuning/edge was worse", found->tuning.edge_was_worse);
  exchange_flag(archive, "tuning/interrupted", found->tuning.interrupted);
  archive.exchange("tuning/made", found->made);
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
    if (first.tuned.empty() || each.found) continue;
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
  const std::string each = to_target ? "about four times the steps to its target"
                                     : fmt::format("about four times the steps of its run{}",
                                                   runs == searches ? "" : "s");
  return fmt::format("tuning: {} to find, each with {}{}; --lr X is one for all",
                     searches == 1 ? "a step size" : fmt::format("{} step sizes", searches), each,
                     at_most);
}

std::optional<Note> note_of_tuning(const std::deque<TunedRuns>& all,
                                   const std::vector<std::optional<RunResult>>& results) {
  std::size_t runs = 0;
  double tuning = 0.0, shown = 0.0;
  for (const TunedRuns& each : all) {
    const Tuning* const tuned = tuning_of(each);
    if (tuned == nullptr) continue;
    for (const TuningTrial& trial : tuned->trials) {
      runs += each.tuned.size();
      tuning += static_cast<double>(trial.steps);
    }
    if (!each.found) continue;
    for (const std::uint64_t place : each.found->made) {
      const std::size_t index = each.tuned.at(place);
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
