#include <optional>

#include <fmt/format.h>

#include "trainyard/configuration/checked_number.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "configuration/option_rows.hpp"

namespace trainyard {

namespace {

using C = Configuration;
using Text = std::string_view;

/// A number of OptimizerOptions that a condition must hold for.
Option number_of(std::string name, std::string argument, std::string help,
                 double OptimizerOptions::*field, bool (*holds)(double), std::string expected) {
  return {"optimizer",
          std::move(name),
          std::move(argument),
          std::move(help),
          [field, holds, expected = std::move(expected)](C& c, Text t, Text w) {
            c.optimizer.*field = checked_number(t, w, holds, expected);
          },
          [field](const C& c) { return fmt::to_string(c.optimizer.*field); },
          true};
}

Option batch_option() {
  return {"optimizer",
          "batch",
          "B",
          "rows in a minibatch of one worker",
          [](C& c, Text t, Text w) {
            c.batch = static_cast<std::size_t>(parse_integer(t, w, 1, 1'000'000'000));
          },
          [](const C& c) { return fmt::to_string(c.batch); },
          true};
}

std::string lr_decay_idle(const OptionSetting& s) {
  const LrSchedule& schedule = s.configuration.optimizer.lr_schedule;
  if (schedule.kind == LrSchedule::Kind::inverse_time) return "";
  return fmt::format("it is for --lr-schedule inverse-time, and this is {}",
                     lr_schedule_text(schedule));
}

std::string momentum_idle(const OptionSetting& s) {
  const OptimizerKind kind = s.configuration.optimizer.kind;
  if (kind == OptimizerKind::sgd || kind == OptimizerKind::nesterov) return "";
  return optimizer_text(kind) + " takes none";
}

std::string beta_idle(const OptionSetting& s) {
  const OptimizerKind kind = s.configuration.optimizer.kind;
  if (s.configuration.optimizer.has_betas()) return "";
  if (s.scheme.optimizers.range == OptimizerRange::plain) {
    return s.scheme.name + " has a step of its own, which does not take it (list schemes NAME)";
  }
  return fmt::format("it is for --optimizer adam, adamw, lion and muon, and this is {}",
                     optimizer_text(kind));
}

std::string weight_decay_idle(const OptionSetting& s) {
  const OptimizerOptions& optimizer = s.configuration.optimizer;
  if (optimizer.decays()) return "";
  return fmt::format(
      "it is for --optimizer adamw, lion and muon, and this is {}; --l2 is for every optimizer",
      optimizer_text(optimizer.kind));
}

Option global_batch_option() {
  return {
      "optimizer",
      "global-batch",
      "B",
      "rows a minibatch of all workers together, instead of --batch",
      [](Configuration& c, std::string_view t, std::string_view w) {
        c.global_batch = static_cast<std::size_t>(parse_integer(t, w, 1, 1'000'000'000));
      },
      [](const Configuration& c) { return c.global_batch ? fmt::to_string(*c.global_batch) : ""; },
      true};
}

Option beta_option(std::string name, std::string help,
                   std::optional<double> OptimizerOptions::*field) {
  return {"optimizer",
          std::move(name),
          "BETA",
          std::move(help),
          [field](C& c, Text t, Text w) {
            c.optimizer.*field = checked_number(t, w, below_one, "at least 0 and less than 1");
          },
          [field](const C& c) {
            return c.optimizer.*field ? fmt::to_string(*(c.optimizer.*field)) : "";
          },
          true};
}

std::string batch_idle(const OptionSetting& s) {
  return s.configuration.global_batch ? "--global-batch is given, too" : "";
}

}  // namespace

std::vector<Option> optimizer_options() {
  using O = OptimizerOptions;
  const std::string fraction = "at least 0 and less than 1";
  return {
      also(taker::predict, idle_where(batch_option(), batch_idle)),
      global_batch_option(),
      {"optimizer", "optimizer", "sgd|nesterov|adagrad|adam|adamw|lion|muon",
       "what makes a step of a gradient; of sgd and nesterov --momentum",
       [](C& c, Text t, Text w) { c.optimizer.kind = parse_optimizer(t, w); },
       [](const C& c) { return optimizer_text(c.optimizer.kind); }},
      number_of("lr", "GAMMA", "step size (what it multiplies: list schemes NAME)", &O::lr,
                positive, "greater than 0"),
      {"optimizer", "lr-schedule", "constant|inverse-time|inverse-sqrt|step:EVERY:FACTOR|cosine",
       "GAMMA over the run: by --lr-decay; over the root of the step's number; times FACTOR after "
       "each EVERY epochs; down to 0",
       [](C& c, Text t, Text w) { c.optimizer.lr_schedule = parse_lr_schedule(t, w); },
       [](const C& c) { return lr_schedule_text(c.optimizer.lr_schedule); }},
      idle_where(number_of("lr-decay", "A", "step size GAMMA / (1 + A·epochs so far)", &O::lr_decay,
                           not_negative, "0 or greater"),
                 lr_decay_idle),
      number_of("warmup", "EPOCHS", "the step size grows linearly over the first EPOCHS",
                &O::warmup, not_negative, "0 or greater"),
      idle_where(number_of("momentum", "MU", "v = MU·v + gradient, 0 ≤ MU < 1", &O::momentum,
                           below_one, fraction),
                 momentum_idle),
      idle_where(beta_option("beta1",
                             "adam, adamw: what the mean gradient keeps at each step, 0.9 if not "
                             "given, muon: 0.95; lion: the share of that mean in a step, 0.9",
                             &O::beta1),
                 beta_idle),
      idle_where(beta_option("beta2",
                             "adam, adamw, muon: what the mean square keeps at each step, 0.999 if "
                             "not given; lion: what the mean gradient keeps, 0.99",
                             &O::beta2),
                 beta_idle),
      idle_where(number_of("weight-decay", "W",
                           "adamw, lion, muon: each parameter is first 1 - GAMMA·W of it",
                           &O::weight_decay, not_negative, "0 or greater"),
                 weight_decay_idle),
      number_of("clip-norm", "C",
                "a worker's minibatch gradient is made no longer than C; 0: it is left as it is",
                &O::clip_norm, not_negative, "0 or greater"),
  };
}

}  // namespace trainyard
