#include <algorithm>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/configuration/checked_number.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "configuration/option_rows.hpp"

namespace trainyard {

namespace {

using C = Configuration;
using Text = std::string_view;

/// "3:10" or "0:2,5:4.5": rank and factor.
std::vector<Straggler> parse_stragglers(std::string_view text, std::string_view what) {
  std::vector<Straggler> stragglers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view item = text.substr(begin, end - begin);
    begin = end + 1;
    const auto colon = item.find(':');
    if (colon == std::string_view::npos) {
      throw UsageError(fmt::format("{}: {} is not RANK:FACTOR, like '3:10'", what, echoed(item)));
    }
    const int rank = static_cast<int>(parse_integer(item.substr(0, colon), what, 0, 65535));
    if (std::ranges::find(stragglers, rank, &Straggler::rank) != stragglers.end()) {
      throw UsageError(
          fmt::format("{}: worker {} is there twice; one factor is accepted", what, rank));
    }
    const double factor = checked_number(
        item.substr(colon + 1), what, [](double f) { return f >= 1.0 && f <= 1e6; },
        "a factor from 1 to 1000000");
    stragglers.push_back({rank, factor});
  }
  return stragglers;
}

std::string stragglers_text(const std::vector<Straggler>& stragglers) {
  std::string text;
  for (const Straggler& straggler : stragglers) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", straggler.rank, straggler.factor);
  }
  return text;
}

std::string compute_time_idle(const OptionSetting& s) {
  return s.configuration.time == TimeMode::wall ? "with --time wall computing takes what it takes"
                                                : "";
}

std::string coding_time_idle(const OptionSetting& s) {
  if (!encodes(s.scheme, s.configuration.ingredients)) {
    return fmt::format("{} encodes nothing", s.scheme.name);
  }
  return s.configuration.time == TimeMode::wall ? "with --time wall coding takes what it takes"
                                                : "";
}

std::string line_time_idle(const OptionSetting& s) {
  const C& c = s.configuration;
  if (c.time == TimeMode::wall) return "with --time wall cache lines take what they take";
  const Cast cast = cast_of(s.scheme, c);
  if (cast.models_in_memory() == 0) {
    return fmt::format("the workers of {} share no model in memory", s.scheme.name);
  }
  return cast.workers == 1 ? "one worker takes no cache line from another" : "";
}

std::string factor_idle(const OptionSetting& s) {
  const C& c = s.configuration;
  const bool takes_none = c.time == TimeMode::simulated && c.compute_time == Duration{0};
  return takes_none ? "with --compute-time 0 computing takes no time" : "";
}

std::string straggler_idle(const OptionSetting& s) {
  const C& c = s.configuration;
  std::string reason = factor_idle(s);
  if (!reason.empty() || c.stragglers.empty()) return reason;
  if (cast_of(s.scheme, c).workers == c.workers) return reason;
  if (std::ranges::count(c.stragglers, 0, &Straggler::rank) > 0) return "";
  return fmt::format("{} has worker 0 only, which takes the minibatches of all", s.scheme.name);
}

std::string placement_idle(const OptionSetting& s) {
  return s.configuration.time == TimeMode::wall ? "" : "--time virtual has no threads to be pinned";
}

std::string counters_idle(const OptionSetting& s) {
  return s.configuration.time == TimeMode::wall ? ""
                                                : "--time virtual has no threads to be counted";
}

Option compute_time_option() {
  return {"compute",
          "compute-time",
          "auto|DURATION",
          "virtual: what a minibatch takes; auto measures it here, once",
          [](C& c, Text t, Text w) {
            if (t == "auto") {
              c.compute_time.reset();
            } else {
              c.compute_time = parse_duration(t, w);
            }
          },
          [](const C& c) { return c.compute_time ? exact_text(*c.compute_time) : "auto"; }};
}

Option coding_time_option(std::string name, std::string what, std::optional<Duration> C::*field) {
  Option option{
      "compute",
      std::move(name),
      "auto|DURATION",
      fmt::format("virtual: what {} takes for each parameter; auto: the codec's usual time "
                  "(list codecs), or measured here if --compute-time is auto",
                  what),
      [field](C& c, Text t, Text w) {
        c.*field = t == "auto" ? std::nullopt : std::optional(parse_duration(t, w));
      },
      [field](const C& c) { return c.*field ? exact_text(*(c.*field)) : "auto"; }};
  return idle_where(std::move(option), coding_time_idle);
}

std::string aggregate_time_idle(const OptionSetting& s) {
  const C& c = s.configuration;
  if (c.time == TimeMode::wall) return "--time wall takes the time that it takes";
  if (!takes(s.scheme, "aggregate")) return s.scheme.name + " takes no --aggregate";
  return ingredient_name(c.ingredients, "aggregate") == "mean" ? "the mean takes no time" : "";
}

Option aggregate_time_option() {
  Option option{
      "compute",
      "aggregate-time",
      "auto|DURATION",
      "virtual: what the rule of --aggregate takes for each parameter; auto: a round figure that "
      "depends on the rule and on the number of vectors",
      [](C& c, Text t, Text w) {
        c.aggregate_time = t == "auto" ? std::nullopt : std::optional(parse_duration(t, w));
      },
      [](const C& c) { return c.aggregate_time ? exact_text(*c.aggregate_time) : "auto"; }};
  return idle_where(std::move(option), aggregate_time_idle);
}

Option line_time_option() {
  Option option{"compute",
                "line-time",
                "auto|DURATION",
                "virtual: what a cache line of a shared model takes from the core that wrote it; "
                "auto measures it here, 0 makes lines free",
                [](C& c, Text t, Text w) {
                  c.line_time = t == "auto" ? std::nullopt : std::optional(parse_duration(t, w));
                },
                [](const C& c) { return c.line_time ? exact_text(*c.line_time) : "auto"; }};
  return idle_where(std::move(option), line_time_idle);
}

Option straggler_option() {
  return {"compute",
          "straggler",
          "RANK:FACTOR[,…]",
          "computations of that worker take FACTOR times as long",
          [](C& c, Text t, Text w) { c.stragglers = parse_stragglers(t, w); },
          [](const C& c) { return stragglers_text(c.stragglers); }};
}

Option compute_noise_option() {
  return {"compute",
          "compute-noise",
          "none|exponential:SCALE|memoryless",
          "computing takes 1 + SCALE·Exp(1) times as long, or Exp(1) times, drawn for each "
          "minibatch",
          [](C& c, Text t, Text w) { parse_compute_noise(t, w, c.compute_noise); },
          [](const C& c) { return compute_noise_text(c.compute_noise); }};
}

Option placement_option() {
  return {"compute",
          "placement",
          "compact|scatter|none",
          "wall: which cores the ranks are pinned to",
          [](C& c, Text t, Text w) { c.placement = parse_placement(t, w); },
          [](const C& c) { return placement_text(c.placement); }};
}

Option counters_option() {
  return switch_option("compute", "counters",
                       "wall: count each rank's cycles, instructions, cache misses, loads from "
                       "another NUMA node, context switches and page faults, and the energy of all",
                       &C::counters);
}

Option force_memory_option() {
  Option force =
      switch_option("compute", "force-memory",
                    "run although more memory is needed than is available", &C::force_memory);
  force.describes_run = false;
  return force;
}

}  // namespace

std::vector<Option> compute_options() {
  constexpr unsigned of_time = taker::predict | taker::timeline | taker::lab;
  Option pause{"compute",
               "pause",
               "none|P:DURATION",
               "with probability P a minibatch is followed by a pause of that length",
               [](C& c, Text t, Text w) { parse_pause(t, w, c.compute_noise); },
               [](const C& c) { return pause_text(c.compute_noise); }};
  return {
      also(of_time, idle_where(compute_time_option(), compute_time_idle)),
      also(of_time, coding_time_option("encode-time", "encoding", &C::encode_time)),
      also(of_time, coding_time_option("decode-time", "decoding", &C::decode_time)),
      also(of_time, aggregate_time_option()),
      also(taker::lab, line_time_option()),
      also(of_time, idle_where(straggler_option(), straggler_idle)),
      also(of_time, idle_where(compute_noise_option(), factor_idle)),
      also(of_time, std::move(pause)),
      also(taker::netcheck, idle_where(placement_option(), placement_idle)),
      also(taker::one_process, idle_where(counters_option(), counters_idle)),
      also(taker::predict, force_memory_option()),
  };
}

}  // namespace trainyard
