#include "app/compare_flags.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/configuration/defaults.hpp"
#include "trainyard/report/table_columns.hpp"

namespace trainyard::app {

CompareFlags::CompareFlags(CLI::App& command)
    : schemes_(add_value_flag(
          command, "schemes", "A,B,…",
          "which, like ring,gossip:torus,local-sgd{period=8}; also systems, "
          "like petuum, and all-centralised, all-decentralised, all, all-systems [the six "
          "basic ones]")),
      vary_(add_value_flag(command, "vary", "NAME=A,B,…|A:B",
                           "each scheme at each value of an option; may be given several times")),
      map_(add_value_flag(command, "map", "NAME=A:B,NAME=A:B",
                          "who reaches the target first at each value of two options")),
      seeds_(add_value_flag(command, "seeds", "K",
                            "repeat with K seeds; mean and standard deviation of each figure [1]")),
      tune_lr_(
          add_switch(command, "tune-lr",
                     "each scheme at its own best step size, also where --lr says one: around it "
                     "[where nobody says one]")),
      jobs_(add_value_flag(command, "jobs", "N",
                           "runs at once in simulated time [one for each core]")),
      columns_(add_value_flag(
          command, "table-columns", "KEY,…",
          "of the table: numbers of a run by their names in JSON, like train_loss,seconds")),
      baseline_(add_value_flag(
          command, "baseline", "NAME",
          "the contestant from which figures of others are marked that --seeds tell from its own, "
          "in tables as Markdown or LaTeX")),
      svg_(add_value_flag(command, "svg", "FILE",
                          "write the curves of the training loss as a figure for documents")),
      continue_(add_switch(command, "continue",
                           "go on with the comparison in --out, which was interrupted or killed: "
                           "runs that have ended are read, the others are made")),
      training_(command, default_configuration(), false) {}

ComparisonOptions CompareFlags::options() const {
  ComparisonOptions options;
  const std::string seeds = only_value(*seeds_), jobs = only_value(*jobs_);
  if (seeds_->count() > 0) {
    options.seeds = static_cast<int>(parse_integer(seeds, "--seeds", 1, 1000));
  }
  if (jobs_->count() > 0) {
    options.jobs = static_cast<int>(parse_integer(jobs, "--jobs", 1, 4096));
  }
  if (columns_->count() > 0) options.columns = parse_table_columns(only_value(*columns_));
  if (baseline_->count() > 0) options.baseline = only_value(*baseline_);
  options.step_sizes = is_given(*tune_lr_) ? StepSizes::tuned : StepSizes::tuned_where_unsaid;
  return options;
}

Picture CompareFlags::take_picture(ComparisonRequest& request) const {
  if (svg_->count() == 0) return {};
  Configuration& c = request.configuration;
  Picture picture{.file = only_value(*svg_), .overwrite = c.force};
  if (c.out.empty() && c.trace.empty() && c.html.empty()) std::erase(c.given, "force");
  return picture;
}

bool CompareFlags::goes_on() const {
  return is_given(*continue_);
}

ComparisonRequest CompareFlags::comparison() const {
  std::vector<ContestantTable> tables;
  ComparisonRequest request{
      .configuration = training_.asked(&tables), .contestants = {}, .options = options()};
  if (schemes_->count() > 0) {
    request.contestants = parse_contestants(only_value(*schemes_));
  } else if (!tables.empty()) {
    request.contestants = contestants_of(tables);
  } else {
    request.contestants = basic_contestants();
  }
  for (const std::string& text : values_of(*vary_)) {
    request.variations.push_back(parse_variation(text));
  }
  (void)grid_of(request.variations);
  const auto of_data = [](const auto& each) { return each.option == "dataset"; };
  const bool other_data =
      std::ranges::any_of(request.variations, of_data) ||
      std::ranges::any_of(request.contestants, [&](const Contestant& contestant) {
        return std::ranges::any_of(contestant.settings, of_data);
      });
  // The defaults of the built-in set are for it alone.
  if (other_data) request.configuration = training_.read(default_configuration(), &tables);
  return request;
}

/// A map has its own two options to vary.
MapRequest CompareFlags::map() const {
  const std::string axes = only_value(*map_);
  for (const CLI::Option* other : {columns_, baseline_, svg_}) {
    if (other->count() == 0) continue;
    throw OptionError("map", fmt::format("{} is given beside; a map has no table of figures and no "
                                         "curves",
                                         other->get_name()));
  }
  for (const CLI::Option* other : {vary_, seeds_}) {
    if (other->count() == 0) continue;
    throw OptionError("map", fmt::format("{} is given beside; a map varies its own two options, "
                                         "with one seed",
                                         other->get_name()));
  }
  MapRequest request{.comparison = comparison(), .axes = parse_map(axes)};
  if (const Configuration& c = request.comparison.configuration;
      !c.out.empty() || !c.trace.empty() || goes_on()) {
    throw OptionError("map",
                      "its runs are not kept, so --out, --trace and --continue do not go with it");
  }
  return request;
}

}  // namespace trainyard::app
