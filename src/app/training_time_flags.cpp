#include "app/training_time_flags.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/units.hpp"

#include "app/training_flags.hpp"

namespace trainyard::app {

namespace {

constexpr double most = 1e30;  // products of them are still numbers

}  // namespace

TrainingTimeFlags::TrainingTimeFlags(CLI::App& command) {
  switch_ = add_switch(command, "training-time",
                       "days that a language model trains, of published ones, or of the one that "
                       "the next five say");
  const auto add = [&](const char* name, const char* argument, const char* help,
                       double TrainingTask::*field, double high) {
    numbers_.push_back({add_value_flag(command, name, argument, help), field, high});
  };
  add("tokens", "T", "to train on, like 300e9", &TrainingTask::tokens, most);
  add("parameters", "P", "of the language model, like 175e9", &TrainingTask::parameters, most);
  add("devices", "N", "that train it, like 1024", &TrainingTask::devices, most);
  add("peak", "FLOPS", "of a device, FLOP/s, like 312e12", &TrainingTask::peak_flops, most);
  add("utilisation", "U", "share of its peak that a device reaches, like 0.45",
      &TrainingTask::utilisation, 1.0);
}

bool TrainingTimeFlags::asked() const {
  return is_given(*switch_);
}

std::optional<TrainingTask> TrainingTimeFlags::task() const {
  TrainingTask task;
  std::vector<std::string> missing;
  for (const Number& number : numbers_) {
    const std::string text = only_value(*number.flag);
    if (number.flag->count() == 0) {
      missing.push_back(number.flag->get_name());
      continue;
    }
    const double value = parse_number(text, number.flag->get_name());
    if (value <= 0.0 || value > number.high) {
      throw UsageError(fmt::format("{}: {} is not above 0 and at most {}", number.flag->get_name(),
                                   echoed(text), number.high));
    }
    task.*number.field = value;
  }
  if (missing.size() == numbers_.size()) return std::nullopt;
  if (!missing.empty()) {
    throw UsageError(
        fmt::format("--training-time: {} missing; it takes --tokens, --parameters, "
                    "--devices, --peak and --utilisation together, or none of them",
                    fmt::join(missing, ", ")));
  }
  return task;
}

std::vector<std::string> TrainingTimeFlags::notes() const {
  std::vector<std::string> notes;
  for (const Number& number : numbers_) {
    (void)only_value(*number.flag);
    if (asked() || number.flag->count() == 0) continue;
    notes.push_back(
        fmt::format("note: {} has no effect: it is for --training-time", number.flag->get_name()));
  }
  return notes;
}

}  // namespace trainyard::app
