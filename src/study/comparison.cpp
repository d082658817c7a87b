#include "trainyard/study/comparison.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/memory_account.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/target.hpp"
#include "trainyard/study/tuning.hpp"

#include "study/cases.hpp"
#include "study/work_list.hpp"

namespace trainyard {

namespace {

bool is_set(const std::atomic<bool>* flag) {
  // relaxed: a flag that a signal sets; nothing is published with it.
  return flag != nullptr && flag->load(std::memory_order_relaxed);
}

/// Runs of one contestant at one point, which have one step size.
struct Entry {
  std::size_t first = 0;  // of its cases: the one that is tuned
  bool tuned = false;
  std::vector<std::size_t> waiting;  // cases, until it is tuned
  std::optional<StepSizeSearch> search;
  std::vector<Summary> trials;
  std::size_t outstanding = 0;  // trials
  std::exception_ptr error;     // of one of them
};

/// The runs of one comparison, under way.
class Comparison {
 public:
  Comparison(const ComparisonRequest& request, const ComparisonHooks& hooks,
             std::vector<Case> cases)
      : request_(request), hooks_(hooks), cases_(std::move(cases)), results_(cases_.size()) {}

  std::vector<RunResult> run();

 private:
  int jobs() const;
  Entry& entry_of(std::size_t index) { return entries_[entry_of_[index]]; }
  void begin(std::size_t index);
  void fail(const Case& one, const std::exception_ptr& error);
  void add_trials(Entry& entry);
  void try_one(Entry& entry, std::size_t trial);
  void add_runs(Entry& entry);
  void run_one(std::size_t index);
  void remark(const std::string& text);

  const ComparisonRequest& request_;
  const ComparisonHooks& hooks_;
  std::vector<Case> cases_;
  std::vector<std::optional<RunResult>> results_;
  std::vector<Entry> entries_;
  std::vector<std::size_t> entry_of_;  // of each case
  WorkList work_;
  std::mutex mutex_;  // entries' trials, and remarks
};

void Comparison::remark(const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (hooks_.remark) hooks_.remark(text);
}

/// In `wall` runs would take each other's cores. No more at once than have room for their fibers
/// and, by a generous estimate of what one holds, for their memory.
int Comparison::jobs() const {
  constexpr double generous = 8.0;      // times replicas and gradients
  constexpr int most_workers = 16'000;  // of all: a fiber takes two of a process's 65,530 mappings
  double largest = 1.0;
  int workers = 1;
  for (const Case& one : cases_) {
    if (one.configuration.time == TimeMode::wall || !one.configuration.trace.empty()) return 1;
    workers = std::max(workers, one.configuration.workers);
    const auto model = make_model({one.configuration.model, one.configuration.l2}, one.data->train);
    largest = std::max(largest, static_cast<double>(model->dimension()) *
                                    static_cast<double>(bytes_of(model->scalar())) *
                                    (2.0 * one.configuration.workers + 3.0));
  }
  const int asked = request_.options.jobs > 0
                        ? request_.options.jobs
                        : std::max(1, tbb::this_task_arena::max_concurrency());
  const int wanted = std::clamp(most_workers / workers, 1, asked);
  if (memory_bound() == std::numeric_limits<std::size_t>::max()) return wanted;
  const double room = static_cast<double>(memory_bound()) - static_cast<double>(memory_held());
  const double fit = std::clamp(room / (generous * largest), 1.0, static_cast<double>(wanted));
  return static_cast<int>(fit);
}

/// The first case of an entry begins its tuning, which the others wait for.
void Comparison::begin(std::size_t index) {
  Entry& entry = entry_of(index);
  {
    const std::lock_guard lock(mutex_);
    if (request_.options.tune_lr && !entry.tuned) {
      entry.waiting.push_back(index);
      if (entry.waiting.size() > 1 || entry.error != nullptr) return;
    }
  }
  if (!request_.options.tune_lr || entry.tuned) {
    run_one(index);
    return;
  }
  const Case& first = cases_[entry.first];
  entry.search.emplace(first.configuration, *first.data, name_of(first),
                       [this](const std::string& text) { remark(text); });
  add_trials(entry);
}

/// Before the case has begun.
void Comparison::fail(const Case& one, const std::exception_ptr& error) {
  if (!hooks_.begins) std::rethrow_exception(error);
  hooks_.begins(one)->failed(error);
}

void Comparison::add_trials(Entry& entry) {
  const std::size_t count = entry.search->trials().size();
  if (count == 0) {
    if (!entry.search->result().interrupted) add_runs(entry);
    return;
  }
  entry.trials.assign(count, {});
  entry.outstanding = count;
  std::vector<WorkList::Work> pieces;
  for (std::size_t trial = 0; trial < count; ++trial) {
    pieces.emplace_back([this, &entry, trial] { try_one(entry, trial); });
  }
  work_.add(std::move(pieces));
}

/// Whoever ends the last of a batch asks for the next one.
void Comparison::try_one(Entry& entry, std::size_t trial) {
  const Case& first = cases_[entry.first];
  Summary ended;
  ended.interrupted = true;
  std::exception_ptr error;
  try {
    if (!is_set(hooks_.interrupted)) {
      ended = run_experiment(plan_run(entry.search->trials()[trial], *first.data),
                             {.evaluated = {}, .remark = {}, .interrupted = hooks_.interrupted})
                  .summary;
    }
  } catch (...) {
    error = std::current_exception();
  }
  {
    const std::lock_guard lock(mutex_);
    entry.trials[trial] = std::move(ended);
    if (error != nullptr) entry.error = error;
    if (--entry.outstanding > 0) return;
  }
  if (entry.error != nullptr) {
    fail(first, entry.error);
    return;
  }
  entry.search->take(entry.trials);
  add_trials(entry);
}

/// Those that have waited for the step size; others find it.
void Comparison::add_runs(Entry& entry) {
  std::vector<WorkList::Work> pieces;
  {
    const std::lock_guard lock(mutex_);
    entry.tuned = true;
    for (const std::size_t index : entry.waiting) {
      pieces.emplace_back([this, index] { run_one(index); });
    }
  }
  work_.add(std::move(pieces));
}

void Comparison::run_one(std::size_t index) {
  Case& one = cases_[index];
  if (is_set(hooks_.interrupted) && index > 0) return;
  const Entry& entry = entry_of(index);
  if (entry.search) one.configuration.optimizer.lr = entry.search->result().lr;
  const std::unique_ptr<CaseListener> listener = hooks_.begins ? hooks_.begins(one) : nullptr;
  try {
    RunHooks hooks;
    if (listener) hooks = listener->hooks();
    hooks.interrupted = hooks_.interrupted;
    RunResult result = run_experiment(plan_run(one.configuration, *one.data), hooks);
    result.summary.label = one.label;
    result.summary.varied = one.varied;
    if (listener) listener->ended(result);
    if (cases_.size() > request_.contestants.size()) result.model = {};
    results_[index] = std::move(result);
  } catch (...) {
    if (!listener) throw;
    listener->failed(std::current_exception());
  }
}

std::vector<RunResult> Comparison::run() {
  std::map<std::string, std::size_t> places;
  std::vector<WorkList::Work> pieces;
  for (std::size_t index = 0; index < cases_.size(); ++index) {
    // Tuned once for all seeds, with the first.
    const auto [place, is_new] = places.try_emplace(name_of(cases_[index]), entries_.size());
    if (is_new) entries_.emplace_back().first = index;
    entry_of_.push_back(place->second);
    pieces.emplace_back([this, index] { begin(index); });
  }
  work_.add(std::move(pieces));
  const int at_once = jobs();
  if (hooks_.planned) hooks_.planned(cases_, at_once);
  work_.run(at_once);
  std::vector<RunResult> made;
  for (std::optional<RunResult>& result : results_) {
    if (result) made.push_back(std::move(*result));
  }
  return made;
}

/// The worst, over the runs that came to their end, of the lowest loss each has seen.
void set_common_target(std::span<RunResult*> results) {
  std::optional<double> target;
  for (const RunResult* result : results) {
    if (result->summary.diverged || result->summary.interrupted) continue;
    const auto best = std::ranges::min_element(result->metrics, {}, &Metrics::train_loss);
    target = std::max(target.value_or(best->train_loss), best->train_loss);
  }
  if (!target) return;
  for (RunResult* result : results) {
    set_target({Target::Measure::loss, *target}, result->metrics, result->summary);
  }
}

void set_common_targets(std::vector<RunResult>& results) {
  using Objective = std::tuple<std::uint64_t, DatasetRequest, std::string, double>;
  std::vector<std::pair<Objective, std::vector<RunResult*>>> groups;
  for (RunResult& result : results) {
    const Configuration& c = result.resolved;
    if (target_of(c)) continue;
    const Objective objective{c.seed, dataset_request(c), c.model, c.l2};
    auto group = std::ranges::find_if(groups, [&](const auto& g) { return g.first == objective; });
    if (group == groups.end()) group = groups.insert(group, {objective, {}});
    group->second.push_back(&result);
  }
  for (auto& [objective, group] : groups) set_common_target(group);
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

void set_speed_ups(std::vector<RunResult>& results) {
  for (RunResult& result : results) {
    Summary& s = result.summary;
    const auto yardstick = std::ranges::find_if(results, [&](const RunResult& other) {
      return other.summary.scheme == "sequential" && other.summary.seed == s.seed &&
             other.summary.varied == s.varied;
    });
    if (yardstick != results.end()) set_speed_up(Summary(yardstick->summary), s);
  }
}

}  // namespace

std::vector<RunResult> run_comparison(const ComparisonRequest& request, const LoadedData& data,
                                      const ComparisonHooks& hooks) {
  std::vector<RunResult> results =
      Comparison(request, hooks, cases_of(request, data, hooks.remark)).run();
  set_common_targets(results);
  set_speed_ups(results);
  return results;
}

}  // namespace trainyard
