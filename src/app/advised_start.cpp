#include "app/advised_start.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/text_file.hpp"
#include "trainyard/configuration/defaults.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/data/catalog.hpp"
#include "trainyard/data/data_file.hpp"
#include "trainyard/run/run.hpp"
#include "trainyard/scheme/scheme.hpp"
#include "trainyard/study/advised_training.hpp"

namespace trainyard::app {

namespace {

namespace fs = std::filesystem;

/// The folder of a saved run, if it is one or names a file of one.
std::optional<fs::path> folder_of_run(const fs::path& file) {
  std::error_code error;
  const fs::path folder = file.filename() == "summary.json" ? file.parent_path() : file;
  const bool is_run = fs::is_regular_file(folder / "summary.json", error) &&
                      fs::is_regular_file(folder / "config.toml", error);
  if (is_run) return folder;
  if (fs::is_directory(file, error) || file.filename() == "summary.json") {
    throw UsageError(fmt::format(
        "{}: a saved run is a folder with config.toml and summary.json, as --out leaves it",
        echoed(file.string())));
  }
  return std::nullopt;
}

void set_compute_time(Duration each, AdvisedStart& start) {
  start.configuration.compute_time = each;
  start.configuration.given.emplace_back("compute-time");
}

/// What stretched minibatches on the machine's clock is in their measured times.
void leave_out_what_was_measured(const fs::path& file, AdvisedStart& start) {
  for (const char* name : {"straggler", "pause", "compute-noise"}) {
    if (std::erase(start.configuration.given, name) == 0) continue;
    start.notes.push_back(fmt::format(
        "note: {} of {} is in the time of its minibatches, and is not applied once more", name,
        file.string()));
  }
}

void take_summary(const fs::path& file, AdvisedStart& start) {
  const auto wrong = [&](const std::string& what) {
    return DataError(fmt::format("{}: {}", file.string(), what));
  };
  try {
    const auto summary =
        nlohmann::json::parse(read_text_file(file, file.string(), "the summary of a run"));
    start.parameters = summary.at("model").at("parameters").get<std::uint64_t>();
    const double computed = summary.at("time_split").at("compute").get<double>();
    const double minibatches =
        summary.at("gradients").get<double>() / summary.at("workers").get<double>();
    if (!start.configuration.compute_time && computed > 0.0 && minibatches > 0.0) {
      set_compute_time(seconds(computed / minibatches), start);
    }
    const Scheme& scheme = find_scheme(start.configuration.scheme);
    const bool sends = cast_of(scheme, start.configuration).model != ModelHome::shared &&
                       summary.at("messages").get<double>() > 0.0;
    if (summary.at("time") == "wall") leave_out_what_was_measured(file, start);
    if (!sends || summary.at("time") != "wall") return;
    const auto& rate = summary.at("samples_per_second");
    if (rate.is_number() && rate.get<double>() > 0.0) start.measured_rate = rate.get<double>();
  } catch (const nlohmann::json::exception&) {
    throw wrong("is not the summary of a run as --out leaves it");
  }
}

/// As many as its model on its data has, and what a minibatch of it takes.
void take_model(AdvisedStart& start) {
  const Configuration training = advised_training(start.configuration);
  const LoadedData data = load_dataset(dataset_request(training));
  const AdvisedModel model = advised_model(training, data);
  start.parameters = model.parameters;
  if (!start.configuration.compute_time) set_compute_time(model.compute_time, start);
}

/// Of the machines and links that it describes.
void remark_on_ignored(const fs::path& file, AdvisedStart& start) {
  for (const std::string& name : unadvised_options(start.configuration)) {
    start.notes.push_back(fmt::format("note: {} of {} has no effect: advice does not look at it",
                                      name, file.string()));
  }
}

}  // namespace

AdvisedStart advised_start(const fs::path& file, bool needs_model) {
  AdvisedStart start{.configuration = default_configuration()};
  Configuration& c = start.configuration;
  const std::optional<fs::path> run = folder_of_run(file);
  if (!run && is_data_file(file)) {
    c.dataset = file.string();
    c.given.emplace_back("dataset");
  } else {
    std::vector<ContestantTable> left_out;
    read_configuration(run ? *run / "config.toml" : file, c, &left_out);
  }
  if (run) take_summary(*run / "summary.json", start);
  if (!start.parameters && needs_model) take_model(start);
  remark_on_ignored(file, start);
  return start;
}

}  // namespace trainyard::app
