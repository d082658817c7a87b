#include "trainyard/study/comparison.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/function_ref.hpp"
#include "trainyard/base/memory_account.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/scheme/scheme.hpp"
#include "trainyard/study/collated_notes.hpp"
#include "trainyard/study/tuning.hpp"
#include "trainyard/topology/topology.hpp"

#include "study/cases.hpp"
#include "study/relate.hpp"
#include "study/same_runs.hpp"
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

Note edge_note(const Entry& entry) {
  return {.about = "",
          .text = fmt::format("warning: the step size {} is where even the extended grid ends, so "
                              "one beyond may be better",
                              entry.search->result().lr)};
}

/// The runs of one comparison, under way.
class Comparison {
 public:
  Comparison(const ComparisonRequest& request, const ComparisonHooks& hooks,
             std::vector<Case> cases)
      : request_(request),
        hooks_(hooks),
        cases_(std::move(cases)),
        others_(cases_.size()),
        results_(cases_.size()) {}

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
  void tell_others(std::size_t index);
  void keep(std::size_t index, FunctionRef<RunResult(const RunHooks&)> make);
  void forget_model(std::size_t index);
  void remark(const std::string& text);

  const ComparisonRequest& request_;
  const ComparisonHooks& hooks_;
  std::vector<Case> cases_;
  std::vector<std::vector<std::size_t>> others_;  // of each case: later ones, the same run
  std::vector<std::optional<RunResult>> results_;
  std::vector<Entry> entries_;
  std::vector<std::size_t> entry_of_;  // of each case
  std::size_t searches_ = 0;           // begun
  WorkList work_;
  std::mutex mutex_;  // entries' trials, searches_, and remarks
};

void Comparison::remark(const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (hooks_.remark) hooks_.remark(text);
}

/// Whose messages a worker may hold at once, at most.
double neighbours(const Case& one) {
  const Scheme& scheme = find_scheme(one.configuration.scheme);
  if (!takes(scheme, "topology")) return 1.0;
  const Ingredients made = make_ingredients(scheme, one.configuration);
  std::size_t most = 0;
  for (const MixingRow& row : made.get<Topology>("topology").matrices.front()) {
    most = std::max(most, row.receives.size());
  }
  return static_cast<double>(most);
}

/// By a generous estimate.
double bytes_of_run(const Case& one, const Model& model) {
  constexpr double generous = 8.0;  // times replicas, gradients and what neighbours send
  return generous * static_cast<double>(model.dimension() * bytes_of(model.scalar())) *
         (one.configuration.workers * (2.0 + neighbours(one)) + 3.0);
}

/// In `wall` runs would take each other's cores. No more at once than have room for their fibers
/// and for their memory.
int Comparison::jobs() const {
  // Of all: where guards divide mappings, a fiber takes two of a process's 65,530.
  constexpr int most_workers = 16'000;
  int workers = 1;
  for (const Case& one : cases_) {
    if (one.configuration.time == TimeMode::wall || !one.configuration.trace.empty()) return 1;
    workers = std::max(workers, one.configuration.workers);
  }
  const int asked = request_.options.jobs > 0
                        ? request_.options.jobs
                        : std::max(1, tbb::this_task_arena::max_concurrency());
  const int wanted = std::clamp(most_workers / workers, 1, asked);
  if (wanted == 1 || memory_bound() == std::numeric_limits<std::size_t>::max()) return wanted;
  double largest = 1.0;
  for (const Entry& entry : entries_) {  // a model does not depend on the seed
    const Case& one = cases_[entry.first];
    const auto model = make_model({one.configuration.model, one.configuration.l2}, one.data->train);
    largest = std::max(largest, bytes_of_run(one, *model));
  }
  const double room = static_cast<double>(memory_bound()) - static_cast<double>(memory_held());
  return static_cast<int>(std::clamp(room / largest, 1.0, static_cast<double>(wanted)));
}

/// The first case of an entry begins its tuning, which the others wait for.
void Comparison::begin(std::size_t index) {
  Entry& entry = entry_of(index);
  std::size_t search = 0;
  {
    const std::lock_guard lock(mutex_);
    if (request_.options.tune_lr && !entry.tuned) {
      entry.waiting.push_back(index);
      if (entry.waiting.size() > 1) return;
      search = ++searches_;
    }
  }
  if (!request_.options.tune_lr || entry.tuned) {
    run_one(index);
    return;
  }
  const Case& first = cases_[entry.first];
  const std::string name =
      entries_.size() > 1 ? fmt::format("{} of {}, {}", search, entries_.size(), name_of(first))
                          : name_of(first);
  entry.search.emplace(first.configuration, *first.data, name,
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
  keep(index, [&](const RunHooks& listening) {
    RunHooks hooks = listening;
    hooks.interrupted = hooks_.interrupted;
    std::vector<Note> notes = one.notes;
    if (entry.search && entry.search->result().at_edge) notes.push_back(edge_note(entry));
    RunResult result =
        run_experiment(plan_run(one.configuration, *one.data, std::move(notes)), hooks);
    result.summary.label = one.label;
    result.summary.settings = one.settings;
    result.summary.varied = one.varied;
    return result;
  });
  tell_others(index);
  forget_model(index);
}

/// Of those that are the same run: they end as it has ended. Where it failed that is said once.
void Comparison::tell_others(std::size_t index) {
  const std::optional<RunResult>& result = results_[index];
  if (!result || result->summary.interrupted) return;
  for (const std::size_t other : others_[index]) {
    Case& one = cases_[other];
    one.configuration.optimizer.lr = cases_[index].configuration.optimizer.lr;
    keep(other, [&](const RunHooks& hooks) {
      for (const Metrics& metrics : result->metrics) {
        if (hooks.evaluated) hooks.evaluated(metrics);
      }
      return as_of(one, *result);
    });
    forget_model(other);
  }
}

void Comparison::keep(std::size_t index, FunctionRef<RunResult(const RunHooks&)> make) {
  const std::unique_ptr<CaseListener> listener =
      hooks_.begins ? hooks_.begins(cases_[index]) : nullptr;
  try {
    RunResult result = make(listener ? listener->hooks() : RunHooks{});
    if (listener) listener->ended(result);
    results_[index] = std::move(result);
  } catch (...) {
    if (!listener) throw;
    listener->failed(std::current_exception());
  }
}

/// Only the contestants' of a single point and seed have room together.
void Comparison::forget_model(std::size_t index) {
  if (results_[index] && cases_.size() > request_.contestants.size()) results_[index]->model = {};
}

std::vector<RunResult> Comparison::run() {
  std::map<std::string, std::size_t> places;
  std::vector<WorkList::Work> pieces;
  const std::vector<std::size_t> first = first_of_same(cases_);
  for (std::size_t index = 0; index < cases_.size(); ++index) {
    if (first[index] != index) {
      others_[first[index]].push_back(index);
      entry_of_.push_back(entry_of_[first[index]]);
      continue;
    }
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

std::string name_with_seed(std::string_view label, const std::vector<OptionText>& point,
                           std::uint64_t seed) {
  return fmt::format("{}, seed {}", name_at(label, point), seed);
}

Compared compared(const ComparisonRequest& request, const LoadedData* data,
                  const ComparisonHooks& hooks) {
  Compared made;
  std::vector<Case> cases = cases_of(request, data, hooks.remark, made.notes);
  const std::size_t asked = cases.size();
  for (const Case& one : cases) {
    made.lacking.push_back(name_with_seed(one.label, one.varied, one.configuration.seed));
  }
  made.runs = Comparison(request, hooks, std::move(cases)).run();
  for (const RunResult& run : made.runs) {
    const Summary& s = run.summary;
    std::erase(made.lacking, name_with_seed(s.label, s.varied, s.seed));
  }
  relate(made.runs, noting(made.notes, hooks.remark));
  if (!request.options.tune_lr) {
    if (const auto note = differing_steps_note(made.runs)) made.notes.push_back(*note);
  }
  if (made.runs.size() < asked) {
    made.notes.push_back({.about = "",
                          .text = fmt::format("warning: {} of {} runs are there; the others were "
                                              "interrupted or failed",
                                              made.runs.size(), asked)});
  }
  return made;
}

}  // namespace

Compared run_comparison(const ComparisonRequest& request, const ComparisonHooks& hooks) {
  return compared(request, nullptr, hooks);
}

Compared run_comparison(const ComparisonRequest& request, const LoadedData& data,
                        const ComparisonHooks& hooks) {
  return compared(request, &data, hooks);
}

}  // namespace trainyard
