#include "app/compute_share_flags.hpp"

#include <string>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "app/training_flags.hpp"

namespace trainyard::app {

namespace {

/// "95%" or "0.95".
double parse_share(std::string text) {
  const bool percent = text.ends_with('%');
  const std::string typed = text;
  if (percent) text.pop_back();
  const double share = parse_number(text, "--compute-share") / (percent ? 100.0 : 1.0);
  if (share > 0.0 && share < 1.0) return share;
  throw UsageError(
      fmt::format("--compute-share: {} is not above 0 and below 100%, like 95%", echoed(typed)));
}

double setting_of(const Configuration& c, const char* name) {
  const auto given = c.hyperparameters.find(name);
  return given != c.hyperparameters.end() ? given->second
                                          : known_hyperparameter(name).default_value();
}

}  // namespace

ComputeShareFlags::ComputeShareFlags(CLI::App& command) {
  shares_ = add_value_flag(
      command, "compute-share", "SHARE,…",
      "like 95%: the bandwidth at which so much of the time is computing, where models are summed "
      "every step, every --period, and in --fragments that may be --fragment-delay steps late");
}

ComputeShareQuestion ComputeShareFlags::question(const PredictionSetting& setting) const {
  const Configuration& c = setting.configuration;
  if (*c.compute_time == Duration{0}) {
    throw UsageError("--compute-share: takes a --compute-time above 0");
  }
  ComputeShareQuestion question{
      .task = {.workers = c.workers,
               .bytes = static_cast<double>(setting.parameters * sizeof(float)),
               .compute_s = to_seconds(*c.compute_time),
               .latency_s = to_seconds(c.network.latency)},
      .meetings = {.period = setting_of(c, "period"),
                   .fragments = setting_of(c, "fragments"),
                   .delay = setting_of(c, "fragment-delay")},
      .shares = {}};
  const Meetings& meetings = question.meetings;
  if (meetings.fragments > meetings.period) {
    throw UsageError(
        fmt::format("--fragments {:g}: each has its turn once in --period {:g}; "
                    "expected no more than that",
                    meetings.fragments, meetings.period));
  }
  for (const std::string& text : split_names(only_value(*shares_))) {
    question.shares.push_back(parse_share(text));
  }
  return question;
}

}  // namespace trainyard::app
