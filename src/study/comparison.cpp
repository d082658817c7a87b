#include "trainyard/study/comparison.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/function_ref.hpp"
#include "trainyard/run/kept_result.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/study/collated_notes.hpp"
#include "trainyard/study/relate.hpp"
#include "trainyard/study/same_runs.hpp"
#include "trainyard/study/tuning.hpp"

#include "study/cases.hpp"
#include "study/room.hpp"
#include "study/tuned_runs.hpp"
#include "study/work_list.hpp"

namespace trainyard {

namespace {

bool is_set(const std::atomic<bool>* flag) {
  // relaxed: a flag that a signal sets; nothing is published with it.
  return flag != nullptr && flag->load(std::memory_order_relaxed);
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
  /// Says what tuning has cost; empty if nobody was tuned. After run().
  const std::optional<Note>& tuning_note() const { return tuning_note_; }
  std::optional<Note> jobs_note() const { return note_of_jobs(cases_, request_.options); }

 private:
  int jobs() const;
  TunedRuns& entry_of(std::size_t index) { return entries_[entry_of_[index]]; }
  void begin(std::size_t index);
  void fail(const Case& one, const std::exception_ptr& error);
  void add_trials(TunedRuns& entry);
  void take_runs(TunedRuns& entry);
  void take_ended();
  void try_one(TunedRuns& entry, std::size_t trial);
  void add_runs(TunedRuns& entry);
  void run_one(std::size_t index);
  void tell_others(std::size_t index);
  RunResult made_or_run(std::size_t index, const RunHooks& listening);
  void keep(std::size_t index, FunctionRef<RunResult(const RunHooks&)> make);
  void forget_model(std::size_t index);
  void remark(const std::string& text);

  const ComparisonRequest& request_;
  const ComparisonHooks& hooks_;
  std::vector<Case> cases_;
  std::vector<std::vector<std::size_t>> others_;  // of each case: later ones, the same run
  std::vector<std::optional<RunResult>> results_;
  std::deque<TunedRuns> entries_;      // which stay where they are
  std::vector<std::size_t> entry_of_;  // of each case
  std::size_t searches_ = 0;           // begun
  WorkList work_;
  std::mutex mutex_;  // entries' trials, searches_, and remarks
  std::optional<Note> tuning_note_;
};

void Comparison::remark(const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (hooks_.remark) hooks_.remark(text);
}

/// The first case of an entry begins its tuning, which the others wait for.
void Comparison::begin(std::size_t index) {
  TunedRuns& entry = entry_of(index);
  if (cases_[index].tuned.empty()) {
    run_one(index);
    return;
  }
  std::size_t search = 0;
  {
    const std::lock_guard lock(mutex_);
    if (!entry.is_tuned) {
      entry.waiting.push_back(index);
      if (entry.waiting.size() > 1) return;
      search = ++searches_;
    }
  }
  if (search == 0) {
    run_one(index);
    return;
  }
  const Case& first = cases_[index];
  const std::string name =
      entries_.size() > 1 ? fmt::format("{} of {}, {}", search, entries_.size(), name_of(first))
                          : name_of(first);
  std::vector<Configuration> runs;
  for (const std::size_t tuned : entry.tuned) runs.push_back(cases_[tuned].configuration);
  entry.search.emplace(std::move(runs), first.tuned, *first.data, name,
                       [this](const std::string& text) { remark(text); });
  add_trials(entry);
}

/// Before the case has begun.
void Comparison::fail(const Case& one, const std::exception_ptr& error) {
  if (!hooks_.begins) std::rethrow_exception(error);
  hooks_.begins(one)->failed(error);
}

void Comparison::add_trials(TunedRuns& entry) {
  const std::size_t count = entry.search->trials().size();
  if (count == 0) {
    entry.found = FoundSizes{.tuning = entry.search->result()};
    take_runs(entry);
    add_runs(entry);
    return;
  }
  entry.trials.clear();
  entry.trials.resize(count);
  entry.outstanding = count;
  std::vector<WorkList::Work> pieces;
  for (std::size_t trial = 0; trial < count; ++trial) {
    pieces.emplace_back([this, &entry, trial] { try_one(entry, trial); });
  }
  work_.add(std::move(pieces));
}

/// Runs that the search has made already are not made again.
void Comparison::take_runs(TunedRuns& entry) {
  if (entry.found->tuning.interrupted) return;  // others may have been better
  std::vector<RunResult> runs = entry.search->take_runs();
  for (std::size_t seed = 0; seed < runs.size(); ++seed) {
    const Case& one = cases_[entry.tuned[seed]];
    if (!one.configuration.trace.empty()) continue;
    entry.made.emplace(entry.tuned[seed], std::move(runs[seed]));
    entry.found->made.push_back(seed);
  }
}

/// Whoever ends the last of a batch asks for the next one.
void Comparison::try_one(TunedRuns& entry, std::size_t trial) {
  const Case& first = cases_[entry.tuned[trial % entry.tuned.size()]];
  RunResult ended;
  ended.summary.interrupted = true;
  std::exception_ptr error;
  try {
    if (!is_set(hooks_.interrupted)) {
      RunHooks hooks = entry.search->hooks();
      hooks.interrupted = hooks_.interrupted;
      ended =
          run_experiment(plan_run(entry.search->trials()[trial], *first.data, first.notes), hooks);
    }
  } catch (...) {
    error = std::current_exception();
  }
  if (!entry.search->keeps_runs()) ended.model = {};  // of large models a batch has no room
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
  entry.search->take(std::move(entry.trials));
  add_trials(entry);
}

/// Adds the cases that have waited for the step size; others find it. After an interrupt only those
/// that are made.
void Comparison::add_runs(TunedRuns& entry) {
  std::vector<WorkList::Work> pieces;
  {
    const std::lock_guard lock(mutex_);
    entry.is_tuned = true;
    for (const std::size_t index : entry.waiting) {
      pieces.emplace_back([this, index] { run_one(index); });
    }
  }
  work_.add(std::move(pieces));
}

void Comparison::run_one(std::size_t index) {
  Case& one = cases_[index];
  const TunedRuns& entry = entry_of(index);
  const bool is_made = entry.made.contains(index);
  const bool cut = entry.found && entry.found->tuning.interrupted;
  if (!is_made && (cut || (is_set(hooks_.interrupted) && index > 0))) return;
  if (entry.found) apply(entry.found->tuning, one.configuration);
  keep(index, [&](const RunHooks& listening) {
    RunResult result = made_or_run(index, listening);
    Summary& s = result.summary;
    if (entry.found) {
      const Tuning& tuning = entry.found->tuning;
      s.tuned = texts_of(tuning);
      if (tuning.at_edge) noting(s.notes, listening.remark)(edge_note(tuning).text);
    }
    s.within = one.within;
    s.label = one.label;
    s.settings = one.settings;
    s.varied = one.varied;
    return result;
  });
  tell_others(index);
  forget_model(index);
}

/// Tells of a run that the search has made as if it ran now.
RunResult Comparison::made_or_run(std::size_t index, const RunHooks& listening) {
  Case& one = cases_[index];
  TunedRuns& entry = entry_of(index);
  // No recorder heard the run that the search made: for a recorder it is made once more.
  const auto made = entry.made.find(index);
  if (made != entry.made.end() && listening.recorder == nullptr) {
    RunResult result = std::move(made->second);
    tell(result, one.notes, listening);
    return result;
  }
  if (made != entry.made.end()) made->second.model = {};  // not there twice
  RunHooks hooks = listening;
  hooks.interrupted = hooks_.interrupted;
  return run_experiment(plan_run(one.configuration, *one.data, one.notes), hooks);
}

/// Cases that are the same run end as it has ended. If it failed, that is said once.
void Comparison::tell_others(std::size_t index) {
  const std::optional<RunResult>& result = results_[index];
  if (!result || result->summary.interrupted) return;
  for (const std::size_t other : others_[index]) {
    Case& one = cases_[other];
    if (results_[other]) continue;  // it had ended before
    if (const auto& found = entry_of(index).found) apply(found->tuning, one.configuration);
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
    if (listener) {
      Archive kept;
      exchange_result(kept, result);
      // A copy: other runs at these step sizes end meanwhile, and an exchange writes back.
      std::optional<FoundSizes> found = entry_of(index).found;
      exchange_found(kept, found);
      listener->keeps(std::move(kept));
      listener->ended(result);
    }
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

/// Reads what an earlier process has made. The step sizes that it found are those of the others,
/// too.
void Comparison::take_ended() {
  if (!hooks_.ended_before) return;
  std::size_t taken = 0;
  for (std::size_t index = 0; index < cases_.size(); ++index) {
    std::optional<Archive> kept = hooks_.ended_before(cases_[index]);
    if (!kept) continue;
    RunResult result;
    result.resolved = cases_[index].configuration;
    exchange_result(*kept, result);
    results_[index] = std::move(result);
    std::optional<FoundSizes> found;
    exchange_found(*kept, found);
    TunedRuns& entry = entry_of(index);
    entry.is_tuned = entry.is_tuned || found.has_value();
    if (found) entry.found = std::move(found);
    ++taken;
  }
  remark(fmt::format("continued: {} of {} had ended before", taken, counted(cases_.size(), "run")));
}

int Comparison::jobs() const {
  std::vector<const Case*> typical;  // a model does not depend on the seed
  for (const TunedRuns& entry : entries_) typical.push_back(&cases_[entry.tuned.front()]);
  return runs_at_once(cases_, typical, request_.options);
}

std::vector<RunResult> Comparison::run() {
  std::map<std::string, std::size_t> places;
  const std::vector<std::size_t> first = first_of_same(cases_);
  for (std::size_t index = 0; index < cases_.size(); ++index) {
    if (first[index] != index) {
      others_[first[index]].push_back(index);
      entry_of_.push_back(entry_of_[first[index]]);
      continue;
    }
    const auto [place, is_new] = places.try_emplace(training_of(cases_[index]), entries_.size());
    if (is_new) entries_.emplace_back();
    TunedRuns& entry = entries_[place->second];
    const bool of_its_point =
        entry.tuned.empty() || cases_[entry.tuned.front()].varied == cases_[index].varied;
    if (of_its_point) entry.tuned.push_back(index);
    entry_of_.push_back(place->second);
  }
  const int at_once = jobs();
  if (hooks_.planned) hooks_.planned(cases_, at_once);
  take_ended();
  std::vector<WorkList::Work> pieces;
  for (std::size_t index = 0; index < cases_.size(); ++index) {
    // A repetition of a run that had ended, whose model is not here, is made by itself.
    const bool is_told = first[index] != index && !results_[first[index]];
    if (results_[index] || is_told) continue;
    pieces.emplace_back([this, index] { begin(index); });
  }
  work_.add(std::move(pieces));
  const bool is_far = !request_.variations.empty();
  if (const auto text = what_tuning_costs(entries_, cases_, is_far)) remark(*text);
  work_.run(at_once);
  tuning_note_ = note_of_tuning(entries_, results_);
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
  std::vector<Case> cases = cases_of(request, data, hooks, made.notes, made.left_out);
  const std::size_t asked = cases.size();
  for (const Case& one : cases) {
    made.lacking.push_back(name_with_seed(one.label, one.varied, one.configuration.seed));
  }
  Comparison comparison(request, hooks, std::move(cases));
  if (const auto note = comparison.jobs_note()) noting(made.notes, hooks.remark)(note->text);
  made.runs = comparison.run();
  for (const RunResult& run : made.runs) {
    const Summary& s = run.summary;
    std::erase(made.lacking, name_with_seed(s.label, s.varied, s.seed));
  }
  relate(made.runs, noting(made.notes, hooks.remark));
  if (const auto note = differing_steps_note(made.runs)) made.notes.push_back(*note);
  if (const auto& note = comparison.tuning_note()) {
    made.notes.push_back(*note);
    // Nothing to be warned of: --quiet does without it.
    if (hooks.remark) hooks.remark("tuning: " + note->text.substr(note->text.find(' ') + 1));
  }
  if (made.runs.size() < asked) {
    made.notes.push_back(
        {.about = "",
         .text = fmt::format("warning: {} of {} runs {} there; the others were "
                             "interrupted or failed",
                             made.runs.size(), asked, made.runs.size() == 1 ? "is" : "are")});
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
