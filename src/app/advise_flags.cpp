#include "app/advise_flags.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include <fmt/format.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/configuration/checked_number.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/hardware/machine.hpp"
#include "trainyard/run/run.hpp"
#include "trainyard/study/advised_training.hpp"

#include "app/asked_setting.hpp"
#include "app/training_flags.hpp"

namespace trainyard::app {

namespace {

double positive_number(const CLI::Option& flag, const std::string& text) {
  return checked_number(
      text, flag.get_name(), [](double value) { return value > 0.0 && value < 1e18; },
      "above 0 and below 1e18");
}

/// As it is typed: "local-sgd{period=8}".
Contestant contestant_of(const Configuration& c) {
  std::string settings;
  for (const auto& [name, value] : c.hyperparameters) {
    settings += fmt::format("{}{}={:.10g}", settings.empty() ? "" : ",", name, value);
  }
  const std::string text =
      settings.empty() ? c.scheme : fmt::format("{}{{{}}}", c.scheme, settings);
  return predicted_contestants(text, c.ingredients).front();
}

}  // namespace

AdviseFlags::AdviseFlags(CLI::App& command) {
  file_ =
      command
          .add_option("FILE",
                      "a configuration (TOML), data, or the folder of a saved run, of which the "
                      "flags below change what they say")
          ->type_name("");
  size_ = add_value_flag(command, "size", "SIZE", "of the model, like 100MB [1MiB]");
  machines_ = add_value_flag(command, "machines", "separate|shared",
                             "shared: workers are threads of this machine and share its memory; "
                             "which way, and how many, is measured to a target [separate]");
  for (const std::string_view name : advised_options()) {
    const Option& option = option_named(std::string(name));
    const bool is_time = name == "compute-time";
    options_.push_back(
        add_value_flag(command, option.name, is_time ? "DURATION" : option.argument,
                       is_time ? "what a minibatch of one worker takes, alone" : option.help));
  }
  measured_ = add_value_flag(command, "measured", "RATE",
                             "rows a second of all workers, as measured: what would explain it");
  scheme_ = add_value_flag(command, "scheme", "NAME",
                           "of --measured: how they talk, like ring [the fastest here]");
  noise_scale_ =
      add_value_flag(command, "noise-scale", "ROWS|measured",
                     "of the gradient, as a run with --gradient-noise prints it, or as "
                     "a pass over FILE's data has it: how many workers are worth having");
  memory_ = add_value_flag(command, "memory", "SIZE",
                           "of each worker, like 16GiB: schemes that need more for the model, its "
                           "gradient and what steps it are left out");
  optimizer_ =
      add_value_flag(command, "optimizer", option_named("optimizer").argument,
                     "of --memory: whose state a worker keeps; and of the runs to a target");
  for (const char* name : {"target-loss", "target-accuracy"}) {
    targets_.push_back(add_value_flag(command, name, "X",
                                      "of FILE's data: train each way to talk to it, and list them "
                                      "by the time to it"));
  }
  epochs_ = add_value_flag(command, "epochs", "E",
                           fmt::format("of those runs: passes at most [{}]", advised_epochs));
  seeds_ = add_value_flag(
      command, "seeds", "K",
      fmt::format("of those runs: so many each [{}, and {} or {} of who may be first; "
                  "with --machines shared {}]",
                  advised_seeds, seeds_of_finalists, times_more_where_open * seeds_of_finalists,
                  advised_seeds));
  checkpoints_.emplace(command, "and how many steps of the fastest scheme that is");
  output_.emplace(command, "as JSON", AnswerFiles::page);
  command.footer(
      "Without flags: 8 workers, 1 server, 1ms a minibatch, 100us a message, 1Gbps. Nothing is\n"
      "trained unless a target is named: how many passes over the data a scheme needs is not "
      "known\n"
      "otherwise. Of a configuration or data without --size, the data are read, and a minibatch "
      "is\n"
      "measured where nothing says what it takes.");
}

const AdvisedStart& AdviseFlags::start() const {
  if (!start_) {
    const std::string file = only_word(*file_);
    const bool needs_model = size_->count() == 0 && !is_of_one_machine();
    start_ = file.empty() ? AdvisedStart{} : advised_start(file, needs_model);
  }
  return *start_;
}

/// What the file says of machines, links and model.
void AdviseFlags::take_start(AdviceQuestion& question) const {
  Configuration& c = question.setting.configuration;
  for (const CLI::Option* flag : options_) {
    const std::string name = flag->get_single_name();
    const Configuration& said = start().configuration;
    if (std::ranges::count(said.given, name) == 0 || flag->count() > 0) continue;
    const Option& option = option_named(name);
    option.set(c, option.get(said), "--" + name);
    c.given.push_back(name);
  }
  if (start().parameters) question.setting.parameters = *start().parameters;
}

AdviceQuestion AdviseFlags::question() const {
  AdviceQuestion question{.setting = default_prediction()};
  take_start(question);
  Configuration& c = question.setting.configuration;
  for (const CLI::Option* flag : options_) {
    const std::string text = only_value(*flag);
    if (flag->count() == 0) continue;
    option_named(flag->get_single_name()).set(c, text, flag->get_name());
    c.given.push_back(flag->get_single_name());
  }
  if (!c.compute_time || *c.compute_time == Duration{0}) {
    throw UsageError("--compute-time: takes a duration above 0 here, like 3ms");
  }
  if (const std::string text = only_value(*size_); size_->count() > 0) {
    question.setting.parameters = parameters_of_size(text);
  }
  take_measured(question);
  if (const std::string text = only_value(*noise_scale_); noise_scale_->count() > 0) {
    question.noise_scale = measures_noise() ? noise().mean : positive_number(*noise_scale_, text);
  }
  take_memory(question);
  if (checkpoints_->asked()) question.checkpoints = checkpoints_->task(c.workers);
  return question;
}

bool AdviseFlags::measures_noise() const {
  return noise_scale_->count() > 0 && only_value(*noise_scale_) == "measured";
}

const MeasuredNoise& AdviseFlags::noise() const {
  if (only_word(*file_).empty()) {
    throw UsageError(
        "--noise-scale measured: of which data? expected a configuration or data before it");
  }
  if (!noise_) {
    const Configuration training = advised_training(start().configuration);
    noise_ = measured_noise(training, load_dataset(dataset_request(training)));
  }
  return *noise_;
}

void AdviseFlags::take_memory(AdviceQuestion& question) const {
  if (const std::string text = only_value(*memory_); memory_->count() > 0) {
    question.memory_bytes = parse_bytes(text, "--memory");
  }
  question.optimizer = start().configuration.optimizer;
  if (const std::string text = only_value(*optimizer_); optimizer_->count() > 0) {
    question.optimizer = {.kind = parse_optimizer(text, "--optimizer")};
  }
}

/// The flag, but for a minibatch's time, that makes another setting than the saved run's; nullptr:
/// none.
const CLI::Option* AdviseFlags::other_setting() const {
  const auto found = std::ranges::find_if(options_, [](const CLI::Option* flag) {
    return flag->count() > 0 && flag->get_single_name() != "compute-time";
  });
  return found == options_.end() ? nullptr : *found;
}

/// Of the flags, or of the run that was saved.
void AdviseFlags::take_measured(AdviceQuestion& question) const {
  if (measured_->count() == 0 && start().measured_rate && other_setting() == nullptr) {
    question.measured_rate = start().measured_rate;
    question.measured = contestant_of(start().configuration);
  }
  if (const std::string text = only_value(*measured_); measured_->count() > 0) {
    question.measured_rate = positive_number(*measured_, text);
  }
  if (const std::string text = only_value(*scheme_); scheme_->count() > 0) {
    const std::vector<Contestant> named = predicted_contestants(text);
    if (named.size() != 1) {
      throw UsageError(fmt::format("--scheme: {} is {} ways to talk; name one, like {}", text,
                                   named.size(), named.front().label));
    }
    question.measured = named.front();
  }
}

/// Of a file's data, to a target that is named.
std::optional<AdvisedTraining> AdviseFlags::training() const {
  const auto is_given = [](const CLI::Option* flag) { return flag->count() > 0; };
  const auto target = std::ranges::find_if(targets_, is_given);
  if (target == targets_.end()) return std::nullopt;
  if (only_word(*file_).empty()) {
    throw UsageError(fmt::format("{}: of which data? expected a configuration or data before it",
                                 (*target)->get_name()));
  }
  if (std::ranges::all_of(targets_, is_given)) {
    throw UsageError("--target-accuracy: --target-loss is given as well; one of them is accepted");
  }
  AdvisedTraining training{.configuration = advised_training(start().configuration)};
  Configuration& c = training.configuration;
  c.target_loss = c.target_accuracy = c.target_gradient = std::nullopt;
  const std::string name = (*target)->get_single_name();
  option_named(name).set(c, only_value(**target), "--" + name);
  if (const std::string epochs = only_value(*epochs_); epochs_->count() > 0) {
    option_named("epochs").set(c, epochs, "--epochs");
    c.given.emplace_back("epochs");
  }
  if (const std::string kind = only_value(*optimizer_); optimizer_->count() > 0) {
    c.optimizer.kind = parse_optimizer(kind, "--optimizer");
  }
  run_to_target(c);
  if (const std::string seeds = only_value(*seeds_); seeds_->count() > 0) {
    training.seeds = training.finalists = static_cast<int>(parse_integer(seeds, "--seeds", 1, 100));
  }
  return training;
}

bool AdviseFlags::is_of_one_machine() const {
  const std::string text = only_value(*machines_);
  if (machines_->count() == 0 || text == "separate") return false;
  if (text == "shared") return true;
  throw UsageError(fmt::format("--machines: {} is neither separate nor shared", echoed(text)));
}

AdviseRequest AdviseFlags::request_of_one_machine() const {
  AdviseRequest request;
  request.training = training();
  request.output = output_->read();
  if (!request.training) {
    throw UsageError(
        "--machines shared: each way is trained on this machine until a target; expected data and "
        "--target-loss or --target-accuracy");
  }
  if (!request.output.html.empty()) {
    throw UsageError(
        "--html: draws what machines apart can do; with --machines shared there is text or --json");
  }
  Configuration& c = request.training->configuration;
  c.workers = this_machine().cores;
  for (const CLI::Option* flag : options_) {
    const std::string name = flag->get_single_name();
    if (flag->count() == 0 || (name != "workers" && name != "batch")) continue;
    option_named(name).set(c, only_value(*flag), flag->get_name());
  }
  request.cores = c.workers;
  return request;
}

AdviseRequest AdviseFlags::request() const {
  if (is_of_one_machine()) return request_of_one_machine();
  return {.question = question(), .training = training(), .output = output_->read()};
}

/// Of one machine nothing is asked but data, target, threads and minibatch. What else is given has
/// to make sense all the same.
std::vector<std::string> AdviseFlags::notes_of_one_machine() const {
  std::vector<std::string> notes = output_->notes();
  std::vector<const CLI::Option*> idle{size_, measured_, scheme_, noise_scale_, memory_};
  std::ranges::copy_if(options_, std::back_inserter(idle), [](const CLI::Option* flag) {
    const std::string& name = flag->get_single_name();
    return name != "workers" && name != "batch";
  });
  Configuration unused;
  for (const CLI::Option* flag : options_) {
    if (flag->count() == 0) continue;
    option_named(flag->get_single_name()).set(unused, only_value(*flag), flag->get_name());
  }
  if (size_->count() > 0) (void)parameters_of_size(only_value(*size_));
  if (memory_->count() > 0) (void)parse_bytes(only_value(*memory_), "--memory");
  for (const CLI::Option* flag : {measured_, noise_scale_}) {
    if (flag->count() == 0 || (flag == noise_scale_ && measures_noise())) continue;
    (void)positive_number(*flag, only_value(*flag));
  }
  const auto add_idle = [&](const std::string& flag) {
    notes.push_back(fmt::format(
        "note: {} has no effect: with --machines shared everything is measured on this machine",
        flag));
  };
  for (const CLI::Option* flag : idle) {
    if (flag->count() > 0) add_idle(flag->get_name());
  }
  if (checkpoints_->asked()) add_idle("--checkpoint-time");
  notes.insert(notes.end(), start().notes.begin(), start().notes.end());
  return notes;
}

std::vector<std::string> AdviseFlags::notes() const {
  if (is_of_one_machine()) return notes_of_one_machine();
  std::vector<std::string> notes = output_->notes();
  const auto add = [&](const std::vector<std::string>& more) {
    notes.insert(notes.end(), more.begin(), more.end());
  };
  add(start().notes);
  if (const CLI::Option* other = other_setting(); other != nullptr && start().measured_rate) {
    notes.push_back(
        fmt::format("note: the rate of the saved run is left aside: {} is another "
                    "setting than its own",
                    other->get_name()));
  }
  const auto gives = [&](const char* name) {
    return std::ranges::any_of(options_, [&](const CLI::Option* flag) {
      return flag->count() > 0 && flag->get_single_name() == name;
    });
  };
  if (gives("batch") && !gives("compute-time") && !only_word(*file_).empty()) {
    notes.push_back(
        fmt::format("note: a minibatch takes what one of {} takes in {}: with --batch "
                    "say --compute-time as well",
                    counted(start().configuration.batch, "row"), only_word(*file_)));
  }
  if (scheme_->count() > 0 && measured_->count() == 0 && !start().measured_rate) {
    notes.emplace_back("note: --scheme has no effect: it says whose rate is --measured");
  }
  for (const CLI::Option* flag : {epochs_, seeds_}) {
    const auto none = [](const CLI::Option* target) { return target->count() == 0; };
    if (flag->count() == 0 || !std::ranges::all_of(targets_, none)) continue;
    notes.push_back(
        fmt::format("note: {} has no effect: it is of runs to a target, of which none "
                    "is named",
                    flag->get_name()));
  }
  if (measures_noise()) notes.push_back(noise_note(noise()));
  const bool trains =
      std::ranges::any_of(targets_, [](const CLI::Option* target) { return target->count() > 0; });
  if (optimizer_->count() > 0 && !trains && memory_->count() == 0) {
    notes.emplace_back("note: --optimizer has no effect: it is for --memory");
  }
  add(checkpoints_->notes());
  return notes;
}

}  // namespace trainyard::app
