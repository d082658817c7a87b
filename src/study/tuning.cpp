#include "trainyard/study/tuning.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

namespace {

constexpr int grid_reach = 4;              // powers of two to either side
constexpr int furthest = grid_reach + 16;  // of the extended grid
constexpr int rounds = 3;                  // each with twice the budget of the one before
constexpr double part_of_run = 0.25;       // the last round's budget
constexpr double most_epochs = 4.0;        // of the last round
constexpr double never_looked_at = 1e9;    // epochs; a short run is looked at when it ends

}  // namespace

/// The better one first; a loss that is no number is infinite here.
bool StepSizeSearch::better(const Candidate& a, const Candidate& b) {
  constexpr double never = std::numeric_limits<double>::infinity();
  const double a_there = a.seconds_to_target.value_or(never);
  const double b_there = b.seconds_to_target.value_or(never);
  if (a_there != b_there) return a_there < b_there;
  return a.loss != b.loss ? a.loss < b.loss : std::abs(a.power) < std::abs(b.power);
}

StepSizeSearch::StepSizeSearch(const Configuration& resolved, const LoadedData& data,
                               std::string name, Remark remark)
    : run_(resolved),
      data_(data),
      name_(std::move(name)),
      remark_(std::move(remark)),
      lowest_(-grid_reach),
      highest_(grid_reach) {
  tuning_.lr = run_.optimizer.lr;
  std::vector<int> powers;
  for (int power = -grid_reach; power <= grid_reach; ++power) powers.push_back(power);
  ask_for(powers);
}

double StepSizeSearch::lr_of(int power) const {
  return std::ldexp(run_.optimizer.lr, power);
}

void StepSizeSearch::say(const std::string& text) const {
  if (remark_) remark_(fmt::format("tuning {}: {}", name_, text));
}

/// The run that is tuned for, cut to the budget of this round.
Configuration StepSizeSearch::short_run() const {
  Configuration c = run_;
  const double part = std::ldexp(1.0, round_ - (rounds - 1));
  const Scheme& scheme = find_scheme(run_.scheme);
  const Hyperparameters hyperparameters =
      with_fallbacks(scheme, run_.hyperparameters, run_.workers);
  const auto minibatches = minibatches_of_step(scheme, run_.workers, hyperparameters);
  const double steps_an_epoch = static_cast<double>(data_.train.rows) /
                                (static_cast<double>(c.batch) * static_cast<double>(minibatches));
  const auto whole = static_cast<double>(*c.steps);
  const double steps =
      has_target(c) ? whole : std::min(part_of_run * whole, most_epochs * steps_an_epoch);
  // Of what happens only every so many steps, whole cycles, and more than one: a centre that has
  // not moved yet says nothing.
  const std::uint64_t cycle = steps_of_cycle(scheme, run_.workers, hyperparameters);
  const auto asked = static_cast<std::uint64_t>(std::max(1.0, std::ceil(part * steps)));
  const std::uint64_t cycles =
      std::max<std::uint64_t>(cycle > 1 ? 2 : 1, (asked + cycle - 1) / cycle);
  c.steps = std::min(cycles * cycle, *run_.steps);
  if (c.seconds) c.seconds = scaled(*c.seconds, (has_target(c) ? 1.0 : part_of_run) * part);
  if (!has_target(c)) c.evaluate_every = never_looked_at;
  return c;
}

void StepSizeSearch::ask_for(const std::vector<int>& powers) {
  asked_ = powers;
  trials_.clear();
  for (const int power : powers) {
    trials_.push_back(short_run());
    trials_.back().optimizer.lr = lr_of(power);
  }
}

void StepSizeSearch::take(const std::vector<Summary>& ended) {
  require(ended.size() == trials_.size(), "every trial of a search is run");
  for (std::size_t i = 0; i < ended.size(); ++i) {
    const Summary& summary = ended[i];
    tuning_.interrupted = tuning_.interrupted || summary.interrupted;
    if (summary.interrupted) continue;
    const bool lost = summary.diverged || !std::isfinite(summary.train_loss);
    const double loss = lost ? std::numeric_limits<double>::infinity() : summary.train_loss;
    candidates_.push_back({asked_[i], loss, summary.seconds_to_target});
    tuning_.trials.push_back(
        {trials_[i].optimizer.lr, *trials_[i].steps, loss, summary.seconds_to_target});
  }
  trials_.clear();
  if (tuning_.interrupted) return;
  if (const auto beyond = beyond_edge()) {
    ask_for({*beyond});
  } else {
    end_round();
  }
}

/// The next one to try in this round where the best is at the edge of what has been tried.
std::optional<int> StepSizeSearch::beyond_edge() {
  const Candidate& first = *std::ranges::min_element(candidates_, better);
  const int best = std::isfinite(first.loss) ? first.power : lowest_;  // all were too large
  const bool up = best == highest_;
  tuning_.at_edge = false;
  if (!up && best != lowest_) return std::nullopt;
  const int beyond = up ? best + 1 : best - 1;
  tuning_.at_edge = std::abs(beyond) > furthest;
  if (tuning_.at_edge) return std::nullopt;
  say(fmt::format("{} is the {} tried so far and the best; trying {}", lr_of(best),
                  up ? "largest" : "smallest", lr_of(beyond)));
  (up ? highest_ : lowest_) = beyond;
  return beyond;
}

void StepSizeSearch::end_round() {
  std::ranges::sort(candidates_, better);
  const Candidate best = candidates_.front();
  tuning_.lr = lr_of(best.power);
  std::vector<int> going_on;
  for (std::size_t i = 0; i < (candidates_.size() + 1) / 2; ++i) {
    going_on.push_back(candidates_[i].power);
  }
  candidates_.clear();
  if (++round_ < rounds) {
    ask_for(going_on);
    return;
  }
  --round_;
  const std::string how =
      best.seconds_to_target
          ? fmt::format("at the target after {}", human_duration(*best.seconds_to_target))
          : fmt::format("loss {:.6g} after {} steps", best.loss, *short_run().steps);
  say(fmt::format("step size {}, {}", tuning_.lr, how));
  if (tuning_.at_edge) say("that is where even the extended grid ends");
}

Tuning tune_step_size(const Configuration& resolved, const LoadedData& data,
                      const RunHooks& hooks) {
  StepSizeSearch search(resolved, data, resolved.scheme, hooks.remark);
  while (!search.trials().empty()) {
    std::vector<Summary> ended;
    for (const Configuration& trial : search.trials()) {
      ended.push_back(
          run_experiment(plan_run(trial, data),
                         {.evaluated = {}, .remark = {}, .interrupted = hooks.interrupted})
              .summary);
    }
    search.take(ended);
  }
  return search.result();
}

}  // namespace trainyard
