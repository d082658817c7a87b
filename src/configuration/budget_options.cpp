#include <cctype>
#include <cstdint>
#include <optional>
#include <variant>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/configuration/checked_number.hpp"

#include "configuration/option_rows.hpp"

namespace trainyard {

namespace {

bool ends_with_unit(std::string_view text) {
  return !text.empty() && std::isalpha(static_cast<unsigned char>(text.back())) != 0;
}

bool countable_seconds(double value) {
  return value >= 1e-9 && value <= 9e6;
}

/// Exact to the picosecond, without an exponent.
std::string seconds_text(Duration duration) {
  constexpr std::int64_t ticks_a_second = 1'000'000'000'000;
  std::string text = fmt::format("{}.{:012}", duration.count() / ticks_a_second,
                                 duration.count() % ticks_a_second);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

/// A number, empty until it is given.
Option target_option(std::string name, std::string argument, std::string help,
                     std::optional<double> Configuration::*field, bool (*allowed)(double),
                     const char* expected) {
  return number_option(
      "run", std::move(name), std::move(argument), std::move(help),
      [=](Configuration& c, std::string_view t, std::string_view w) {
        c.*field = checked_number(t, w, allowed, expected);
      },
      [=](const Configuration& c) { return c.*field ? fmt::to_string(*(c.*field)) : ""; });
}

Option patience_option() {
  return number_option(
      "run", "patience", "K",
      "end after K evaluations in which --metric on validation rows got no better (of equals the "
      "lower loss is); the best model is kept, whenever the run ends",
      [](Configuration& c, std::string_view t, std::string_view w) {
        c.patience = static_cast<int>(parse_integer(t, w, 1, 1'000'000));
      },
      [](const Configuration& c) { return c.patience ? fmt::to_string(*c.patience) : ""; });
}

CheckpointInterval parse_interval(std::string_view text, std::string_view what) {
  if (!ends_with_unit(text)) return checked_number(text, what, positive, "greater than 0");
  const Duration time = parse_duration(text, what);
  if (time > Duration{0}) return time;
  throw UsageError(
      fmt::format("{}: {} is no time between checkpoints; greater than 0, or a number "
                  "of epochs, is accepted",
                  what, echoed(text)));
}

std::string interval_text(const std::optional<CheckpointInterval>& interval) {
  if (!interval) return "";
  const Duration* const time = std::get_if<Duration>(&*interval);
  return time != nullptr ? exact_text(*time) : fmt::to_string(std::get<double>(*interval));
}

/// Where a run is cut into legs (run/checkpoint.hpp).
std::vector<Option> leg_options() {
  using C = Configuration;
  using Text = std::string_view;
  Option time{"run",
              "checkpoint-time",
              "DURATION",
              "in simulated time all ranks stand still for so long to make a checkpoint [0]",
              [](C& c, Text t, Text w) { c.checkpoint_time = parse_duration(t, w); },
              [](const C& c) { return c.checkpoint_time ? exact_text(*c.checkpoint_time) : ""; }};
  time.idle = [](const OptionSetting& s) {
    return s.configuration.checkpoint_every ? "" : "no checkpoints are made (--checkpoint-every)";
  };
  return {also(taker::lab,
               number_option(
                   "run", "checkpoint-every", "E|DURATION",
                   "make a checkpoint, for which all ranks meet, every E epochs, or when 10min of "
                   "the run's time have passed since the last; with --checkpoint alone every epoch",
                   [](C& c, Text t, Text w) { c.checkpoint_every = parse_interval(t, w); },
                   [](const C& c) { return interval_text(c.checkpoint_every); })),
          also(taker::one_process | taker::lab, std::move(time))};
}

}  // namespace

std::vector<Option> budget_options() {
  using C = Configuration;
  using Text = std::string_view;
  std::vector<Option> all{
      number_option(
          "run", "epochs", "E",
          "end after the steps of E passes over the data, by the rows of all workers that the "
          "model "
          "learns from [10; 200 with a target]",
          [](C& c, Text t, Text w) { c.epochs = checked_number(t, w, positive, "greater than 0"); },
          [](const C& c) { return c.epochs ? fmt::to_string(*c.epochs) : ""; }),
      also(taker::timeline,
           number_option(
               "run", "steps", "S", "end after S minibatches a worker",
               [](C& c, Text t, Text w) {
                 c.steps = static_cast<std::uint64_t>(parse_integer(t, w, 1, most_steps));
               },
               [](const C& c) {
                 // Nobody asked for so many where only the clock ends the run.
                 const bool is_bound =
                     c.steps && *c.steps >= static_cast<std::uint64_t>(most_steps);
                 return c.steps && !(is_bound && c.seconds) ? fmt::to_string(*c.steps) : "";
               })),
      number_option(
          "run", "seconds", "T", "end after T seconds of the run's clock; 5, or 5s, or 2min",
          [](C& c, Text t, Text w) {
            const double value =
                ends_with_unit(t) ? to_seconds(parse_duration(t, w)) : parse_number(t, w);
            if (!countable_seconds(value)) {
              throw UsageError(fmt::format("{}: {} is not from 1e-9 to 9000000 seconds (104 days)",
                                           w, echoed(t)));
            }
            c.seconds = seconds(value);
          },
          [](const C& c) { return c.seconds ? seconds_text(*c.seconds) : ""; }),
      target_option(
          "target-loss", "L", "end when the training loss is at or below L", &C::target_loss,
          [](double) { return true; }, "a number"),
      target_option(
          "target-accuracy", "A",
          "end when the accuracy on validation rows, or without any on test rows, is at or "
          "above A, like 0.85",
          &C::target_accuracy, [](double v) { return v > 0.0 && v <= 1.0; },
          "above 0 and at most 1"),
      target_option("target-gradient", "G",
                    "end when the squared norm of the training loss's gradient is at or below G",
                    &C::target_gradient, positive, "greater than 0"),
      patience_option(),
      {"run", "metric", "loss|accuracy|balanced-accuracy|f1|auc|average-precision|mae|r2",
       "what --patience goes by, and a column for test and validation rows (docs/data.md); mae "
       "and r2 of real labels",
       [](C& c, Text t, Text w) { c.metric = parse_measure_kind(t, w); },
       [](const C& c) { return measure_kind_text(c.metric); }},
  };
  for (Option& row : leg_options()) all.push_back(std::move(row));
  return all;
}

}  // namespace trainyard
