#include "trainyard/study/tuning.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "study/tuning_rounds.hpp"

namespace trainyard {

namespace {

constexpr int grid_reach = 4;            // powers of two to either side
constexpr double never_looked_at = 1e9;  // epochs; a short run is looked at when it ends
constexpr double infinite = std::numeric_limits<double>::infinity();

/// By which step sizes are told apart.
double judged_loss(const Metrics& metrics) {
  return metrics.validation_loss.value_or(metrics.train_loss);
}

int reach_of(const std::vector<int>& powers) {
  int reach = 0;
  for (const int power : powers) reach += std::abs(power);
  return reach;
}

}  // namespace

std::vector<std::string> step_sizes_of(std::string_view scheme) {
  std::vector<std::string> names{"lr"};
  for (const HyperparameterInfo& info : find_scheme(scheme).hyperparameters) {
    if (info.step_size) names.push_back(info.name);
  }
  return names;
}

void apply(const Tuning& tuning, Configuration& c) {
  for (std::size_t i = 0; i < tuning.names.size(); ++i) {
    if (tuning.names[i] == "lr") {
      c.optimizer.lr = tuning.sizes[i];
    } else {
      c.hyperparameters[tuning.names[i]] = tuning.sizes[i];
    }
  }
}

/// The better one first. Of two that lose their loss the smaller one is nearer to what does not.
bool StepSizeSearch::better(const Candidate& a, const Candidate& b) {
  const bool is_there = a.is_there();
  if (is_there != b.is_there()) return is_there;
  if (is_there && a.seconds != b.seconds) return a.seconds < b.seconds;
  if (!is_there) {
    // Of parts of a run: what one lucky seed has reached says less than how far all are.
    if (a.is_whole && a.reached != b.reached) return a.reached > b.reached;
    if (a.off != b.off) return a.off < b.off;
    if (a.loss != b.loss) return a.loss < b.loss;
    if (!std::isfinite(a.loss)) return a.powers < b.powers;
  }
  return reach_of(a.powers) < reach_of(b.powers);
}

StepSizeSearch::StepSizeSearch(std::vector<Configuration> runs, std::vector<std::string> names,
                               const LoadedData& data, std::string name, Remark remark)
    : runs_(std::move(runs)),
      data_(data),
      name_(std::move(name)),
      remark_(std::move(remark)),
      parts_(parts_of(runs_.front())),
      best_(names.size(), 0) {
  require(!runs_.empty() && !names.empty(), "a search has a run and a step size");
  for (const std::string& each : names) {
    first_.push_back(each == "lr" ? runs_.front().optimizer.lr
                                  : hyperparameter(runs_.front().hyperparameters, each));
  }
  tuning_.names = std::move(names);
  tuning_.sizes = first_;
  begin_round();
}

double StepSizeSearch::size_of(std::size_t which, int power) const {
  return std::ldexp(first_[which], power);
}

std::string StepSizeSearch::text_of(const std::vector<double>& sizes) const {
  std::string text;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const std::string& name = tuning_.names[i];
    text +=
        fmt::format("{}{} {:.6g}", i == 0 ? "" : ", ", name == "lr" ? "step size" : name, sizes[i]);
  }
  return text;
}

void StepSizeSearch::say(const std::string& text) const {
  if (remark_) remark_(fmt::format("tuning {}: {}", name_, text));
}

bool StepSizeSearch::is_whole() const {
  return round_ + 1 == parts_.size();
}

/// The run that is tuned for, cut to the part of this round.
Configuration StepSizeSearch::trial_of(const Powers& powers, std::size_t seed) const {
  Configuration c = runs_[seed];
  Tuning sizes{.names = tuning_.names, .sizes = {}, .trials = {}};
  for (std::size_t i = 0; i < powers.size(); ++i) sizes.sizes.push_back(size_of(i, powers[i]));
  apply(sizes, c);
  // Nobody asks for such measurements of runs that are not kept.
  c.gradient_noise = c.gradient_noise && is_whole() && !has_target(c);
  // Of a step size that stays as it is a part of a run is its beginning.
  if (is_whole() || (runs_again_ && c.optimizer.constant_step())) return c;
  const double part = parts_[round_];
  const bool by_clock = is_by_clock(runs_[seed]);
  if (!by_clock) c.steps = steps_of_part(runs_[seed], part);
  if (runs_[seed].seconds) {
    const Duration time = scaled(*runs_[seed].seconds, part);
    c.seconds = std::min(*c.seconds, time);
  }
  shorten_schedule(
      c.optimizer,
      by_clock ? part : static_cast<double>(*c.steps) / static_cast<double>(*runs_[seed].steps));
  if (!has_target(c)) c.evaluate_every = never_looked_at;
  return c;
}

void StepSizeSearch::ask_for(std::vector<Powers> asked) {
  const Configuration& run = runs_.front();
  const double part = is_whole() || is_by_clock(run)
                          ? parts_[round_]
                          : static_cast<double>(steps_of_part(run, parts_[round_])) /
                                static_cast<double>(*run.steps);
  asked_runs_ += part * static_cast<double>(asked.size());
  asked_ = std::move(asked);
  trials_.clear();
  for (const Powers& powers : asked_) {
    for (std::size_t seed = 0; seed < runs_.size(); ++seed) {
      trials_.push_back(trial_of(powers, seed));
    }
  }
  set_rival();
}

/// Whether a hyperparameter may have the value.
bool StepSizeSearch::is_allowed(std::size_t which, int power) const {
  if (std::abs(power) > furthest_power) return false;
  if (tuning_.names[which] == "lr") return true;
  const auto& rows = find_scheme(runs_.front().scheme).hyperparameters;
  const auto info = std::ranges::find(rows, tuning_.names[which], &HyperparameterInfo::name);
  const double size = size_of(which, power);
  return size >= info->low && size <= info->high;
}

/// The grid of one step size, the others being the best so far: with a target every second power,
/// as the best one's neighbours follow.
std::vector<StepSizeSearch::Powers> StepSizeSearch::along(std::size_t which) const {
  std::vector<Powers> grid;
  const int stride = has_target(runs_.front()) ? 2 : 1;
  for (int power = -grid_reach; power <= grid_reach; power += stride) {
    if (!is_allowed(which, power)) continue;
    Powers powers = best_;
    powers[which] = power;
    if (std::ranges::find(tried_, powers, &Candidate::powers) == tried_.end()) {
      grid.push_back(std::move(powers));
    }
  }
  return grid;
}

std::vector<StepSizeSearch::Powers> StepSizeSearch::untried_beside(const Powers& best) const {
  std::vector<Powers> beside;
  for (std::size_t which = 0; which < best.size(); ++which) {
    for (const int by : {-1, 1}) {
      Powers powers = best;
      powers[which] += by;
      if (!is_allowed(which, powers[which])) continue;
      if (std::ranges::find(tried_, powers, &Candidate::powers) != tried_.end()) continue;
      beside.push_back(std::move(powers));
    }
  }
  return beside;
}

void StepSizeSearch::begin_round() {
  earlier_.push_back(std::move(tried_));
  tried_.clear();
  if (round_ == 0) {
    extensions_ = is_whole() ? 2 : furthest_power - grid_reach;
    grids_ = 1;
    ask_for(along(0));
    return;
  }
  extensions_ = is_whole() ? 1 : 2;
  std::vector<Powers> asked{best_};
  // With a target its neighbours need not run for longer than it does, which is not known yet.
  if (!has_target(runs_.front())) {
    std::ranges::copy(untried_beside(best_), std::back_inserter(asked));
  }
  ask_for(std::move(asked));
}

StepSizeSearch::Candidate StepSizeSearch::candidate_of(const Powers& powers,
                                                       std::span<const RunResult> ended) const {
  const auto target = target_of(runs_.front());
  Candidate made{.powers = powers, .is_whole = is_whole(), .ran_again = runs_again_};
  // One run's accuracy after a few steps is of few values.
  const bool by_distance = target && (target->measure == Target::Measure::loss || runs_.size() > 1);
  for (const RunResult& run : ended) {
    const Summary& s = run.summary;
    const double loss = s.validation_loss.value_or(s.train_loss);
    const bool lost = s.diverged || !std::isfinite(s.train_loss) || !std::isfinite(loss);
    made.loss += (lost ? infinite : loss) / static_cast<double>(ended.size());
    made.steps += s.steps;
    made.start += (run.metrics.empty() ? infinite : judged_loss(run.metrics.front())) /
                  static_cast<double>(ended.size());
    if (!target) continue;
    made.curves.push_back(run.metrics);
    if (by_distance)
      made.off += lost ? infinite : std::max(0.0, distance(*target, run.metrics.back()));
    made.arrivals.push_back(lost ? std::nullopt
                                 : arrival(*target, run.metrics, is_whole() || counts_dips()));
    if (const auto& there = made.arrivals.back()) {
      ++made.reached;
      made.seconds += *there;
    }
  }
  if (made.reached > 0) made.seconds /= static_cast<double>(made.reached);
  return made;
}

bool StepSizeSearch::keeps_runs() const {
  return is_whole() && !has_target(runs_.front());
}

void StepSizeSearch::take(std::vector<RunResult> ended) {
  require(ended.size() == trials_.size(), "every trial of a search is run");
  const std::size_t seeds = runs_.size();
  const bool keeps = keeps_runs();
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    const std::span<RunResult> runs = std::span(ended).subspan(i * seeds, seeds);
    const bool cut = std::ranges::any_of(runs, [](const auto& r) { return r.summary.interrupted; });
    tuning_.interrupted = tuning_.interrupted || cut;
    if (cut) continue;
    const Candidate made = candidate_of(asked_[i], runs);
    TuningTrial trial{.sizes = {}, .loss = made.loss};
    for (std::size_t k = 0; k < first_.size(); ++k) {
      trial.sizes.push_back(size_of(k, made.powers[k]));
    }
    for (const RunResult& run : runs) trial.steps += static_cast<std::uint64_t>(run.summary.steps);
    if (made.is_there()) trial.seconds_to_target = made.seconds;
    tuning_.trials.push_back(std::move(trial));
    if (keeps && std::ranges::none_of(tried_, [&](const auto& c) { return better(c, made); })) {
      kept_.clear();
      std::ranges::move(runs, std::back_inserter(kept_));
    }
    tried_.push_back(made);
    spent_ += made.steps;
  }
  trials_.clear();
  runs_again_ = false;
  if (!tried_.empty()) {
    const Powers& best = std::ranges::min_element(tried_, better)->powers;
    if (round_ > 0 && best != best_) is_drifting_up_ = best > best_;
    best_ = best;
    for (std::size_t k = 0; k < first_.size(); ++k) tuning_.sizes[k] = size_of(k, best_[k]);
  }
  if (!tuning_.interrupted) go_on();
}

/// Beyond the best's neighbours, in whole runs, of which one is the run itself. What is left out
/// then is said (edge_note()). Runs without parts, of which all are whole, may take more.
bool StepSizeSearch::is_affordable(std::size_t more) const {
  return !keeps_runs() || round_ == 0 || asked_runs_ - 1.0 + static_cast<double>(more) <= most_runs;
}

/// Parts of a run are for larger step sizes than the whole. So downwards whole runs go on as long
/// as each gains more than a hundredth, whatever that takes: one that ends above its start is
/// nobody's best.
bool StepSizeSearch::gains_downwards(const Candidate& best) const {
  if (!is_whole() || round_ == 0 || best.powers.size() > 1 || best.reached > 0) return false;
  const Powers above{best.powers.front() + 1};
  const auto larger = std::ranges::find(tried_, above, &Candidate::powers);
  return larger != tried_.end() && best.loss < 0.99 * larger->loss;
}

/// In each part of the run in which both were tried, if they were.
bool StepSizeSearch::was_worse(const Powers& powers) const {
  bool both = false;
  for (const std::vector<Candidate>& round : earlier_) {
    const auto then = std::ranges::find(round, powers, &Candidate::powers);
    const auto best = std::ranges::find(round, best_, &Candidate::powers);
    if (then == round.end() || best == round.end()) continue;
    if (better(*then, *best)) return false;
    both = true;
  }
  return both;
}

/// To the next batch of this round, or to the next round.
void StepSizeSearch::go_on() {
  if (round_ == 0 && grids_ < first_.size()) {
    ask_for(along(grids_++));
    return;
  }
  if (has_target(runs_.front())) {
    go_on_to_target();
    return;
  }
  const Candidate best = *std::ranges::min_element(tried_, better);
  std::vector<Powers> beside = untried_beside(best.powers);
  if (!beside.empty() && extensions_ > 0 && is_affordable(beside.size())) {
    --extensions_;
    ask_for(std::move(beside));
    return;
  }
  if (!beside.empty() && beside.front() < best_ && gains_downwards(best)) {
    ask_for({beside.front()});
    return;
  }
  // From above its start nothing says which way is down.
  if (keeps_runs() && round_ > 0 && best.loss > best.start) {
    if (std::vector<Powers> grid = along(0); !grid.empty()) {
      ask_for(std::move(grid));
      return;
    }
  }
  tuning_.edge_was_worse = !beside.empty() && was_worse(beside.front());
  tuning_.edge_is_up = beside.empty() ? best_.front() > 0 : beside.front() > best_;
  end_round(!beside.empty() || std::ranges::any_of(best_, [](int power) {
    return std::abs(power) == furthest_power;
  }));
}

void StepSizeSearch::end_round(bool at_edge) {
  const Candidate best = *std::ranges::min_element(tried_, better);
  const bool done = best.is_there() && has_target(runs_.front());
  tuning_.at_edge = at_edge;
  if (!done && !is_whole()) {
    // On the machine's clock a round may take minutes.
    if (runs_.front().time == TimeMode::wall) {
      say(fmt::format("{} so far, by runs of {:.2g} % of the length", text_of(tuning_.sizes),
                      100.0 * parts_[round_]));
    }
    ++round_;
    begin_round();
    return;
  }
  const Configuration trial = trial_of(best.powers, 0);
  const std::string length = is_by_clock(trial)
                                 ? human_duration(to_seconds(trial.seconds.value_or(Duration{0})))
                                 : counted(*trial.steps, "step");
  const std::string mean = runs_.size() > 1 ? " on average" : "";
  say(fmt::format(
      "{}, {}{}", text_of(tuning_.sizes),
      best.is_there()
          ? fmt::format("at the target after {}", human_duration(best.seconds))
          : fmt::format("{}loss {:.6g} after {}", data_.validation.rows > 0 ? "validation " : "",
                        best.loss, length),
      mean));
}

}  // namespace trainyard
