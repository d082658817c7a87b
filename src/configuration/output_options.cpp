#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/configuration/checked_number.hpp"

#include "configuration/option_rows.hpp"

namespace trainyard {

namespace {

using C = Configuration;
using Text = std::string_view;

/// "3:5": steps 3 and 4.
StepRange parse_steps(std::string_view text, std::string_view what) {
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) {
    throw UsageError(
        fmt::format("{}: {} is not A:B, like '0:3' for steps 0, 1 and 2", what, echoed(text)));
  }
  const std::int64_t first = parse_integer(text.substr(0, colon), what, 0, most_steps - 1);
  const std::int64_t last = parse_integer(text.substr(colon + 1), what, first + 1, most_steps);
  return {static_cast<std::uint64_t>(first), static_cast<std::uint64_t>(last)};
}

/// A file or folder to write, which is no part of what was run.
Option path_option(std::string name, std::string argument, std::string help,
                   std::filesystem::path C::*field) {
  return {"output",
          std::move(name),
          std::move(argument),
          std::move(help),
          [field](C& c, Text t, Text) { c.*field = t; },
          [field](const C& c) { return (c.*field).string(); },
          false,
          false};
}

Option trace_steps_option() {
  return {"output",
          "trace-steps",
          "A:B",
          "of --trace: steps A to B-1",
          [](C& c, Text t, Text w) { c.trace_steps = parse_steps(t, w); },
          [](const C& c) { return fmt::format("{}:{}", c.trace_steps.first, c.trace_steps.last); },
          false,
          false,
          [](const OptionSetting& s) {
            return s.configuration.trace.empty() ? "it is for --trace, which is not given" : "";
          }};
}

/// --json and a flag --format beside it: the former decides.
std::string format_idle(const OptionSetting& s) {
  return std::ranges::count(s.configuration.given, json_flag) > 0 ? "--json is given, too" : "";
}

Option format_option() {
  return {
      "output",
      "format",
      "table|json|csv|markdown|latex",
      "what is printed on standard output",
      [](C& c, Text t, Text w) {
        static const std::array<std::string, 5> names{"table", "json", "csv", "markdown", "latex"};
        c.format = names[chosen(t, w, names)];
      },
      [](const C& c) { return c.format; }};
}

Option force_option() {
  Option force =
      switch_option("output", "force", "overwrite what --out, --trace and --html name", &C::force);
  force.describes_run = false;
  force.idle = [](const OptionSetting& s) {
    const C& c = s.configuration;
    const bool writes = !c.out.empty() || !c.trace.empty() || !c.html.empty();
    return writes ? "" : "neither --out nor --trace nor --html is given";
  };
  return force;
}

/// Where the run itself is in another place or the same one goes on.
std::vector<Option> checkpoint_options() {
  Option forced =
      text_option("output", "force-resume", "NAME[,NAME]",
                  "of --resume: options that may have changed, program, data", &C::force_resume);
  forced.describes_run = false;
  forced.idle = [](const OptionSetting& s) {
    return s.configuration.resume.empty() ? "it is for --resume, which is not given" : "";
  };
  return {path_option("checkpoint", "DIR", "make checkpoints in DIR, of which the last two stay",
                      &C::checkpoint),
          path_option("resume", "DIR",
                      "go on from the last checkpoint in DIR, and make more there; its "
                      "configuration is the run's",
                      &C::resume),
          std::move(forced)};
}

std::vector<Option> result_options() {
  return {
      path_option("out", "DIR", "write configuration, summary, metrics and model to DIR/<scheme>/",
                  &C::out),
      also(taker::one_process,
           path_option("trace", "FILE",
                       "write every message and wait, for Perfetto and chrome://tracing",
                       &C::trace)),
      also(taker::one_process, trace_steps_option()),
      also(taker::one_process,
           path_option("html", "FILE",
                       "write a report to look at: one file, which needs no connection", &C::html)),
      idle_where(format_option(), format_idle),
      switch_option("output", "quiet", "no progress on standard error", &C::quiet),
      idle_where(
          switch_option("output", "progress",
                        "every evaluation on standard error, whether it is a terminal or not",
                        &C::progress),
          [](const OptionSetting& s) {
            return s.configuration.quiet ? "--quiet is given, too" : "";
          }),
      force_option(),
  };
}

}  // namespace

std::vector<Option> output_options() {
  std::vector<Option> all = result_options();
  for (Option& row : checkpoint_options()) all.push_back(std::move(row));
  return all;
}

}  // namespace trainyard
