#include "module/advising.hpp"

#include <algorithm>
#include <exception>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "trainyard/analysis/advice.hpp"
#include "trainyard/analysis/sweep.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/hardware/machine.hpp"
#include "trainyard/report/advice_format.hpp"
#include "trainyard/report/thread_times_text.hpp"
#include "trainyard/study/advice_map.hpp"
#include "trainyard/study/advised_training.hpp"
#include "trainyard/study/target_times.hpp"
#include "trainyard/study/thread_times.hpp"

#include "module/beside.hpp"
#include "module/training.hpp"

namespace trainyard::python {

namespace {

struct Answered {
  std::string json, text;
  std::vector<std::string> notes{};
};

/// Of machines and links, what was said.
Settings advised_settings(const Configuration& c) {
  Settings settings;
  for (const std::string& name : c.given) {
    const bool is_advised = std::ranges::count(advised_options(), std::string_view(name)) > 0;
    if (is_advised) settings.emplace_back(name, option_named(name).get(c));
  }
  return settings;
}

Contestant measured_contestant(const std::string& scheme) {
  const std::vector<Contestant> named = predicted_contestants(scheme);
  if (named.size() == 1) return named.front();
  throw OptionError(
      "scheme", scheme,
      fmt::format("is {} ways to talk; name one, like {}", named.size(), named.front().label));
}

AdviceQuestion question_of(const AskedAdvice& asked, const Configuration& c) {
  AdviceQuestion question{.setting = prediction_setting(advised_settings(c), advised_options())};
  const auto check = [](const char* name, std::optional<double> value) {
    if (!value || (*value > 0.0 && *value < 1e18)) return;
    throw OptionError(name, fmt::to_string(*value), "expected above 0 and below 1e18");
  };
  check("measured", asked.measured);
  check("noise-scale", asked.noise_scale);
  question.measured_rate = asked.measured;
  question.noise_scale = asked.noise_scale;
  question.optimizer = c.optimizer;
  if (!asked.size.empty()) {
    set_quantity(question.setting, {"size", predicted_quantities()("size")(asked.size, "--size")});
  }
  if (!asked.memory.empty()) question.memory_bytes = parse_bytes(asked.memory, "--memory");
  if (!asked.scheme.empty()) question.measured = measured_contestant(asked.scheme);
  return question;
}

void check_compute_time(const Configuration& c) {
  if (c.compute_time != Duration{0}) return;
  throw OptionError("compute-time", "takes a duration above 0 here, like 3ms");
}

/// What the data's model says where nobody does.
void take_model(const AskedAdvice& asked, const Configuration& training, const LoadedData& data,
                AdviceQuestion& question) {
  if (!asked.size.empty()) return;
  const AdvisedModel model = advised_model(training, data);
  question.setting.parameters = model.parameters;
  question.setting.configuration.compute_time = model.compute_time;
}

/// Tells of each look at a run.
class Telling final : public CaseListener {
 public:
  Telling(Beside& beside, std::string name) : beside_(beside), name_(std::move(name)) {}

  RunHooks hooks() override {
    RunHooks hooks;
    hooks.evaluated = [this](const Metrics& metrics) { beside_.tell(Evaluated{name_, metrics}); };
    return hooks;
  }
  void ended(const RunResult& /*result*/) override {}
  void failed(std::exception_ptr error) override { std::rethrow_exception(error); }

 private:
  Beside& beside_;
  const std::string name_;
};

ComparisonHooks hooks_of(Beside& beside) {
  ComparisonHooks hooks;
  hooks.remark = [&](const std::string& text) { beside.tell(text); };
  hooks.begins = [&](const Case& one) {
    return std::make_unique<Telling>(beside,
                                     fmt::format("{}, seed {}", one.label, one.configuration.seed));
  };
  hooks.interrupted = &beside.interrupted();
  return hooks;
}

/// Until the target that it has.
TargetTimes trained(const AdviceQuestion& question, const Advice& advice, Configuration training,
                    const LoadedData& data, int seeds, Beside& beside) {
  run_to_target(training);
  const ComparisonRequest runs = target_runs(question, advice, training, seeds);
  check_advised_data(runs.configuration, data);
  return times_to_target(advice, runs, data, hooks_of(beside));
}

/// Of machines apart.
Answered apart(const AskedAdvice& asked, const Configuration& c,
               std::shared_ptr<const ArrayRows> rows, Beside& beside) {
  AdviceQuestion question = question_of(asked, c);
  const Configuration training = advised_training(c);
  Loaded data;
  if (asked.has_data) {
    data = loaded_from(std::move(rows), training);
    take_model(asked, training, *data, question);
  }
  const Advice advice = trainyard::advise(question);
  std::optional<TargetTimes> times;
  if (data != nullptr && has_target(training)) {
    times = trained(question, advice, training, *data, asked.seeds, beside);
  }
  const TargetTimes* const soonest = times ? &*times : nullptr;
  const auto map = advice_map(question, advice, soonest);
  return {.json = advice_json(question, advice, soonest, map ? &*map : nullptr),
          .text = advice_text(question, advice, soonest)};
}

/// Of threads of this machine.
Answered on_one_machine(const AskedAdvice& asked, const Configuration& c,
                        std::shared_ptr<const ArrayRows> rows, Beside& beside) {
  Configuration training = advised_training(c);
  const bool says_workers = std::ranges::count(c.given, "workers") > 0;
  const int cores = says_workers ? c.workers : this_machine().cores;
  training.workers = cores;
  run_to_target(training);
  const Loaded data = loaded_from(std::move(rows), training);
  check_advised_data(training, *data);
  const ComparisonRequest runs = thread_runs(training, cores, asked.seeds);
  const ThreadTimes times = thread_times(runs, *data, hooks_of(beside));
  return {.json = thread_times_json(times), .text = thread_times_text(times)};
}

}  // namespace

py::tuple advise(const AskedAdvice& asked, std::shared_ptr<const ArrayRows> rows,
                 py::object progress) {
  const Configuration c = configuration_of(asked.asked);
  check_compute_time(c);
  if (asked.shared && !(asked.has_data && has_target(c))) {
    throw OptionError("machines", "shared",
                      "trains each way on this machine until a target; expected data, and "
                      "target-loss or target-accuracy");
  }
  use_memory_as(c);
  Beside beside(std::move(progress));
  Answered answered;
  beside.run([&] {
    answered = (asked.shared ? on_one_machine : apart)(asked, c, std::move(rows), beside);
  });
  for (const std::string& name : unadvised_options(c)) {
    answered.notes.push_back(
        fmt::format("note: {} has no effect: advice does not look at it", name));
  }
  return py::make_tuple(answered.json, answered.text, answered.notes);
}

}  // namespace trainyard::python
