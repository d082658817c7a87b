#include "trainyard/study/advised_training.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "trainyard/analysis/advice.hpp"
#include "trainyard/base/counted.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/configuration/defaults.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/run/plan.hpp"

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

void check_advised_data(const Configuration& c, const LoadedData& data) {
  const std::size_t rows = data.train.rows;
  if (c.target_accuracy && data.validation.rows + data.test.rows == 0) {
    throw OptionError("target-accuracy",
                      fmt::format("{} has neither validation nor test rows; accepted are a target "
                                  "loss, and a configuration that says validation = 0.2",
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

}  // namespace trainyard
