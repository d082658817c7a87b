#include "trainyard/study/tuning.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

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

struct Candidate {
  int power = 0;
  double loss = 0.0;
};

/// The better one first; a loss that is no number is infinite here.
bool better(const Candidate& a, const Candidate& b) {
  return a.loss != b.loss ? a.loss < b.loss : std::abs(a.power) < std::abs(b.power);
}

class Search {
 public:
  Search(const Configuration& resolved, const LoadedData& data, const RunHooks& hooks)
      : run_(resolved), data_(data), hooks_(hooks) {}
  Tuning result();

 private:
  Configuration short_run(int round) const;
  double lr_of(int power) const { return std::ldexp(run_.optimizer.lr, power); }
  bool interrupted() const {
    // relaxed: a flag that a signal sets; nothing is published with it.
    return hooks_.interrupted != nullptr && hooks_.interrupted->load(std::memory_order_relaxed);
  }
  void say(const std::string& text) const {
    if (hooks_.remark) hooks_.remark(fmt::format("tuning {}: {}", run_.scheme, text));
  }
  Candidate tried(int power, const Configuration& configuration);
  std::vector<Candidate> round(const std::vector<int>& powers, int number);
  bool extend(std::vector<Candidate>& candidates, const Configuration& configuration);

  const Configuration& run_;
  const LoadedData& data_;
  const RunHooks& hooks_;
  Tuning tuning_;
  int lowest_ = -grid_reach, highest_ = grid_reach;  // tried so far
};

/// The run that is tuned for, cut to the budget of that round.
Configuration Search::short_run(int round) const {
  Configuration c = run_;
  const double part = std::ldexp(1.0, round - (rounds - 1));
  const double steps_an_epoch =
      static_cast<double>(data_.train.rows) / (static_cast<double>(c.batch) * c.workers);
  const double steps =
      std::min(part_of_run * static_cast<double>(*c.steps), most_epochs * steps_an_epoch);
  // Of what happens only every so many steps, whole cycles, and more than one: a centre that has
  // not moved yet says nothing.
  const std::uint64_t cycle =
      steps_of_cycle(find_scheme(run_.scheme), run_.workers,
                     with_fallbacks(find_scheme(run_.scheme), run_.hyperparameters, run_.workers));
  const auto asked = static_cast<std::uint64_t>(std::max(1.0, std::ceil(part * steps)));
  const std::uint64_t cycles =
      std::max<std::uint64_t>(cycle > 1 ? 2 : 1, (asked + cycle - 1) / cycle);
  c.steps = std::min(cycles * cycle, *run_.steps);
  if (c.seconds) c.seconds = scaled(*c.seconds, part_of_run * part);
  c.target_loss.reset();  // one that is reached would end the run, and all would be equally good
  c.evaluate_every = never_looked_at;
  return c;
}

Candidate Search::tried(int power, const Configuration& configuration) {
  Configuration c = configuration;
  c.optimizer.lr = lr_of(power);
  const Summary summary =
      run_experiment(plan_run(c, data_),
                     {.evaluated = {}, .remark = {}, .interrupted = hooks_.interrupted})
          .summary;
  const bool lost = summary.diverged || !std::isfinite(summary.train_loss);
  const double loss = lost ? std::numeric_limits<double>::infinity() : summary.train_loss;
  if (!summary.interrupted) tuning_.trials.push_back({c.optimizer.lr, *c.steps, loss});
  return {power, loss};
}

/// Tries one beyond the edge where the best is at one; false when there is no need, or no more.
bool Search::extend(std::vector<Candidate>& candidates, const Configuration& configuration) {
  const Candidate& first = *std::ranges::min_element(candidates, better);
  const int best = std::isfinite(first.loss) ? first.power : lowest_;  // all were too large
  const bool up = best == highest_;
  if (!up && best != lowest_) return false;
  const int beyond = up ? best + 1 : best - 1;
  tuning_.at_edge = std::abs(beyond) > furthest;
  if (tuning_.at_edge) return false;
  say(fmt::format("{} is the {} tried so far and the best; trying {}", lr_of(best),
                  up ? "largest" : "smallest", lr_of(beyond)));
  candidates.push_back(tried(beyond, configuration));
  (up ? highest_ : lowest_) = beyond;
  return true;
}

/// The candidates of one round, the best first; as many as were tried when interrupted.
std::vector<Candidate> Search::round(const std::vector<int>& powers, int number) {
  const Configuration configuration = short_run(number);
  std::vector<Candidate> candidates;
  for (const int power : powers) {
    const Candidate candidate = tried(power, configuration);
    if (interrupted()) return {};
    candidates.push_back(candidate);
  }
  while (extend(candidates, configuration)) {
    if (interrupted()) return {};
  }
  std::ranges::sort(candidates, better);
  return candidates;
}

Tuning Search::result() {
  std::vector<int> powers;
  for (int power = -grid_reach; power <= grid_reach; ++power) powers.push_back(power);
  tuning_.lr = run_.optimizer.lr;
  for (int number = 0; number < rounds; ++number) {
    const std::vector<Candidate> candidates = round(powers, number);
    if (candidates.empty()) {
      tuning_.interrupted = true;
      return std::move(tuning_);
    }
    tuning_.lr = lr_of(candidates.front().power);
    powers.clear();
    for (std::size_t i = 0; i < (candidates.size() + 1) / 2; ++i) {
      powers.push_back(candidates[i].power);
    }
    if (number + 1 == rounds) {
      say(fmt::format("step size {}, loss {:.6g} after {} steps", tuning_.lr,
                      candidates.front().loss, *short_run(number).steps));
    }
  }
  if (tuning_.at_edge) say("that is where even the extended grid ends");
  return std::move(tuning_);
}

}  // namespace

Tuning tune_step_size(const Configuration& resolved, const LoadedData& data,
                      const RunHooks& hooks) {
  return Search(resolved, data, hooks).result();
}

}  // namespace trainyard
