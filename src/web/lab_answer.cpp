#include "web/lab_answer.hpp"

#include <exception>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <tbb/task_arena.h>

#include "trainyard/base/error.hpp"
#include "trainyard/report/summary_format.hpp"
#include "trainyard/runtime/trace.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

namespace {

/// The part of a run that an animation shows: more takes longer to send than to compute.
constexpr std::size_t most_recorded = 600;

/// Two steps; of a scheme whose workers meet every so many, these and one more, which has what is
/// still on its way.
StepRange recorded_steps(const Configuration& c) {
  return {.first = 0,
          .last = 1 + steps_of_cycle(find_scheme(c.scheme), c.workers, c.hyperparameters)};
}

/// Keeps the error of a run, and the results of the others; records the first steps.
class KeepFirstError final : public CaseListener {
 public:
  struct Errors {
    std::mutex mutex{};  // guards the rest
    std::exception_ptr first{}, interrupted{};
  };
  KeepFirstError(Errors& errors, StepRange recorded)
      : errors_(errors), recorder_(recorded, most_recorded) {}

  RunHooks hooks() override {
    RunHooks hooks;
    hooks.recorder = &recorder_;
    return hooks;
  }
  void ended(const RunResult& /*result*/) override {}
  void failed(std::exception_ptr error) override {
    const std::lock_guard lock(errors_.mutex);
    try {
      std::rethrow_exception(error);
    } catch (const Interrupted&) {
      errors_.interrupted = error;
    } catch (...) {
      if (errors_.first == nullptr) errors_.first = error;
    }
  }

 private:
  Errors& errors_;
  TraceRecorder recorder_;
};

/// Results so far where it is interrupted. Throws Interrupted where there are none.
Compared results_of(const ComparisonRequest& request, const LoadedData& data,
                    const std::atomic<bool>& interrupted) {
  KeepFirstError::Errors errors;
  ComparisonHooks hooks;
  hooks.interrupted = &interrupted;
  hooks.begins = [&](const Case& one) {
    return std::make_unique<KeepFirstError>(errors, recorded_steps(one.configuration));
  };
  Compared compared = run_comparison(request, data, hooks);
  if (errors.first != nullptr) std::rethrow_exception(errors.first);
  if (compared.runs.empty()) throw Interrupted("interrupted before the first step");
  return compared;
}

}  // namespace

std::string lab_answer(LabQuestion& question, const LoadedData& data,
                       const std::atomic<bool>& interrupted, bool alone) {
  bound_lab_question(question, data);
  ComparisonRequest& request = question.request;
  Compared compared;
  if (alone) {
    compared = results_of(request, data, interrupted);
  } else {
    // Another question has another core.
    request.options.jobs = 1;
    tbb::task_arena one(1);
    one.execute([&] { compared = results_of(request, data, interrupted); });
  }
  return comparison_json(compared.runs, request.options, compared.notes, compared.lacking);
}

}  // namespace trainyard
