#include "module/advising.hpp"

#include <algorithm>
#include <exception>
#include <iterator>
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
#include "trainyard/study/measured_noise.hpp"
#include "trainyard/study/target_times.hpp"
#include "trainyard/study/thread_times.hpp"

#include "module/beside.hpp"
#include "module/training.hpp"

namespace trainyard::python {

namespace {

struct Answered {
  std::string json, text;
  std::vector<std::string> notes{};
  bool interrupted = false;
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
TargetTimes trained(const AdviceQuestion& question, const Advice& advice,
                    const Configuration& training, const LoadedData& data, std::optional<int> seeds,
                    Beside& beside) {
  const ComparisonRequest runs =
      target_runs(question, advice, training, seeds.value_or(advised_seeds));
  if (beside.is_told()) beside.tell(note_before(runs, data, seeds.value_or(seeds_of_finalists)));
  return times_to_target(advice, runs, data, hooks_of(beside), seeds.value_or(seeds_of_finalists));
}

void end_if_interrupted(const Beside& beside) {
  if (beside.interrupted()) throw Interrupted("interrupted");
}

/// Of machines apart.
Answered apart(const AskedAdvice& asked, const Configuration& c,
               std::shared_ptr<const ArrayRows> rows, Beside& beside) {
  Answered answered;
  AdviceQuestion question = question_of(asked, c);
  Configuration training = advised_training(c);
  Loaded data;
  if (asked.has_data) {
    data = loaded_from(std::move(rows), training);
    check_advised_data(on_machines_of(question, training), *data);
    take_model(asked, training, *data, question);
  }
  if (asked.measures_noise) {
    const MeasuredNoise noise = measured_noise(training, *data);
    question.noise_scale = noise.mean;
    answered.notes.push_back(noise_note(noise));
  }
  end_if_interrupted(beside);
  const Advice advice = trainyard::advise(question);
  end_if_interrupted(beside);
  std::optional<TargetTimes> times;
  if (data != nullptr && has_target(training)) {
    run_to_target(training);
    times = trained(question, advice, training, *data, asked.seeds, beside);
    answered.interrupted = times->interrupted || times->finals_interrupted;
  }
  const TargetTimes* const soonest = times ? &*times : nullptr;
  const auto map = advice_map(question, advice, soonest);
  if (!times) end_if_interrupted(beside);
  answered.json = advice_json(question, advice, soonest, map ? &*map : nullptr);
  answered.text = advice_text(question, advice, soonest);
  return answered;
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
  const ComparisonRequest runs = thread_runs(training, cores, asked.seeds.value_or(advised_seeds));
  if (beside.is_told()) beside.tell(note_before_threads(runs, *data));
  const ThreadTimes times = thread_times(runs, *data, hooks_of(beside));
  return {.json = thread_times_json(times),
          .text = thread_times_text(times),
          .notes = {},
          .interrupted = times.interrupted};
}

/// The target is what the question says: that of a file is of its runs.
void take_target(const AskedAdvice& asked, Configuration& c) {
  c.target_loss = c.target_accuracy = c.target_gradient = std::nullopt;
  std::erase_if(c.given, [](const std::string& name) { return name.starts_with("target-"); });
  for (const auto& [name, text] : asked.asked.settings) {
    if (name == "target-gradient") {
      throw OptionError(name, "advice is of the way to a target loss or a target accuracy");
    }
    if (name != "target-loss" && name != "target-accuracy") continue;
    if (has_target(c)) {
      throw OptionError(name, "another target is given, too; one of them is accepted");
    }
    option_named(name).set(c, text, "--" + name);
    c.given.push_back(name);
  }
}

/// "note: --seeds has no effect: …" of what is said in vain.
std::vector<std::string> idle_notes_of(const AskedAdvice& asked, const Configuration& c) {
  std::vector<std::string> notes;
  const auto add = [&](std::string_view name, std::string_view why) {
    notes.push_back(fmt::format("note: --{} has no effect: {}", name, why));
  };
  constexpr std::string_view on_this_machine =
      "with machines=\"shared\" everything is measured on this machine";
  const auto add_if = [&](bool is_idle, std::string_view name) {
    if (is_idle) add(name, on_this_machine);
  };
  for (const std::string& name : unadvised_options(c)) add(name, "advice does not look at it");
  for (const auto& [name, text] : asked.asked.settings) {
    const bool is_length = name == "steps" || name == "seconds" || name == "time";
    if (is_length) add(name, "runs of advice have a clock of their own, and end at the target");
    if (name == "epochs" && !has_target(c)) add(name, "it is of runs to a target");
    const bool is_of_machines = std::ranges::count(advised_options(), std::string_view(name)) > 0;
    add_if(asked.shared && is_of_machines && name != "workers" && name != "batch", name);
  }
  if (asked.shared) {
    add_if(!asked.size.empty(), "size");
    add_if(!asked.memory.empty(), "memory");
    add_if(asked.measured.has_value(), "measured");
    add_if(asked.noise_scale.has_value() || asked.measures_noise, "noise-scale");
  }
  if (!asked.scheme.empty() && (asked.shared || !asked.measured)) {
    add("scheme", "it says whose rate is measured");
  }
  if (asked.seeds && !has_target(c)) add("seeds", "it is of runs to a target");
  return notes;
}

}  // namespace

py::tuple advise(const AskedAdvice& asked, std::shared_ptr<const ArrayRows> rows,
                 py::object progress) {
  std::vector<ContestantTable> tables;  // of a lab, say: others take part here
  Configuration c = configuration_of(asked.asked, &tables);
  take_target(asked, c);
  if (!asked.shared) check_compute_time(c);
  if (asked.shared && !(asked.has_data && has_target(c))) {
    throw OptionError("machines", "shared",
                      "trains each way on this machine until a target; expected data, and "
                      "target-loss or target-accuracy");
  }
  if (asked.measures_noise && !asked.has_data) {
    throw OptionError("noise-scale", "measured", "of which data? expected some beside it");
  }
  use_memory_as(c);
  Beside beside(std::move(progress));
  Answered answered;
  beside.run([&] {
    answered = (asked.shared ? on_one_machine : apart)(asked, c, std::move(rows), beside);
  });
  std::ranges::copy(idle_notes_of(asked, c), std::back_inserter(answered.notes));
  return py::make_tuple(answered.json, answered.text, answered.notes, answered.interrupted);
}

}  // namespace trainyard::python
