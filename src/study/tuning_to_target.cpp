// The part of a search for a step size (trainyard/study/tuning.hpp) that has a target.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "trainyard/run/plan.hpp"
#include "trainyard/run/target.hpp"
#include "trainyard/study/tuning.hpp"

#include "study/rival.hpp"
#include "study/tuning_rounds.hpp"

namespace trainyard {

/// Sets the best so far in this round as the rival of the trials that have been asked for.
void StepSizeSearch::set_rival() {
  const auto target = target_of(runs_.front());
  rival_.reset();
  if (!target) return;
  Rival rival{.target = *target, .curves = {}};
  const auto best = std::ranges::min_element(tried_, better);
  const bool is_there_now = best != tried_.end() && best->is_there();
  if (best != tried_.end() && (round_ > 0 || is_there_now)) rival.curves = best->curves;
  if (is_there_now) {
    rival.arrival = best->seconds;
    for (const auto& there : best->arrivals) rival.until = std::max(rival.until, *there);
    if (runs_.size() > 1) rival.until = std::max(rival.until, 1.5 * best->seconds);
  }
  rival_ = std::make_shared<const Rival>(std::move(rival));
}

/// For how long its seeds that are not there may run while its mean may be less than the best
/// one's. Empty where it cannot be: the others have taken too long, or one has run to the end.
std::optional<double> StepSizeSearch::until_it_may_be_better(const Candidate& each,
                                                             const Candidate& best) const {
  const Configuration& run = runs_.front();
  const std::uint64_t end =
      is_whole() || run.optimizer.constant_step() ? *run.steps : steps_of_part(run, parts_[round_]);
  double left = best.seconds * static_cast<double>(runs_.size());
  double longest = 0.0;
  for (std::size_t seed = 0; seed < runs_.size(); ++seed) {
    const Metrics& last = each.curves[seed].back();
    left -= each.arrivals[seed].value_or(last.seconds);
    if (each.arrivals[seed]) continue;
    if (last.step >= static_cast<double>(end)) return std::nullopt;
    longest = std::max(longest, last.seconds);
  }
  return left > 0.0 ? std::optional(longest + left) : std::nullopt;
}

/// Of several seeds one in ten may take seven times as long as the others, and the mean be less
/// than the best one's all the same. Whoever may be better runs once more, until it is or cannot
/// be: also beyond the end of a part, of which the best one may be just short. False where there is
/// nobody.
bool StepSizeSearch::ask_again(const Candidate& best) {
  for (auto each = tried_.begin(); each != tried_.end(); ++each) {
    if (each->reached == 0 || each->is_there() || each->ran_again || !std::isfinite(each->loss)) {
      continue;
    }
    const auto until = until_it_may_be_better(*each, best);
    if (!until) continue;
    const Powers powers = each->powers;
    Rival rival{.target = *target_of(runs_.front()), .curves = {}, .arrival = best.seconds};
    rival.until = *until;
    tried_.erase(each);
    runs_again_ = true;
    ask_for({powers});
    rival_ = std::make_shared<const Rival>(std::move(rival));
    return true;
  }
  return false;
}

RunHooks StepSizeSearch::hooks() const {
  RunHooks hooks;
  if (!rival_) return hooks;
  hooks.ends = [rival = rival_, holds = !counts_dips()](std::span<const Metrics> metrics) {
    const std::size_t needed = holds ? 2 : 1;  // evaluations at the target
    const bool is_there = metrics.size() >= needed &&
                          std::ranges::all_of(metrics.last(needed), [&](const Metrics& each) {
                            return is_reached(rival->target, each);
                          });
    return is_there || need_not_go_on(*rival, metrics);
  };
  return hooks;
}

/// In the last earlier round in which it was tried, if that was for at least half of what the best
/// one takes to the target: half as far again from it as the best one, over all seeds.
bool StepSizeSearch::was_behind(const Powers& powers, const Candidate& best) const {
  const Target target = *target_of(runs_.front());
  for (auto round = earlier_.rbegin(); round != earlier_.rend(); ++round) {
    const auto then = std::ranges::find(*round, powers, &Candidate::powers);
    if (then == round->end()) continue;
    double off = 0.0, bests = 0.0;
    for (std::size_t seed = 0; seed < runs_.size(); ++seed) {
      const double until = then->curves[seed].back().seconds;
      if (until < 0.5 * *best.arrivals[seed]) return false;
      off += std::max(0.0, distance(target, then->curves[seed].back()));
      bests += std::max(0.0, distance_at(target, best.curves[seed], until));
    }
    return bests > 0.0 && off > 1.5 * bests;
  }
  return false;
}

/// One after the other, the best one's neighbours that have not been tried in this round: on the
/// side to which the best one moved last, first. None of them runs on when it is too late
/// (study/rival.hpp).
void StepSizeSearch::go_on_to_target() {
  const Candidate best = *std::ranges::min_element(tried_, better);
  if (best.is_there() && ask_again(best)) return;
  std::vector<Powers> beside = untried_beside(best.powers);
  if (is_drifting_up_) std::ranges::reverse(beside);
  if (best.is_there()) {
    std::erase_if(beside, [&](const Powers& each) { return was_behind(each, best); });
  }
  const bool is_affordable = best.is_there() || !is_whole() || round_ == 0 ||
                             spent_ + best.steps <= most_runs * best.steps;
  if (!beside.empty() && is_affordable) {
    ask_for({beside.front()});
    return;
  }
  tuning_.edge_was_worse = !beside.empty() && was_worse(beside.front());
  tuning_.edge_is_up = beside.empty() ? best_.front() > 0 : beside.front() > best_;
  end_round(!beside.empty() ||
            std::ranges::any_of(best_, [](int p) { return std::abs(p) == furthest_power; }));
}

Tuning tune_step_size(const Configuration& resolved, const LoadedData& data,
                      const RunHooks& hooks) {
  StepSizeSearch search({resolved}, step_sizes_of(resolved.scheme), data, resolved.scheme,
                        hooks.remark);
  while (!search.trials().empty()) {
    std::vector<RunResult> ended;
    for (std::size_t trial = 0; trial < search.trials().size(); ++trial) {
      RunHooks own = search.hooks();
      own.interrupted = hooks.interrupted;
      ended.push_back(run_experiment(plan_run(search.trials()[trial], data), own));
    }
    search.take(std::move(ended));
  }
  return search.result();
}

}  // namespace trainyard
