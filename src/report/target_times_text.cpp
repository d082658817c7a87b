#include "report/target_times_text.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/report/aligned.hpp"
#include "trainyard/study/collated_notes.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;

/// Of passes: "6.3 ± 0.4".
std::string passes_text(const TargetTime& way) {
  if (!way.passes) return "-";
  if (!way.half_width) return fmt::format("{:.3g}", *way.passes);
  return fmt::format("{:.3g} ± {:.2g}", *way.passes, *way.half_width);
}

/// "0.4", "0.4, outer-lr 2.8": what the label does not say.
std::string step_sizes_text(const TargetTime& way) {
  std::string text = fmt::format("{:.4g}", way.step_size);
  for (const auto& [name, value] : way.settings) {
    const bool is_size = name.ends_with("-lr");
    if (is_size && way.label.find(name) == std::string::npos)
      text += fmt::format(", {} {}", name, value);
  }
  return text;
}

/// "qgm is first", "qgm, gossip are first together": all that have the first's passes and time.
std::string who_is_first(const TargetTimes& times) {
  const TargetTime& first = times.ways.front();
  std::vector<std::string> names;
  for (const TargetTime& way : times.ways) {
    if (way.seconds == first.seconds && way.passes == first.passes) names.push_back(way.label);
  }
  return names.size() == 1 ? names.front() + " is first"
                           : fmt::format("{} are first together", fmt::join(names, ", "));
}

/// " (10 to 30 of who may be first)", or nothing where all have as many seeds.
std::string finalists_text(const TargetTimes& times) {
  std::vector<int> more;
  for (const TargetTime& way : times.ways) {
    if (way.seeds > times.seeds) more.push_back(way.seeds);
  }
  if (more.empty()) return "";
  const auto [least, most] = std::ranges::minmax(more);
  return least == most ? fmt::format(" ({} of who may be first)", most)
                       : fmt::format(" ({} to {} of who may be first)", least, most);
}

}  // namespace

std::string remarks_on(const TargetTimes& times) {
  std::string text;
  for (const std::string& one : times.left_out) text += fmt::format("not trained: {}\n", one);
  std::vector<std::string> unheard;
  for (const TargetTime& way : times.ways) {
    if (way.unheard && !times.at_start) unheard.push_back(way.label);
  }
  if (!unheard.empty()) {
    text += fmt::format(
        "not ranked: {}: at the target before any message had come, with an average that no worker "
        "holds, at the step size that takes them there first\n",
        fmt::join(unheard, ", "));
  }
  const bool is_rough = std::ranges::any_of(times.ways, [&](const TargetTime& way) {
    return way.passes && *way.passes <= times.evaluate_every;
  });
  if (is_rough) {
    text +=
        fmt::format("passes up to {:.3g} are rough: nobody looks sooner\n", times.evaluate_every);
  }
  const bool any_there = !times.ways.empty() && times.ways.front().seconds;
  if (times.interrupted && any_there) text += "It was interrupted: some ways are missing.\n";
  if (times.finals_interrupted) {
    text += "It was interrupted: some that may be first have fewer seeds than they were to have.\n";
  }
  std::vector<NotedRun> noted;
  for (const TargetTime& way : times.ways) noted.push_back({way.label, way.label, 0, way.remarks});
  for (const Note& note : collated_notes(noted)) {
    text += (note.about.empty() ? note.text : with_name(note.text, note.about)) + "\n";
  }
  return text;
}

std::string first_at_target_sentence(const TargetTimes& times) {
  const TargetTime* const first = times.ways.empty() ? nullptr : &times.ways.front();
  if (times.at_start) {
    return fmt::format(
        "With some seed at least the model is at a {} before the first step: there is nothing to "
        "rank.\n",
        times.target);
  }
  if ((first == nullptr || !first->seconds) && times.interrupted) {
    return "It was interrupted before any way to talk was through with all seeds.\n";
  }
  if (first == nullptr || !first->seconds) {
    return fmt::format("None came to a {} within {:.4g} pass{} with all seeds.\n", times.target,
                       times.most_passes, times.most_passes == 1.0 ? "" : "es");
  }
  std::string text = fmt::format("{} at a {}, after {}", who_is_first(times), times.target,
                                 human_duration(*first->seconds));
  const auto second = std::ranges::find_if(
      times.ways.begin() + 1, times.ways.end(),
      [&](const TargetTime& way) { return way.seconds && *way.seconds > *first->seconds; });
  if (second != times.ways.end()) {
    text += fmt::format("; then {} after {}", second->label, human_duration(*second->seconds));
  }
  if (first->seeds == 1) return text + ", with one seed.\n";
  if (second == times.ways.end() || !is_open(*first, *second)) return text + ".\n";
  return text + ", which these seeds do not tell apart.\n";
}

std::string target_times_text(const TargetTimes& times) {
  std::vector<TableRow> lines{{"scheme", "to target", "passes", "step size"}};
  for (const TargetTime& way : times.ways) {
    lines.push_back({way.label, way.seconds ? human_duration(*way.seconds) : "-", passes_text(way),
                     step_sizes_text(way)});
  }
  const std::string finalists = finalists_text(times);
  const std::string interval = times.seeds > 1 ? " with half of a 95 % interval" : "";
  return first_at_target_sentence(times) + aligned(lines) + remarks_on(times) +
         fmt::format(
             "to target: a {}; passes over {}, mean of {}{}{}, of runs in simulated\n"
             "time, each way at its own best step size, by the rates below\n",
             times.target, counted(times.rows, "row"), counted(times.seeds, "seed"), finalists,
             interval);
}

Json target_times_object(const TargetTimes& times) {
  const auto number = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  Json ways = Json::array();
  for (const TargetTime& way : times.ways) {
    std::vector<std::string> remarks;
    for (const Note& note : way.remarks) remarks.push_back(note.text);
    Json settings = Json::object();
    for (const auto& [name, text] : way.settings) settings[name] = text;
    ways.push_back({{"label", way.label},
                    {"scheme", way.scheme},
                    {"settings", settings},
                    {"step_size", way.step_size},
                    {"passes", number(way.passes)},
                    {"half_width", number(way.half_width)},
                    {"seconds", number(way.seconds)},
                    {"seeds", way.seeds},
                    {"unheard", way.unheard},
                    {"remarks", remarks}});
  }
  return {{"what", times.target},
          {"rows", times.rows},
          {"seeds", times.seeds},
          {"most_passes", times.most_passes},
          {"evaluate_every", times.evaluate_every},
          {"interrupted", times.interrupted},
          {"finals_interrupted", times.finals_interrupted},
          {"at_start", times.at_start},
          {"left_out", times.left_out},
          {"ways", ways}};
}

}  // namespace trainyard
