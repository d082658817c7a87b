#include "app/predict_flags.hpp"

#include <algorithm>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "trainyard/analysis/sweep.hpp"
#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/configuration/checked_number.hpp"
#include "trainyard/configuration/defaults.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/configuration/split.hpp"
#include "trainyard/data/catalog.hpp"
#include "trainyard/data/touched.hpp"
#include "trainyard/run/run.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "app/asked_setting.hpp"
#include "app/scheme_help.hpp"
#include "app/training_flags.hpp"

namespace trainyard::app {

namespace {

/// Whether a value of --density is a share, and not the name of a data set.
bool is_share(const std::string& text) {
  return text.find_first_not_of("0123456789.eE+-") == std::string::npos;
}

}  // namespace

PredictFlags::PredictFlags(CLI::App& command) {
  schemes_ = add_value_flag(
      command, "schemes", "A,B,…",
      "like ring,all-reduce:tree,local-sgd{period=8},all-decentralised; also systems, "
      "like petuum [all]");
  size_ = add_value_flag(command, "size", "SIZE", "of the model, like 100MB [1MiB]");
  rows_ = add_value_flag(command, "rows", "R", "of an epoch [60000]");
  density_ = add_value_flag(command, "density", "SHARE|DATASET",
                            "of the data, whose minibatches some schemes send by keys: nonzeros of "
                            "a row by features, or a data set, with its --size and --rows [1]");
  vary_ = add_value_flag(command, "vary", "NAME=A,B,…|A:B",
                         "an option below, or size: each scheme at each value; marks where the "
                         "cheapest scheme changes");
  for (const Option* option : options_taken_by(taker::predict)) {
    const bool is_time = option->name == "compute-time";
    options_.push_back(option->argument.empty()
                           ? add_switch(command, option->name, option->help)
                           : add_value_flag(command, option->name,
                                            is_time ? "DURATION" : option->argument,
                                            is_time ? "what a minibatch takes" : option->help));
    if (option->section == "scheme") options_.back()->group("[scheme]");
  }
  split_ =
      add_value_flag(command, "split", "dp=D,pp=P,tp=T|all",
                     "the workers and how they divide a model; all: every way to, with --model "
                     "on --dataset, and the ten best");
  for (const char* name : {"dataset", "data-dir", "model"}) {
    const Option& option = option_named(name);
    of_splits_.push_back(add_value_flag(
        command, option.name, option.argument,
        (option.name == "data-dir" ? "--density, --split all: " : "--split all: ") + option.help));
  }
  reduce_rate_ = add_value_flag(command, "reduce-rate", "RATE",
                                "of the formulas of one exchange: adding models [10GiB/s]");
  update_rate_ = add_value_flag(command, "update-rate", "RATE",
                                "of the formulas of one exchange: optimizer steps [2GiB/s]");
  break_even_ = add_switch(command, "break-even",
                           "the bandwidth below which each codec pays, in schemes that encode");
  noise_ratio_ = add_value_flag(
      command, "noise-ratio", "S",
      "how many of the fastest workers are worth using, where --straggler says who is slow; S: "
      "the variance of a minibatch's gradient by the squared norm that it is to come to");
  compute_share_.emplace(command);
  checkpoints_.emplace(command);
  training_time_.emplace(command);
  output_.emplace(command, "as JSON", AnswerFiles::page);
  command.footer(
      scheme_help_note("predict --schemes ssp") +
      "Without flags: 8 workers, 1 server, 1ms a minibatch, 100us a message, 1Gbps. Nothing is\n"
      "trained. With --vary and no --schemes: ps-sync, ring, all-reduce:tree and gossip:ring.");
}

bool PredictFlags::all_splits() const {
  return split_->count() > 0 && only_value(*split_) == "all";
}

PredictionSetting PredictFlags::setting() const {
  PredictionSetting setting = default_prediction();
  std::vector<const CLI::Option*> flags(options_.begin(), options_.end());
  flags.insert(flags.end(), of_splits_.begin(), of_splits_.end());
  (void)only_value(*split_);
  if (!all_splits()) flags.push_back(split_);
  for (const CLI::Option* flag : flags) {
    const std::string name = flag->get_single_name();
    const Option& option = option_named(name);
    const std::string text = option.argument.empty() ? switch_value(*flag) : only_value(*flag);
    if (flag->count() == 0) continue;
    option.set(setting.configuration, text, flag->get_name());
    setting.configuration.given.push_back(name);
  }
  if (!setting.configuration.compute_time) {
    throw UsageError("--compute-time: a prediction takes a duration, like 3ms");
  }
  check_split(setting.configuration);
  take_density(setting);
  if (const std::string text = only_value(*size_); size_->count() > 0) {
    setting.parameters = parameters_of_size(text);
  }
  if (const std::string text = only_value(*rows_); rows_->count() > 0) {
    setting.rows =
        static_cast<std::uint64_t>(parse_integer(text, "--rows", 1, 1'000'000'000'000'000));
  }
  return setting;
}

/// Read once: questions are asked of the flags several times.
const Dataset& PredictFlags::data_of(const Configuration& configuration) const {
  if (!data_) data_ = load_dataset(dataset_request(configuration)).train;
  return *data_;
}

/// --density, and what the data set says of the other flags where they are not given.
void PredictFlags::take_density(PredictionSetting& setting) const {
  const std::string text = only_value(*density_);
  if (density_->count() == 0) return;
  if (is_share(text)) {
    const double share = checked_number(
        text, "--density", [](double value) { return value > 0.0 && value <= 1.0; },
        "above 0 and at most 1");
    setting.touched_by = [share](std::size_t rows) { return touched_share(share, rows); };
    return;
  }
  Configuration c = setting.configuration;
  option_named("dataset").set(c, text, "--density");
  const Dataset& data = data_of(c);
  // Each asked for many times, and counted once.
  const auto known = std::make_shared<std::map<std::size_t, double>>();
  setting.touched_by = [&data, known](std::size_t rows) {
    const auto [at, is_new] = known->try_emplace(rows);
    if (is_new) at->second = touched_share(data, rows);
    return at->second;
  };
  setting.rows = data.rows;
  setting.parameters = data.features;
  if (data.classes > 2) setting.parameters *= static_cast<std::size_t>(data.classes);
}

std::optional<Variation> PredictFlags::varied() const {
  const std::string text = only_value(*vary_);
  if (vary_->count() == 0) return std::nullopt;
  Variation varied = parse_variation(text, predicted_quantities());
  std::vector<const CLI::Option*> flags(options_.begin(), options_.end());
  flags.push_back(size_);
  for (const CLI::Option* flag : flags) {
    if (flag->get_single_name() != varied.option || flag->count() == 0) continue;
    throw UsageError(fmt::format("--vary: {} is given beside; either it is varied or it is given",
                                 flag->get_name()));
  }
  return varied;
}

std::vector<Contestant> PredictFlags::contestants() const {
  const IngredientNames given = setting().configuration.ingredients;
  const std::optional<Variation> varied = this->varied();
  const std::string names = schemes_->count() > 0 ? only_value(*schemes_)
                            : varied              ? "ps-sync,ring,all-reduce:tree,gossip:ring"
                                                  : "all";
  return predicted_contestants(names, given, varied ? varied->option : "");
}

PredictQuestion PredictFlags::question() const {
  const auto rate = [](const CLI::Option& flag) -> std::optional<double> {
    const std::string text = only_value(flag);
    if (flag.count() == 0) return std::nullopt;
    return parse_bandwidth(text, flag.get_name());
  };
  return {.setting = setting(),
          .contestants = contestants(),
          .varied = varied(),
          .reduce_rate = rate(*reduce_rate_),
          .update_rate = rate(*update_rate_),
          .output = output()};
}

std::vector<CodedScheme> PredictFlags::coded_schemes() const {
  const auto flag = std::ranges::find(options_, "codec", &CLI::Option::get_single_name);
  std::vector<std::string> codecs;
  if ((*flag)->count() > 0) codecs.push_back(only_value(**flag));
  return trainyard::coded_schemes(schemes_->count() == 0 ? "" : only_value(*schemes_), codecs,
                                  setting().configuration.ingredients);
}

/// Those whose steps are asked for, or whose codecs are.
std::vector<Contestant> PredictFlags::asked_schemes() const {
  if (!break_even()) return contestants();
  std::vector<Contestant> all;
  for (const CodedScheme& each : coded_schemes()) all.push_back(each.scheme);
  return all;
}

bool PredictFlags::break_even() const {
  if (!is_given(*break_even_)) return false;
  if (vary_->count() > 0) {
    throw UsageError("--vary: --break-even is given beside; it varies the bandwidth by itself");
  }
  return true;
}

std::optional<double> PredictFlags::noise_ratio() const {
  const std::string text = only_value(*noise_ratio_);
  if (noise_ratio_->count() == 0) return std::nullopt;
  return checked_number(
      text, "--noise-ratio", [](double value) { return value >= 0.0 && value <= 1e15; },
      "from 0 to 1e15");
}

std::optional<TrainingTask> PredictFlags::training_task() const {
  return training_time_->task();
}

CheckpointQuestion PredictFlags::checkpoint_question() const {
  for (const CLI::Option* other : {vary_, break_even_}) {
    if (other->count() == 0) continue;
    throw UsageError(fmt::format(
        "{}: --checkpoint-time is given beside; they are questions of their own, each with a table",
        other->get_name()));
  }
  PredictionSetting setting = this->setting();
  const int workers = setting.configuration.workers;
  return {.task = checkpoints_->task(workers),
          .workers = checkpoints_->worker_failures(workers),
          .setting = std::move(setting),
          .contestants = schemes_->count() > 0 ? contestants() : std::vector<Contestant>{},
          .output = output_without_page("--checkpoint-time")};
}

AnswerOutput PredictFlags::output() const {
  AnswerOutput output = output_->read();
  output.notes = notes();
  return output;
}

AnswerOutput PredictFlags::output_without_page(std::string_view asked) const {
  AnswerOutput output = this->output();
  if (output.html.empty()) return output;
  throw UsageError(fmt::format("--html: {} is given beside, which has no page", asked));
}

std::vector<std::string> PredictFlags::notes_of_flags_in_vain(
    const std::vector<const CLI::Option*>& flags, std::string_view why) const {
  std::vector<std::string> notes;
  for (const CLI::Option* flag : flags) {
    if (flag->count() == 0) continue;
    notes.push_back(fmt::format("note: {} has no effect: {}", flag->get_name(), why));
  }
  for (std::string& note : output_->notes()) notes.push_back(std::move(note));
  return notes;
}

/// Notes with --training-time, --noise-ratio and --compute-share, which look at no scheme's steps,
/// and with --split all, which looks at one scheme's.
std::vector<std::string> PredictFlags::notes_of_other_questions() const {
  std::vector<const CLI::Option*> others{rows_,        density_,     schemes_,   vary_,
                                         reduce_rate_, update_rate_, break_even_};
  for (const CLI::Option* flag : checkpoints_->flags()) others.push_back(flag);
  const auto add_but = [&](const std::vector<std::string_view>& known) {
    for (const CLI::Option* flag : options_) {
      if (std::ranges::find(known, flag->get_single_name()) == known.end()) others.push_back(flag);
    }
  };
  if (!all_splits() || training_time()) {
    others.insert(others.end(), of_splits_.begin(), of_splits_.end());
    others.push_back(split_);
  }
  if (compute_share()) {
    add_but({"workers", "compute-time", "latency", "period", "fragments", "fragment-delay"});
    others.push_back(noise_ratio_);
    std::vector<std::string> notes =
        notes_of_flags_in_vain(others, "--compute-share is about a ring and how often it is used");
    for (std::string& note : training_time_->notes()) notes.push_back(std::move(note));
    return notes;
  }
  others.push_back(size_);
  if (training_time()) {
    add_but({});
    others.push_back(noise_ratio_);
    return notes_of_flags_in_vain(others, "--training-time is about arithmetic alone");
  }
  if (!all_splits()) {
    add_but({"workers", "compute-time", "straggler"});
    return notes_of_flags_in_vain(others, "--noise-ratio is about how fast workers compute");
  }
  add_but({"workers", "batch", "compute-time", "latency", "bandwidth", "microbatches",
           "charge-control"});
  others.push_back(noise_ratio_);
  return notes_of_flags_in_vain(others, "--split all is about gpipe and 1f1b on links alike");
}

namespace {

/// Notes on a variation that changes nobody's steps.
std::vector<std::string> notes_of_varied(const Variation& varied,
                                         const std::vector<Contestant>& contestants,
                                         const std::vector<OptionSetting>& settings) {
  if (varied.option == "size") return {};
  std::vector<OptionSetting> open;
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    const auto& own = contestants[i].settings;
    const bool has_own = std::ranges::count(own, varied.option, &OptionText::option) > 0;
    if (!has_own) open.push_back(settings[i]);
  }
  if (!open.empty()) return idle_notes(open, std::vector<std::string>{varied.option});
  return {fmt::format("note: --vary {} has no effect: each scheme has its own", varied.option)};
}

}  // namespace

/// Notes on flags that change the steps of nobody.
std::vector<std::string> PredictFlags::notes_of_steps() const {
  Configuration c = setting().configuration;
  c.time = TimeMode::simulated;
  const std::vector<Contestant> all = asked_schemes();
  std::vector<Configuration> configurations(all.size(), c);
  std::vector<OptionSetting> settings;
  for (std::size_t i = 0; i < all.size(); ++i) {
    apply(all[i], configurations[i]);
    settings.push_back({configurations[i], find_scheme(all[i].scheme)});
  }
  std::vector<std::string> given;
  for (const CLI::Option* flag : options_) {
    // The lower bounds have the period, whoever takes it.
    const bool has_bounds = !is_given(*break_even_) && !checkpoints();
    if (flag->get_single_name() == "period" && has_bounds) continue;
    if (flag->count() > 0) given.push_back(flag->get_single_name());
  }
  if (split_->count() > 0) given.emplace_back("split");
  std::vector<std::string> notes = idle_notes(settings, given);
  if (const std::optional<Variation> varied = this->varied()) {
    for (std::string& note : notes_of_varied(*varied, all, settings)) {
      notes.push_back(std::move(note));
    }
  }
  return notes;
}

/// Notes on what --split all reads, and --density of it.
std::vector<std::string> PredictFlags::notes_of_data() const {
  std::vector<std::string> notes;
  for (const CLI::Option* flag : of_splits_) {
    const bool is_used = data_ && flag->get_single_name() == "data-dir";
    if (flag->count() == 0 || is_used) continue;
    notes.push_back(fmt::format("note: {} has no effect: it is for --split all", flag->get_name()));
  }
  return notes;
}

/// Notes with --checkpoint-time, which looks at steps where --schemes says whose.
std::vector<std::string> PredictFlags::notes_of_checkpoints() const {
  std::vector<const CLI::Option*> others{rows_, reduce_rate_, update_rate_};
  std::vector<std::string> notes = training_time_->notes();
  const auto add = [&](std::vector<std::string> more) {
    notes.insert(notes.end(), more.begin(), more.end());
  };
  if (schemes_->count() > 0) {
    add(notes_of_steps());
    add(notes_of_data());
    add(notes_of_flags_in_vain(others, "--checkpoint-time is about intervals and steps alone"));
    return notes;
  }
  others.insert(others.end(), {size_, density_, split_});
  others.insert(others.end(), of_splits_.begin(), of_splits_.end());
  const bool of_workers = checkpoints_->worker_failures(1).has_value();
  for (const CLI::Option* flag : options_) {
    if (!of_workers || flag->get_single_name() != "workers") others.push_back(flag);
  }
  add(notes_of_flags_in_vain(others, "--checkpoint-time counts steps only of given --schemes"));
  return notes;
}

std::vector<std::string> PredictFlags::notes() const {
  if (compute_share() || training_time() || all_splits() || noise_ratio()) {
    return notes_of_other_questions();
  }
  if (checkpoints()) return notes_of_checkpoints();
  std::vector<std::string> notes = notes_of_steps();
  for (std::string& note : notes_of_data()) notes.push_back(std::move(note));
  for (std::string& note : checkpoints_->notes()) notes.push_back(std::move(note));
  for (std::string& note : training_time_->notes()) notes.push_back(std::move(note));
  for (std::string& note : output_->notes()) notes.push_back(std::move(note));
  return notes;
}

}  // namespace trainyard::app
