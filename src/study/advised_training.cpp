#include "trainyard/study/advised_training.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/configuration/defaults.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/run/calibration.hpp"
#include "trainyard/run/plan.hpp"
#include "trainyard/run/resolve.hpp"
#include "trainyard/run/run.hpp"
#include "trainyard/study/target_times.hpp"

namespace trainyard {

namespace {

bool is_unadvised(const Option& option) {
  if (option.section != "network" && option.section != "compute") return false;
  return std::ranges::count(advised_options(), std::string_view(option.name)) == 0;
}

}  // namespace

std::vector<std::string> unadvised_options(const Configuration& c) {
  std::vector<std::string> names;
  for (const std::string& name : c.given) {
    if (is_unadvised(option_named(name))) names.push_back(name);
  }
  return names;
}

Configuration advised_training(const Configuration& c) {
  Configuration asked = is_on_built_in_set(c) ? built_in_defaults() : default_configuration();
  for (const std::string& name : c.given) {
    const Option& option = option_named(name);
    const bool is_of_results = option.section == "output";  // advice has its own
    if (!is_unadvised(option) && !is_of_results) option.set(asked, option.get(c), "--" + name);
  }
  // Rows that come as arrays are of no file, which would have been given.
  asked.dataset = c.dataset;
  asked.test = c.test;
  asked.given = c.given;
  asked.time = TimeMode::simulated;
  return asked;
}

void run_to_target(Configuration& c) {
  const auto says = [&](const char* option) { return std::ranges::count(c.given, option) > 0; };
  // Passes lie on straight lines between two looks, of which each costs half of a pass.
  if (!says("evaluate-every")) c.evaluate_every = 0.05;
  if (!says("epochs")) c.epochs = advised_epochs;
  c.steps = std::nullopt;
  c.seconds = std::nullopt;
}

Configuration on_machines_of(const AdviceQuestion& question, const Configuration& training) {
  Configuration c = training;
  for (const std::string_view name : advised_options()) {
    const Option& option = option_named(std::string(name));
    const std::string text = option.get(question.setting.configuration);
    if (text != option.get(c)) option.set(c, text, "--" + option.name);
  }
  return c;
}

void check_advised_data(const Configuration& c, const LoadedData& data) {
  const std::size_t rows = data.train.rows;
  if (c.target_accuracy && !data.train.targets.empty()) {
    throw OptionError("target-accuracy", "real labels have no accuracy; a target loss is for them");
  }
  if (c.target_accuracy && data.validation.rows + data.test.rows == 0) {
    throw OptionError("target-accuracy",
                      fmt::format("{} has neither validation nor test rows; validation=0.2 beside "
                                  "the data takes some out, and a target loss needs none",
                                  data.name));
  }
  if (static_cast<std::size_t>(c.workers) > rows) {
    throw OptionError("workers", fmt::format("each of {} needs a training row, and {} has {}",
                                             c.workers, data.name, counted(rows, "row")));
  }
  if (c.batch > rows) {
    throw OptionError(
        "batch", fmt::format("a minibatch of {} is more than the {} of {}", counted(c.batch, "row"),
                             counted(rows, "training row"), data.name));
  }
}

Configuration of_one_worker(const Configuration& training, std::size_t rows) {
  Configuration c = training;
  c.scheme = "sequential";
  c.workers = 1;
  c.network = {};  // which may name ranks that there are not, as stragglers may
  c.stragglers.clear();
  c.target_loss = c.target_accuracy = c.target_gradient = std::nullopt;
  c.batch = std::min(c.batch, rows);
  return c;
}

AdvisedModel advised_model(const Configuration& training, const LoadedData& data) {
  const Plan plan = prepare_run(of_one_worker(training, data.train.rows), data, {});
  return {.parameters = plan.model->dimension(),
          .compute_time = plan.configuration.compute_time.value()};
}

double most_seconds(const ComparisonRequest& runs, const LoadedData& data, int at_once) {
  // As many runs of all passes as the step sizes come to that tuning tries of one
  // (study/tuning.hpp), where nobody comes to the target: then none ends early.
  constexpr double runs_each = 8.0;
  const Configuration& c = runs.configuration;
  const auto model = make_model({model_name(c, data), c.l2, c.l1}, data.train);
  const double minibatch_s =
      to_seconds(measure_minibatch_time(*model, data.train, c.batch, c.optimizer));
  const double pass_s =
      minibatch_s * static_cast<double>(data.train.rows) / static_cast<double>(c.batch);
  const double looks = 0.5 / c.evaluate_every;
  const double all = runs_each * static_cast<double>(runs.contestants.size()) * runs.options.seeds;
  return all * c.epochs.value_or(1.0) * pass_s * (1.0 + looks) / at_once;
}

std::string training_note(const std::string& what, const ComparisonRequest& runs, int finalists,
                          const std::string& how_long) {
  const bool has_finals = finalists > runs.options.seeds;
  return fmt::format("note: {}, each at its own best step size, with {}{}: {}", what,
                     counted(runs.options.seeds, "seed"),
                     has_finals ? fmt::format(", and who may be first with {} or {}", finalists,
                                              times_more_where_open * finalists)
                                : "",
                     how_long);
}

}  // namespace trainyard
