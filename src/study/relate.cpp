#include "trainyard/study/relate.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "trainyard/configuration/contestant.hpp"
#include "trainyard/run/target.hpp"
#include "trainyard/study/risen_again.hpp"
#include "trainyard/study/same_runs.hpp"
#include "trainyard/study/unheard.hpp"

namespace trainyard {

namespace {

/// The objective: losses of different ones cannot be compared. Seeds draw other starts and other
/// minibatches of the same objective.
using Objective = std::tuple<DatasetRequest, std::string, double, double>;

Objective objective_of(const RunResult& result) {
  const Configuration& c = result.resolved;
  return {dataset_request(c), c.model, c.l2, c.l1};
}

/// The lowest loss that two evaluations in a row have held, as a single one may be a dip; or the
/// last one has come to. Empty where the run diverged, was interrupted, was ended by a crash, or
/// never got below its start.
std::optional<double> best_of(const RunResult& result) {
  const Summary& s = result.summary;
  if (s.diverged || s.interrupted || s.crashed || result.metrics.empty()) return std::nullopt;
  double best = result.metrics.back().train_loss;
  for (std::size_t i = 1; i + 1 < result.metrics.size(); ++i) {
    best = std::min(best, std::max(result.metrics[i].train_loss, result.metrics[i + 1].train_loss));
  }
  if (best >= result.metrics.front().train_loss) return std::nullopt;
  return best;
}

/// The runs that are there for a target, with their best.
using Bests = std::vector<std::pair<const RunResult*, double>>;

/// Takes out who has hardly learnt: came less than half as far down as who came furthest, of ten
/// runs at most one. A loss that they reach, too, says nothing of the others, who are there by
/// their first evaluation (of all 125 schemes on sparse-logistic 116).
void leave_out_outliers(Bests& bests, const Remark& remark) {
  const auto fall = [](const auto& run) {
    return run.first->metrics.front().train_loss - run.second;
  };
  double furthest = 0.0;
  for (const auto& run : bests) furthest = std::max(furthest, fall(run));
  const auto hardly_learns = [&](const auto& run) { return fall(run) < furthest / 2.0; };
  const auto count = static_cast<std::size_t>(std::ranges::count_if(bests, hardly_learns));
  if (count == 0 || 10 * count > bests.size()) return;
  std::set<std::string> names;
  for (const auto& run : bests) {
    const Summary& s = run.first->summary;
    if (hardly_learns(run)) names.insert(name_at(s.label, s.varied));
  }
  std::erase_if(bests, hardly_learns);
  if (remark) {
    remark(
        fmt::format("note: no part of the common target, having come less than half as far down "
                    "as others: {}",
                    fmt::join(names, ", ")));
  }
}

/// The worst of the best, whatever the seed: times that are averaged over seeds are times to one
/// loss. Where one begins below it there is none: starts are by chance, as a perceptron's.
void set_common_target(std::span<RunResult*> results, const Remark& remark) {
  Bests bests;
  for (const RunResult* result : results) {
    if (const auto best = best_of(*result)) bests.emplace_back(result, *best);
  }
  leave_out_outliers(bests, remark);
  std::optional<double> target;
  for (const auto& [run, best] : bests) target = std::max(target.value_or(best), best);
  if (!target) return;
  const bool is_above_a_start = std::ranges::any_of(results, [&](const RunResult* result) {
    return !result->metrics.empty() && result->metrics.front().train_loss <= *target;
  });
  if (is_above_a_start) {
    if (remark) {
      remark(
          fmt::format("note: no common target: the lowest loss that all reached is {:.6g}, and "
                      "some began below it; --target-loss names one",
                      *target));
    }
    return;
  }
  for (RunResult* result : results) {
    set_target({Target::Measure::loss, *target}, result->metrics, result->summary);
  }
}

void set_common_targets(std::vector<RunResult>& results, const Remark& remark) {
  std::vector<std::pair<Objective, std::vector<RunResult*>>> groups;
  for (RunResult& result : results) {
    if (target_of(result.resolved)) continue;
    const Objective objective = objective_of(result);
    auto group = std::ranges::find_if(groups, [&](const auto& g) { return g.first == objective; });
    if (group == groups.end()) group = groups.insert(group, {objective, {}});
    group->second.push_back(&result);
  }
  for (auto& [objective, group] : groups) set_common_target(group, remark);
}

/// Whether they have the same objective, seed and target.
bool have_one_target(const RunResult& a, const RunResult& b) {
  return a.summary.target_loss == b.summary.target_loss &&
         a.summary.target_accuracy == b.summary.target_accuracy &&
         a.summary.target_gradient == b.summary.target_gradient &&
         a.resolved.seed == b.resolved.seed && objective_of(a) == objective_of(b);
}

/// T₁ / T to the target, and what it is made of: the time of a pass over the data, T / passes, and
/// how many passes it takes.
void set_speed_up(const Summary& one, Summary& s) {
  if (!one.seconds_to_target || !s.seconds_to_target || one.diverged || s.diverged) return;
  if (!(*s.seconds_to_target > 0.0 && *s.epochs_to_target > 0.0 && *one.epochs_to_target > 0.0)) {
    return;
  }
  s.speed_up = *one.seconds_to_target / *s.seconds_to_target;
  s.speed_up_passes = *one.epochs_to_target / *s.epochs_to_target;
  s.speed_up_pass_time = *s.speed_up / *s.speed_up_passes;
}

bool is_straggler(const RunResult& sequential) {
  return std::ranges::any_of(sequential.resolved.stragglers, [](const Straggler& straggler) {
    return straggler.rank == 0 && straggler.factor > 1.0;
  });
}

void set_speed_ups(std::vector<RunResult>& results, const Remark& remark) {
  bool is_slowed = false;
  for (RunResult& result : results) {
    const auto yardstick = std::ranges::find_if(results, [&](const RunResult& other) {
      return other.summary.scheme == "sequential" &&
             other.summary.varied == result.summary.varied && have_one_target(other, result);
    });
    if (yardstick == results.end()) continue;
    set_speed_up(Summary(yardstick->summary), result.summary);
    is_slowed = is_slowed || (result.summary.speed_up && is_straggler(*yardstick));
  }
  if (is_slowed && remark) {
    remark(
        "note: sequential's one worker is the straggler 0 itself: the speed-ups over it are over a "
        "slowed machine");
  }
}

/// Epochs between two evaluations at the least: those of a step of all workers.
double least_interval(const RunResult& result) {
  const Summary& s = result.summary;
  return s.steps > 0.0 ? s.epochs / s.steps : 0.0;
}

/// Says which runs were at the target and did not stay there.
void remark_risen(const std::vector<RunResult>& results, const Remark& remark) {
  const std::vector<RisenAgain> all = risen_again(results);
  if (all.empty() || !remark) return;
  std::vector<std::string> texts;
  texts.reserve(all.size());
  for (const RisenAgain& one : all) texts.push_back(fmt::format("{} {}", one.name, text_of(one)));
  remark(fmt::format("note: went up again after the target: {}", fmt::join(texts, "; ")));
}

void remark_unheard(const std::vector<RunResult>& results, const Remark& remark) {
  const std::vector<std::string> names = unheard(results);
  if (names.empty() || !remark) return;
  remark(
      fmt::format("note: at the target before any message had arrived, and not ranked: {}; what is "
                  "there is an average that no worker holds",
                  fmt::join(names, "; ")));
}

}  // namespace

void relate(std::vector<RunResult>& results, const Remark& remark) {
  set_common_targets(results, remark);
  set_speed_ups(results, remark);
  if (const auto early = early_arrivals(results); early && remark) remark(*early);
  remark_risen(results, remark);
  remark_unheard(results, remark);
}

std::optional<std::string> early_arrivals(std::span<const RunResult> results) {
  std::size_t early = 0, reached = 0;
  double least = 0.0;
  for (const RunResult* each : without_repeats(results)) {
    const RunResult& result = *each;
    if (!result.summary.seconds_to_target) continue;
    ++reached;
    const bool at_once = result.metrics.size() > 1 && *result.summary.seconds_to_target > 0.0 &&
                         *result.summary.seconds_to_target <= result.metrics[1].seconds;
    if (!at_once) continue;
    ++early;
    least = std::max(least, least_interval(result));
  }
  if (early == 0) return std::nullopt;
  const double now = results.front().resolved.evaluate_every;
  const std::string advice =
      least <= now / 10.0
          ? fmt::format("--evaluate-every {:.2g} looks ten times as often", now / 10.0)
      : least <= now / 2.0
          ? fmt::format("--evaluate-every {:.2g} looks at every step", least)
          : std::string("a step of all workers is so much of a pass that nothing can look oftener");
  const std::string who =
      results.size() == 1
          ? std::string("the run was at the target by its first evaluation; the time to it is")
          : fmt::format(
                "{} of {} runs that reached the target were there by their first "
                "evaluation; their times are",
                early, reached);
  return fmt::format("warning: {} rough, and may be several times too long: {}", who, advice);
}

}  // namespace trainyard
