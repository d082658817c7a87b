#include "module/training.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/memory_account.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/hardware/memory.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/resolve.hpp"
#include "trainyard/scheme/scheme.hpp"
#include "trainyard/study/relate.hpp"

#include "module/beside.hpp"

namespace trainyard::python {

Loaded loaded_from(std::shared_ptr<const ArrayRows> rows, const Configuration& c) {
  struct Kept {
    std::shared_ptr<const ArrayRows> rows;
    LoadedData data;
    ~Kept() {
      const py::gil_scoped_acquire held;  // the arrays are Python's
      data = {};
      rows.reset();
    }
  };
  if (rows == nullptr) {
    return std::make_shared<const LoadedData>(load_dataset(dataset_request(c)));
  }
  auto kept = std::make_shared<Kept>();
  kept->rows = std::move(rows);
  kept->data = kept->rows->load(dataset_request(c));
  return {kept, &kept->data};
}

void use_memory_as(const Configuration& c) {
  constexpr std::size_t unbounded = std::numeric_limits<std::size_t>::max();
  const std::size_t available = available_memory(), held = memory_held();
  const std::size_t free = available - available / 16;  // the rest is for what is not counted
  bound_memory(c.force_memory || free > unbounded - held ? unbounded : free + held);
}

namespace {

std::string name_of(const Summary& s) {
  return fmt::format("{}, seed {}", name_at(s.label, s.varied), s.seed);
}

/// Where the results of a comparison are gathered, by the threads that make its runs.
class Gathering {
 public:
  Gathering(Beside& beside, Loaded shared, bool keeps_models)
      : beside_(beside), shared_(std::move(shared)), keeps_models_(keeps_models) {}

  ComparisonHooks hooks();
  /// The sources of the runs, in their order.
  std::vector<RunSource> sources_of(const std::vector<RunResult>& runs);
  std::vector<std::string> failures();
  void rethrow_first() const {
    if (first_ != nullptr) std::rethrow_exception(first_);
  }

 private:
  class Listener;

  Beside& beside_;
  const Loaded shared_;  // of all runs, where rows came as arrays
  const bool keeps_models_;
  std::mutex mutex_;  // guards the rest
  std::map<std::string, RunSource> sources_;
  std::vector<std::string> failures_;
  std::exception_ptr first_;
};

class Gathering::Listener final : public CaseListener {
 public:
  Listener(Gathering& all, const Case& one)
      : all_(all),
        name_(fmt::format("{}, seed {}", name_at(one.label, one.varied), one.configuration.seed)),
        data_(all.shared_ != nullptr ? all.shared_ : one.data) {}

  RunHooks hooks() override {
    RunHooks hooks;
    hooks.evaluated = [this](const Metrics& metrics) {
      all_.beside_.tell(Evaluated{name_, metrics});
    };
    return hooks;
  }
  void ended(const RunResult& result) override {
    RunSource source;
    source.data = data_;
    if (all_.keeps_models_) source.model = VectorBuffer::copy_of(result.model.view());
    const std::lock_guard lock(all_.mutex_);
    all_.sources_.insert_or_assign(name_of(result.summary), std::move(source));
  }
  void failed(std::exception_ptr error) override {
    const std::lock_guard lock(all_.mutex_);
    if (all_.first_ == nullptr) all_.first_ = error;
    try {
      std::rethrow_exception(error);
    } catch (const std::exception& thrown) {
      all_.failures_.push_back(fmt::format("{}: {}", name_, thrown.what()));
    }
  }

 private:
  Gathering& all_;
  const std::string name_;
  const Loaded data_;
};

ComparisonHooks Gathering::hooks() {
  ComparisonHooks hooks;
  hooks.remark = [this](const std::string& text) { beside_.tell(text); };
  hooks.begins = [this](const Case& one) { return std::make_unique<Listener>(*this, one); };
  hooks.interrupted = &beside_.interrupted();
  return hooks;
}

std::vector<RunSource> Gathering::sources_of(const std::vector<RunResult>& runs) {
  std::vector<RunSource> all;
  for (const RunResult& run : runs) all.push_back(std::move(sources_[name_of(run.summary)]));
  return all;
}

std::vector<std::string> Gathering::failures() {
  return failures_;
}

std::vector<Contestant> contestants(const AskedComparison& asked,
                                    const std::vector<ContestantTable>& tables) {
  if (!asked.contestants.empty()) return contestants_of(asked.contestants);
  return tables.empty() ? basic_contestants() : trainyard::contestants_of(tables);
}

/// Whether runs have data sets of their own.
bool has_other_data(const ComparisonRequest& request) {
  const auto of_data = [](const auto& each) { return each.option == "dataset"; };
  return std::ranges::any_of(request.variations, of_data) ||
         std::ranges::any_of(request.contestants, [&](const Contestant& contestant) {
           return std::ranges::any_of(contestant.settings, of_data);
         });
}

/// Rows that come as arrays are prepared once.
void check_one_preparation(const ComparisonRequest& request) {
  const DatasetRequest data = dataset_request(request.configuration);
  for (const std::vector<OptionText>& point : grid_of(request.variations)) {
    for (const Contestant& contestant : request.contestants) {
      Configuration c = request.configuration;
      apply(point, c);
      apply(contestant, c);
      if (dataset_request(c) == data) continue;
      throw OptionError("data",
                        fmt::format("{} would have other rows, or rows made in another way, than "
                                    "the others; rows of arrays are made once, in one way for all",
                                    name_at(contestant.label, point)));
    }
  }
}

ComparisonRequest request_of(const AskedComparison& asked) {
  std::vector<ContestantTable> tables;
  ComparisonRequest request{.configuration = configuration_of(asked.asked, &tables),
                            .contestants = {},
                            .options = asked.options};
  request.contestants = contestants(asked, tables);
  request.variations = variations_of(asked.variations);
  if (asked.asked.has_arrays) {
    check_one_preparation(request);
  } else if (has_other_data(request)) {
    request.configuration = configuration_of_any_set(asked.asked, &tables);
  }
  return request;
}

}  // namespace

Outcome compare(const AskedComparison& asked, std::shared_ptr<const ArrayRows> rows,
                py::object progress) {
  const ComparisonRequest request = request_of(asked);
  use_memory_as(request.configuration);
  Beside beside(std::move(progress));
  Outcome outcome;
  outcome.options = request.options;
  beside.run([&] {
    const Loaded shared =
        rows == nullptr ? nullptr : loaded_from(std::move(rows), request.configuration);
    Gathering gathering(beside, shared, asked.keeps_models);
    Compared made = shared == nullptr ? run_comparison(request, gathering.hooks())
                                      : run_comparison(request, *shared, gathering.hooks());
    if (made.runs.empty()) gathering.rethrow_first();
    outcome.sources = gathering.sources_of(made.runs);
    outcome.runs = std::move(made.runs);
    outcome.notes = std::move(made.notes);
    outcome.lacking = std::move(made.lacking);
    outcome.failures = gathering.failures();
  });
  outcome.interrupted = beside.interrupted();
  return outcome;
}

Outcome run(const Asked& asked, std::shared_ptr<const ArrayRows> rows, py::object progress) {
  const Configuration c = configuration_of(asked);
  use_memory_as(c);
  Beside beside(std::move(progress));
  Outcome outcome;
  beside.run([&] {
    const Remark remark = [&](const std::string& text) { beside.tell(text); };
    const Loaded data = loaded_from(std::move(rows), c);
    std::vector<Note> notes;
    std::ranges::for_each(data->remarks, noting(notes, remark));
    Plan plan = prepare_run(c, *data, noting(notes, remark));
    plan.notes = without_idle_notes(notes, plan.configuration);
    // There is no terminal on which they were said.
    std::ranges::copy_if(notes, std::back_inserter(outcome.notes), [&](const Note& note) {
      return std::ranges::find(plan.notes, note.text, &Note::text) == plan.notes.end();
    });
    const std::string name = plan.configuration.scheme;
    RunHooks hooks;
    hooks.evaluated = [&](const Metrics& metrics) { beside.tell(Evaluated{name, metrics}); };
    hooks.remark = remark;
    hooks.interrupted = &beside.interrupted();
    outcome.runs.push_back(run_experiment(plan, hooks));
    outcome.sources.push_back({data, {}});
    if (const auto early = early_arrivals(outcome.runs)) {
      noting(outcome.runs.front().summary.notes, remark)(*early);
    }
  });
  outcome.interrupted = beside.interrupted();
  return outcome;
}

Trace first_steps(const RunResult& result, const LoadedData& data, std::uint64_t steps,
                  std::size_t most_messages) {
  Configuration c = result.resolved;
  c.steps = std::min(steps, c.steps.value_or(steps));
  c.epochs.reset();
  c.seconds.reset();
  for (auto* const target : {&c.target_loss, &c.target_accuracy, &c.target_gradient}) {
    target->reset();
  }
  c.patience.reset();
  c.optimum.clear();
  TraceRecorder recorder({.first = 0, .last = steps}, most_messages);
  Beside beside(py::none{});
  std::optional<Trace> trace;
  beside.run([&] {
    RunHooks hooks;
    hooks.interrupted = &beside.interrupted();
    hooks.recorder = &recorder;
    trace = *run_experiment(plan_run(c, data), hooks).trace;
  });
  return *trace;
}

}  // namespace trainyard::python
