#include "web/lab_question.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "trainyard/base/echoed.hpp"
#include "trainyard/configuration/defaults.hpp"
#include "trainyard/configuration/labs.hpp"
#include "trainyard/model/model.hpp"
#include "trainyard/run/resolve.hpp"
#include "trainyard/run/run.hpp"

#include "web/lab_limits.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::ordered_json;  // options in the order of the page

Json parse_body(std::string_view body) {
  constexpr bool throws = false;
  Json json = Json::parse(body.begin(), body.end(), nullptr, throws);
  if (!json.is_object()) throw UsageError("the question is no JSON object");
  static const std::vector<std::string> keys{"schemes", "options", "lab",     "data",
                                             "seeds",   "client",  "question"};
  for (const auto& [key, value] : json.items()) {
    if (std::ranges::count(keys, key) > 0) continue;
    throw UsageError(
        fmt::format("{} is no part of a question; these are: {}", echoed(key), joined(keys)));
  }
  return json;
}

/// Empty where it is not there.
std::string text_of(const Json& json, const char* key, std::size_t longest) {
  const auto found = json.find(key);
  if (found == json.end()) return "";
  if (!found->is_string()) throw UsageError(fmt::format("{}: not a text", key));
  auto text = found->get<std::string>();
  if (text.size() > longest) {
    throw UsageError(fmt::format("{}: longer than {} bytes", key, longest));
  }
  return text;
}

std::uint64_t whole_of(const Json& json, const char* key, std::uint64_t fallback) {
  const auto found = json.find(key);
  if (found == json.end()) return fallback;
  if (!found->is_number_unsigned()) {
    throw UsageError(fmt::format("{}: not a whole number from 0", key));
  }
  return found->get<std::uint64_t>();
}

std::vector<OptionText> options_of(const Json& json) {
  std::vector<OptionText> all;
  const auto found = json.find("options");
  if (found == json.end()) return all;
  if (!found->is_object()) throw UsageError("options: not an object");
  for (const auto& [name, value] : found->items()) {
    if (!value.is_string()) {
      throw UsageError(fmt::format("options: {}: not a text, like \"1ms\"", echoed(name)));
    }
    all.push_back({name, value.get<std::string>()});
    check_lab_option(all.back());
    // A switch is there, as on the command line.
    if (all.back().text.empty()) all.back().text = "true";
  }
  return all;
}

/// The configuration of a question before its own options.
struct Base {
  const Lab* lab = nullptr;
  const UploadedData* upload = nullptr;
  std::vector<OptionText> options;
};

Configuration configuration_over(Configuration c, const Base& base,
                                 std::vector<ContestantTable>& tables) {
  if (base.lab != nullptr) {
    parse_configuration(base.lab->text, "lab:" + base.lab->name, c, &tables);
  }
  if (base.upload != nullptr) {
    c.dataset = base.upload->file.string();
    c.data_format = base.upload->format;
    for (const auto& [name, text] : base.upload->options) {
      option_named(name).set(c, text, "--" + name);
    }
  }
  for (const auto& [name, text] : base.options) {
    if (name == "dataset" && base.upload != nullptr) {
      throw OptionError("dataset", "data are uploaded, too; either of them is accepted");
    }
    option_named(name).set(c, text, "--" + name);
    if (std::ranges::count(c.given, name) == 0) c.given.push_back(name);
  }
  return c;
}

/// Over the defaults of its data set, as on the command line.
Configuration configuration_of(const Base& base, std::vector<ContestantTable>& tables) {
  Configuration c = configuration_over(default_configuration(), base, tables);
  if (is_on_built_in_set(c)) {
    tables.clear();
    c = configuration_over(built_in_defaults(), base, tables);
  }
  c.time = TimeMode::simulated;
  if (!c.compute_time) c.compute_time = default_compute_time;
  return c;
}

const Lab* lab_named(const std::string& name) {
  if (name.empty()) return nullptr;
  (void)lab_text("lab:" + name);  // says which there are, where there is none of that name
  return &*std::ranges::find(labs(), name, &Lab::name);
}

std::vector<Contestant> contestants_of(const std::string& schemes,
                                       const std::vector<ContestantTable>& tables) {
  std::vector<Contestant> all = !schemes.empty()  ? parse_contestants(schemes, check_lab_option)
                                : !tables.empty() ? contestants_of(tables)
                                                  : basic_contestants();
  if (all.size() > most_lab_contestants) {
    throw OptionError("schemes", fmt::format("{} contestants; the lab compares up to {}",
                                             all.size(), most_lab_contestants));
  }
  return all;
}

void check_count(const char* option, int count) {
  if (count <= most_lab_workers) return;
  throw OptionError(option,
                    fmt::format("{} are more than the {} of the lab", count, most_lab_workers));
}

/// With what the contestant has for itself.
Configuration of_contestant(const ComparisonRequest& request, const Contestant& contestant) {
  Configuration c = request.configuration;
  apply(contestant, c);
  return c;
}

void check_contestants(const ComparisonRequest& request) {
  const DatasetRequest data = dataset_request(request.configuration);
  for (const Contestant& contestant : request.contestants) {
    const Configuration c = of_contestant(request, contestant);
    check_count("workers", c.workers);
    check_count("servers", servers_of(c));
    if (dataset_request(c) != data) {
      throw OptionError("schemes", fmt::format("{}: contestants of the lab share their data",
                                               echoed(contestant.label)));
    }
  }
}

/// Of all rows together.
double work_of_row(const Model& model, const Dataset& train) {
  const double cells = static_cast<double>(train.rows) * static_cast<double>(train.features);
  const double density = static_cast<double>(train.nonzeros()) / std::max(1.0, cells);
  return static_cast<double>(model.dimension()) * density;
}

void check_model_size(const Configuration& c, const Model& model, const LoadedData& data) {
  const auto parameters = static_cast<double>(model.dimension());
  if (model.dimension() > most_lab_parameters) {
    throw OptionError("model", fmt::format("{} parameters are more than the {} of the lab",
                                           model.dimension(), most_lab_parameters));
  }
  const double bytes =
      parameters * static_cast<double>(bytes_of(model.scalar())) * c.workers * (2.0 + c.workers);
  if (bytes > most_lab_bytes) {
    throw OptionError("workers",
                      fmt::format("{} replicas of {} parameters, and what they send each other, "
                                  "are more than the lab has room for",
                                  c.workers, model.dimension()));
  }
  const double row = work_of_row(model, data.train);
  const double batch = c.global_batch ? static_cast<double>(*c.global_batch) / c.workers
                                      : static_cast<double>(c.batch);
  if (batch * row > most_lab_minibatch_work) {
    throw OptionError("batch", fmt::format("{:.0f} rows of {} parameters take the lab too long",
                                           batch, model.dimension()));
  }
  const auto rows = static_cast<double>(data.train.rows + data.test.rows);
  if (rows * row > most_lab_evaluation_work) {
    throw OptionError("model", fmt::format("evaluating {} parameters on {:.0f} rows takes the lab "
                                           "too long",
                                           model.dimension(), rows));
  }
}

/// Passes over the data that a run makes at most.
double most_epochs(const Configuration& c, const LoadedData& data) {
  const double batch = c.global_batch ? static_cast<double>(*c.global_batch)
                                      : static_cast<double>(c.batch) * c.workers;
  const double epochs_a_step = batch / static_cast<double>(data.train.rows);
  double most = c.epochs.value_or(HUGE_VAL);
  if (c.steps) most = std::min(most, static_cast<double>(*c.steps) * epochs_a_step);
  if (c.seconds && c.compute_time->count() > 0) {
    // Nobody computes faster than that, stragglers and pauses apart.
    most = std::min(most, to_seconds(*c.seconds) / to_seconds(*c.compute_time) * epochs_a_step);
  }
  return most;
}

/// A value that somebody gives is accepted or refused; the default is made larger.
void space_evaluations(Configuration& c, const LoadedData& data, bool asked) {
  const bool open = !c.epochs && !c.steps && !c.seconds;
  const double epochs = open ? (has_target(c) ? 200.0 : 10.0) : most_epochs(c, data);
  if (!std::isfinite(epochs)) {
    throw OptionError("seconds", "nothing says how many steps that is; give epochs or steps, too");
  }
  const double least = epochs / most_lab_evaluations;
  if (c.evaluate_every >= least) return;
  if (asked) {
    throw OptionError(
        "evaluate-every",
        fmt::format("{} evaluates {:.0f} times; the lab does up to {:.0f} times, which is every "
                    "{:.6g} epochs",
                    c.evaluate_every, epochs / c.evaluate_every, most_lab_evaluations, least));
  }
  c.evaluate_every = least;
}

}  // namespace

LabQuestion parse_lab_question(std::string_view body, const FindUpload& find_upload) {
  const Json json = parse_body(body);
  LabQuestion question;
  question.client = text_of(json, "client", most_client_text);
  question.number = whole_of(json, "question", 0);
  Base base{.lab = lab_named(text_of(json, "lab", most_option_text)),
            .upload = nullptr,
            .options = options_of(json)};
  if (const std::string token = text_of(json, "data", most_option_text); !token.empty()) {
    question.upload = find_upload(token);
    if (question.upload == nullptr) {
      throw UsageError("data: not there (any more); upload the file again");
    }
    base.upload = question.upload.get();
  }
  const std::uint64_t seeds = whole_of(json, "seeds", 1);
  if (seeds < 1 || seeds > static_cast<std::uint64_t>(most_lab_seeds)) {
    throw OptionError("seeds", fmt::format("{} is not from 1 to {}", seeds, most_lab_seeds));
  }
  std::vector<ContestantTable> tables;
  ComparisonRequest& request = question.request;
  request.configuration = configuration_of(base, tables);
  request.contestants = contestants_of(text_of(json, "schemes", most_schemes_text), tables);
  request.options.seeds = static_cast<int>(seeds);
  check_contestants(request);
  return question;
}

void bound_lab_question(LabQuestion& question, const LoadedData& data) {
  ComparisonRequest& request = question.request;
  const auto asks_evaluations = [](const auto& names) {
    return std::ranges::count(names, "evaluate-every") > 0;
  };
  for (const Contestant& contestant : request.contestants) {
    Configuration c = of_contestant(request, contestant);
    c.model = model_name(c, data);
    const std::unique_ptr<Model> model = make_model({c.model, c.l2, c.l1}, data.train);
    check_model_size(c, *model, data);
    const bool own =
        std::ranges::count(contestant.settings, "evaluate-every", &OptionText::option) > 0;
    space_evaluations(c, data, own || asks_evaluations(request.configuration.given));
    // The contestants' points are at the same epochs.
    if (!own) request.configuration.evaluate_every = c.evaluate_every;
  }
}

std::string option_of(const UsageError& error) {
  if (const auto* of_option = dynamic_cast<const OptionError*>(&error)) return of_option->option();
  const std::string_view message = error.what();
  if (!message.starts_with("--")) return "";
  const std::string_view name = message.substr(2, message.find_first_of(": ") - 2);
  const bool known = name == "schemes" || std::ranges::count(options(), name, &Option::name) > 0;
  return known ? std::string(name) : "";
}

}  // namespace trainyard
