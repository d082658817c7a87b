#include "app/advise_flags.hpp"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/configuration/checked_number.hpp"
#include "trainyard/configuration/options.hpp"

#include "app/asked_setting.hpp"
#include "app/training_flags.hpp"

namespace trainyard::app {

namespace {

// Those of a prediction that say what the machines and links are like.
constexpr std::array<std::string_view, 15> taken{
    "workers",   "servers",          "batch", "compute-time",    "latency",           "bandwidth",
    "ports",     "server-placement", "racks", "between-latency", "between-bandwidth", "jitter",
    "straggler", "compute-noise",    "pause"};

double positive_number(const CLI::Option& flag, const std::string& text) {
  return checked_number(
      text, flag.get_name(), [](double value) { return value > 0.0 && value < 1e18; },
      "above 0 and below 1e18");
}

}  // namespace

AdviseFlags::AdviseFlags(CLI::App& command) {
  size_ = add_value_flag(command, "size", "SIZE", "of the model, like 100MB [1MiB]");
  for (const std::string_view name : taken) {
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
  noise_scale_ = add_value_flag(command, "noise-scale", "ROWS",
                                "of the gradient, as a run with --gradient-noise prints it: how "
                                "many workers are worth having");
  output_.emplace(command, "as JSON", AnswerFiles::none);
  command.footer(
      "Without flags: 8 workers, 1 server, 1ms a minibatch, 100us a message, 1Gbps. Nothing is\n"
      "trained: how many passes over the data a scheme needs, `compare` measures.");
}

AdviceQuestion AdviseFlags::question() const {
  AdviceQuestion question{.setting = default_prediction()};
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
  if (const std::string text = only_value(*noise_scale_); noise_scale_->count() > 0) {
    question.noise_scale = positive_number(*noise_scale_, text);
  }
  return question;
}

AnswerOutput AdviseFlags::output() const {
  return output_->read();
}

std::vector<std::string> AdviseFlags::notes() const {
  std::vector<std::string> notes = output_->notes();
  if (scheme_->count() > 0 && measured_->count() == 0) {
    notes.emplace_back("note: --scheme has no effect: it says whose rate is --measured");
  }
  return notes;
}

}  // namespace trainyard::app
