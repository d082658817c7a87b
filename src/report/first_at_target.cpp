#include "report/first_at_target.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>

#include "trainyard/base/units.hpp"
#include "trainyard/configuration/contestant.hpp"
#include "trainyard/study/circumstances.hpp"
#include "trainyard/study/paired_ratio.hpp"
#include "trainyard/study/risen_again.hpp"
#include "trainyard/study/same_runs.hpp"
#include "trainyard/study/unheard.hpp"

namespace trainyard {

namespace {

/// Over the same seeds, all of which came to their end or to the target: a mean over other seeds is
/// a mean over other luck.
bool can_be_ranked(const std::vector<SeedStatistics>& all) {
  const auto seeds_of = [](const SeedStatistics& one) {
    return std::set<std::uint64_t>(one.seeds.begin(), one.seeds.end());
  };
  return std::ranges::all_of(all, [&](const SeedStatistics& one) {
    return seeds_of(one) == seeds_of(all.front()) &&
           std::ranges::none_of(one.summaries, [](const Summary* s) {
             return s->interrupted && !s->seconds_to_target;
           });
  });
}

/// "2.31 times as"; of what is the same within half a percent "as".
std::string times_as(double ratio) {
  return std::abs(ratio - 1.0) < 0.005 ? "as" : fmt::format("{:.3g} times as", ratio);
}

struct Arrived {
  std::string name;
  double seconds = 0.0, epochs = 0.0;      // means over seeds
  double interval_s = 0.0;                 // between the two evaluations in question, at most
  bool is_measured = false;                // by the machine's clock
  std::vector<double> seconds_of_seeds{};  // in the order of the seeds
};

/// The contestants that were there with all seeds, the first one first. `contested`: another one
/// was there with some.
std::vector<Arrived> arrivals(const std::vector<SeedStatistics>& all, bool& contested) {
  std::vector<Arrived> arrived;
  for (const SeedStatistics& one : all) {
    if (one.summaries.front()->within) continue;  // nobody who has this network can choose it
    const auto is_unheard = [](const Summary* s) { return came_unheard(*s); };
    if (std::ranges::any_of(one.summaries, is_unheard)) continue;
    const auto mean = [&](auto member) {
      return statistics_of(one.summaries, [&](const Summary& s) { return s.*member; });
    };
    const auto seconds = mean(&Summary::seconds_to_target),
               epochs = mean(&Summary::epochs_to_target);
    if (!seconds) continue;
    if (seconds->count < one.summaries.size() || one.diverged > 0) {
      contested = true;
      continue;
    }
    if (!(seconds->mean > 0.0 && epochs->mean > 0.0)) continue;
    arrived.push_back({name_at(one.label, one.varied), seconds->mean, epochs->mean});
    arrived.back().is_measured = one.summaries.front()->time == "wall";
    std::map<std::uint64_t, std::vector<double>> by_seed;
    for (const Summary* s : one.summaries) {
      by_seed[s->seed].push_back(*s->seconds_to_target);
      arrived.back().interval_s =
          std::max(arrived.back().interval_s, s->target_interval_s.value_or(0.0));
    }
    for (const auto& [seed, measured] : by_seed) {
      arrived.back().seconds_of_seeds.push_back(
          std::accumulate(measured.begin(), measured.end(), 0.0) /
          static_cast<double>(measured.size()));
    }
  }
  std::ranges::sort(arrived, {}, &Arrived::seconds);
  return arrived;
}

/// With one measurement each, two that are less apart may be the other way round in the next: three
/// runs of one command took 1.2 to 2 s here.
constexpr double least_measured = 2.0;

/// The evidence for the order of the two.
struct Grounds {
  bool is_borne_out = true;
  const char* verdict = "first";  // or why there is none
  std::string text;
};

/// Between two evaluations a straight line stands for the curve; where both made as many passes, in
/// simulated time, they have the same curve, and the same line.
Grounds grounds_of(const Arrived& first, const Arrived& second) {
  const double apart = second.seconds - first.seconds;
  const bool is_one_curve =
      !first.is_measured && std::abs(first.epochs / second.epochs - 1.0) < 1e-3;
  const bool is_near = !is_one_curve && apart < std::min(first.interval_s, second.interval_s);
  if (const auto ratio = paired_ratio(first.seconds_of_seeds, second.seconds_of_seeds)) {
    // Within the first evaluation the line hides more than seeds do.
    const bool is_rough = first.seconds <= first.interval_s || second.seconds <= second.interval_s;
    const std::string text =
        is_rough
            ? fmt::format("{:.2g} times as long over {} seeds, roughly: within an evaluation",
                          ratio->mean, ratio->pairs)
            : fmt::format("{:.3g} times as long over {} seeds, {:.3g} to {:.3g} (95 %, Student)",
                          ratio->mean, ratio->pairs, ratio->low, ratio->high);
    if (!ratio->is_borne_out()) return {false, "not told apart by these seeds", text};
    if (is_near) {
      return {false, "about as soon",
              fmt::format("less than one evaluation apart, over {} seeds", ratio->pairs)};
    }
    return {true, "first", text};
  }
  if (first.is_measured) {
    const bool told = second.seconds >= least_measured * first.seconds;
    return {told, told ? "first" : "not told apart by one seed's measurements",
            told ? "with one seed" : "--seeds 5 measures five times"};
  }
  if (is_near) return {false, "about as soon", "less than one evaluation apart, with one seed"};
  return {true, "first", "with one seed"};
}

/// Names of those that came with the first one, as far as times are written.
std::vector<std::string> together(const std::vector<Arrived>& arrived) {
  std::vector<std::string> names;
  for (const Arrived& one : arrived) {
    if (one.seconds > 1.0005 * arrived.front().seconds) break;
    names.push_back(one.name);
  }
  return names;
}

/// The sentence's parts: who was first, and why or with which reservations.
struct Sentence {
  std::string first, why;
};

Sentence sentence_of(const std::vector<SeedStatistics>& all,
                     const std::vector<RunResult>& results) {
  if (!can_be_ranked(all)) return {};
  bool contested = false;
  const std::vector<Arrived> arrived = arrivals(all, contested);
  if (arrived.size() < 2) return {};
  const Arrived& first = arrived[0];
  const char* whose = contested ? ", of those that were there with all seeds" : "";
  const std::vector<std::string> tied = together(arrived);
  std::string text;
  if (tied.size() > 1) {
    text = fmt::format("at the target together{}: {}, after {}.\n", whose, fmt::join(tied, ", "),
                       human_duration(first.seconds));
  }
  if (tied.size() == arrived.size()) return {text, ""};
  // Against the next one, or whoever else may be as soon.
  auto against = arrived.begin() + static_cast<std::ptrdiff_t>(tied.size());
  for (auto other = against; other != arrived.end(); ++other) {
    if (grounds_of(first, *other).is_borne_out) continue;
    against = other;
    break;
  }
  const Arrived& second = *against;
  const Grounds grounds = grounds_of(first, second);
  if (tied.size() > 1) {
    text += fmt::format(
        "{} {} after {}; {}.\n", grounds.is_borne_out ? "Then" : "Beside them,",
        grounds.is_borne_out ? second.name : fmt::format("{}: {}", grounds.verdict, second.name),
        human_duration(second.seconds), grounds.text);
  } else {
    text =
        fmt::format("{} at the target{}: {} after {}; {}{} after {}; {}.\n", grounds.verdict, whose,
                    first.name, human_duration(first.seconds), grounds.is_borne_out ? "then " : "",
                    second.name, human_duration(second.seconds), grounds.text);
  }
  std::string why;
  for (const RisenAgain& one : risen_again(results)) {
    if (one.name != first.name && one.name != second.name) continue;
    why += fmt::format("{} went up again after that, {}.\n", one.name, text_of(one));
  }
  why += fmt::format(
      "Until there {} took {} long for a pass over the data as {}, and {} many passes.\n",
      grounds.is_borne_out && tied.size() == 1 ? "the first" : first.name,
      times_as((first.seconds / first.epochs) / (second.seconds / second.epochs)), second.name,
      times_as(first.epochs / second.epochs));
  return {std::move(text), std::move(why)};
}

/// Adds repeated measurements of the same run.
void add_measurements(const SeedStatistics& again, SeedStatistics& of) {
  std::ranges::copy(again.seeds, std::back_inserter(of.seeds));
  std::ranges::copy(again.summaries, std::back_inserter(of.summaries));
  of.diverged += again.diverged;
  of.reached_target += again.reached_target;
}

void leave_out(const std::vector<OptionText>& options, std::vector<OptionText>& of) {
  std::erase_if(of, [&](const OptionText& each) {
    return std::ranges::find(options, each) != options.end();
  });
}

const RunResult& run_of(const SeedStatistics& one, const std::vector<RunResult>& results) {
  return *std::ranges::find_if(
      results, [&](const RunResult& run) { return &run.summary == one.summaries.front(); });
}

}  // namespace

std::string first_at_target(const std::vector<SeedStatistics>& all,
                            const std::vector<RunResult>& results) {
  std::vector<SeedStatistics> contestants;
  std::vector<std::vector<OptionText>> found;
  std::map<std::string, std::size_t> places;
  for (const SeedStatistics& one : all) {
    const RunResult& run = run_of(one, results);
    const auto [place, is_new] = places.try_emplace(own_name(run), contestants.size());
    if (!is_new) {
      if (run.summary.time == "wall") add_measurements(one, contestants[place->second]);
      continue;
    }
    contestants.push_back(one);
    leave_out(not_taken(run.resolved, one.varied), contestants.back().varied);
    found.push_back(circumstances_of(run));
  }
  const std::vector<SameCircumstances> parts = by_circumstances(found);
  std::string text;
  for (const SameCircumstances& part : parts) {
    std::vector<SeedStatistics> alike;
    for (const std::size_t index : part.runs) {
      alike.push_back(contestants[index]);
      if (parts.size() > 1) leave_out(found[index], alike.back().varied);
    }
    const Sentence said = sentence_of(alike, results);
    if (said.first.empty()) continue;
    text +=
        parts.size() == 1 ? said.first + said.why : fmt::format("{}: {}", part.text, said.first);
  }
  return text.empty() ? text : text + "\n";
}

}  // namespace trainyard
