#include "trainyard/report/thread_times_text.hpp"

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

/// "hogwild with 16 threads", "one thread".
std::string name_of(const ThreadTime& way) {
  if (way.threads == 1) return "one thread";
  return fmt::format("{} with {} threads", way.way, way.threads);
}

std::string upper_first(std::string text) {
  if (text.starts_with("one ")) text.front() = 'O';
  return text;
}

/// How the first stands to one thread: ": 9.1 times as soon as one thread". Of one thread something
/// is said where all ways to share memory are ranked behind it, for sure.
std::string beside_one_thread(const ThreadTimes& times, bool is_open) {
  const ThreadTime& first = times.ways.front();
  const ThreadTime* const alone = times.alone();
  if (first.threads == 1) {
    const bool all_are_behind = times.ways.size() > 1 && times.left_out.empty() &&
                                !times.interrupted && !is_open && times.seeds > 1 &&
                                std::ranges::none_of(times.ways, &ThreadTime::unheard);
    return all_are_behind ? ": no way to share its memory is sooner here" : "";
  }
  if (alone == nullptr) return "";
  if (!alone->seconds) return "; one thread does not come there";
  return fmt::format(": {:.3g} times as soon as one thread", *alone->seconds / *first.seconds);
}

/// Whether the two means, with their intervals, leave open who is sooner.
bool overlap(const ThreadTime& first, const ThreadTime& second) {
  return *first.seconds + first.half_width.value_or(0.0) >=
         *second.seconds - second.half_width.value_or(0.0);
}

std::string sentence_of(const ThreadTimes& times) {
  const ThreadTime* const first = times.ways.empty() ? nullptr : &times.ways.front();
  if (times.at_start) {
    return fmt::format(
        "With some seed at least the model is at a {} before the first step: there is nothing to "
        "rank.\n",
        times.target);
  }
  if (first == nullptr || !first->seconds) {
    if (times.interrupted) return "It was interrupted before any way was through with all seeds.\n";
    return fmt::format("None came to a {} within {:.4g} pass{} with all seeds.\n", times.target,
                       times.most_passes, times.most_passes == 1.0 ? "" : "es");
  }
  const ThreadTime* const second =
      times.ways.size() > 1 && times.ways[1].seconds ? &times.ways[1] : nullptr;
  const bool is_open = second != nullptr && overlap(*first, *second);
  std::string text = upper_first(name_of(*first));
  text += fmt::format(" is first at a {}, after {}{}", times.target,
                      human_duration(*first->seconds), beside_one_thread(times, is_open));
  if (second == nullptr) return text + ".\n";
  text += fmt::format("; then {} after {}", name_of(*second), human_duration(*second->seconds));
  if (times.seeds == 1) return text + ", with one seed.\n";
  return text + (is_open ? ", which these seeds do not tell apart.\n" : ".\n");
}

std::string time_cell(const ThreadTime& way) {
  if (!way.seconds) return "-";
  std::string mean = human_duration(*way.seconds);
  if (!way.half_width) return mean;
  return fmt::format("{} ± {:.0f} %", mean, 100.0 * *way.half_width / *way.seconds);
}

}  // namespace

std::string thread_times_text(const ThreadTimes& times) {
  if (times.at_start) return sentence_of(times);
  std::vector<TableRow> lines{{"way", "threads", "to target", "passes", "rows/s", "step size"}};
  std::vector<std::string> unheard;
  for (const ThreadTime& way : times.ways) {
    lines.push_back({way.way, fmt::to_string(way.threads), time_cell(way),
                     way.passes ? fmt::format("{:.3g}", *way.passes) : "-", human_count(way.rate),
                     fmt::format("{:.4g}", way.step_size)});
    if (way.unheard) unheard.push_back(name_of(way));
  }
  std::string text = sentence_of(times) + aligned(lines);
  for (const std::string& one : times.left_out) text += fmt::format("not trained: {}\n", one);
  if (!unheard.empty()) {
    text += fmt::format(
        "not ranked: {}: at the target before anybody had heard of another, with an average that "
        "no thread holds\n",
        fmt::join(unheard, ", "));
  }
  const bool any_there = !times.ways.empty() && times.ways.front().seconds;
  if (times.interrupted && any_there) text += "It was interrupted: some ways are missing.\n";
  return text + fmt::format(
                    "to target: a {}, on this machine's clock, mean of {}{}, each way at its\n"
                    "own best step size; what else runs on the machine is in it\n"
                    "machine: {}\n",
                    times.target, counted(times.seeds, "seed"),
                    times.seeds > 1 ? " with half of a 95 % interval" : "", times.machine);
}

std::string thread_times_json(const ThreadTimes& times) {
  using Json = nlohmann::ordered_json;
  const auto number = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  Json ways = Json::array();
  for (const ThreadTime& way : times.ways) {
    ways.push_back({{"way", way.way},
                    {"threads", way.threads},
                    {"step_size", way.step_size},
                    {"rows_per_s", way.rate},
                    {"passes", number(way.passes)},
                    {"seconds", number(way.seconds)},
                    {"half_width_s", number(way.half_width)},
                    {"unheard", way.unheard}});
  }
  std::string sentence = sentence_of(times);
  sentence.pop_back();
  const Json document{{"machine", times.machine},
                      {"cores", times.cores},
                      {"target", times.target},
                      {"seeds", times.seeds},
                      {"most_passes", times.most_passes},
                      {"at_start", times.at_start},
                      {"interrupted", times.interrupted},
                      {"left_out", times.left_out},
                      {"sentence", sentence},
                      {"ways", ways}};
  return document.dump(2) + "\n";
}

}  // namespace trainyard
