#include "report/target_times_text.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/report/aligned.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;

/// Of passes: "6.3 ± 0.4".
std::string passes_text(const TargetTime& way) {
  if (!way.passes) return "-";
  if (!way.half_width) return fmt::format("{:.3g}", *way.passes);
  return fmt::format("{:.3g} ± {:.2g}", *way.passes, *way.half_width);
}

/// Whether the passes of the two, with their intervals, leave open who is sooner. Those that learn
/// as one have the same passes, and rates tell them apart.
bool is_open(const TargetTime& first, const TargetTime& second) {
  if (first.passes == second.passes) return false;
  const auto part = [](const TargetTime& way) {
    return way.half_width.value_or(0.0) / *way.passes;
  };
  return *first.seconds * (1.0 + part(first)) >= *second.seconds * (1.0 - part(second));
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
        "holds\n",
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
  return text;
}

std::string first_at_target_sentence(const TargetTimes& times) {
  const TargetTime* const first = times.ways.empty() ? nullptr : &times.ways.front();
  if (times.at_start) {
    return fmt::format("The model is at a {} before the first step: there is nothing to rank.\n",
                       times.target);
  }
  if ((first == nullptr || !first->seconds) && times.interrupted) {
    return "It was interrupted before any way to talk was through with all seeds.\n";
  }
  if (first == nullptr || !first->seconds) {
    return fmt::format("None came to a {} within {:.4g} pass{} with all seeds.\n", times.target,
                       times.most_passes, times.most_passes == 1.0 ? "" : "es");
  }
  std::string text = fmt::format("{} is first at a {}, after {}", first->label, times.target,
                                 human_duration(*first->seconds));
  const auto second = std::ranges::find_if(
      times.ways.begin() + 1, times.ways.end(),
      [&](const TargetTime& way) { return way.seconds && *way.seconds > *first->seconds; });
  if (second == times.ways.end()) return text + ".\n";
  return text +
         fmt::format("; then {} after {}{}.\n", second->label, human_duration(*second->seconds),
                     is_open(*first, *second) ? ", which these seeds do not tell apart" : "");
}

std::string target_times_text(const TargetTimes& times) {
  std::vector<TableRow> lines{{"scheme", "to target", "passes", "step size"}};
  for (const TargetTime& way : times.ways) {
    lines.push_back({way.label, way.seconds ? human_duration(*way.seconds) : "-", passes_text(way),
                     fmt::format("{:.4g}", way.step_size)});
  }
  const auto most = std::ranges::max_element(times.ways, {}, &TargetTime::seeds);
  const bool has_finalists = most != times.ways.end() && most->seeds > times.seeds;
  const std::string finalists =
      has_finalists ? fmt::format(" ({} of who may be first)", most->seeds) : "";
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
    ways.push_back({{"label", way.label},
                    {"step_size", way.step_size},
                    {"passes", number(way.passes)},
                    {"half_width", number(way.half_width)},
                    {"seconds", number(way.seconds)},
                    {"seeds", way.seeds},
                    {"unheard", way.unheard}});
  }
  return {{"what", times.target},
          {"rows", times.rows},
          {"seeds", times.seeds},
          {"most_passes", times.most_passes},
          {"evaluate_every", times.evaluate_every},
          {"interrupted", times.interrupted},
          {"at_start", times.at_start},
          {"left_out", times.left_out},
          {"ways", ways}};
}

}  // namespace trainyard
