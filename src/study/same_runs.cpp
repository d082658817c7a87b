#include "trainyard/study/same_runs.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

namespace {

bool is_of_schemes(const Option& option) {
  return option.section == "scheme" ||
         std::ranges::any_of(ingredient_kinds(),
                             [&](const auto& kind) { return kind.name == option.name; });
}

bool is_idle(const Option& option, const Configuration& c) {
  return option.idle && !option.idle({c, find_scheme(c.scheme)}).empty();
}

bool is_taken(const OptionText& varied, const Configuration& c) {
  const Option& option = option_named(varied.option);
  return !is_of_schemes(option) || !is_idle(option, c);
}

/// Two cases with one of these are one run: in all else a comparison's runs are alike.
using Key = std::vector<std::string>;

Key key_of(const Case& one) {
  Key key{one.label, fmt::to_string(one.configuration.seed)};
  for (const OptionText& varied : one.varied) {
    if (!is_taken(varied, one.configuration)) continue;
    key.push_back(varied.option);
    key.push_back(varied.text);
  }
  return key;
}

}  // namespace

bool is_of_time(const std::string& option) {
  if (option == "compute-time" || option == "line-time") return true;
  if (option == "encode-time" || option == "decode-time") return true;
  if (option == "aggregate-time") return true;
  if (option == "jitter" || option == "fault" || option == "retransmit") return false;
  if (option == "on-failure" || option == "detection") return false;
  return option_named(option).section == "network";
}

std::string training_of(const Case& one) {
  const Configuration& c = one.configuration;
  const bool meets_by_clock =
      c.checkpoint_every && std::holds_alternative<Duration>(*c.checkpoint_every);
  const bool heeds_clock =
      by_arrival(find_scheme(c.scheme)) || c.seconds || meets_by_clock || c.deal == Deal::speed;
  std::vector<OptionText> settings = one.varied;
  std::erase_if(settings, [&](const OptionText& varied) {
    const bool is_time = is_of_time(varied.option);
    return !is_taken(varied, c) ||
           (is_time && (!heeds_clock || is_idle(option_named(varied.option), c)));
  });
  return name_at(one.label, settings);
}

std::vector<OptionText> not_taken(const Configuration& resolved,
                                  const std::vector<OptionText>& varied) {
  std::vector<OptionText> options = varied;
  std::erase_if(options, [&](const OptionText& each) { return is_taken(each, resolved); });
  return options;
}

std::string own_name(const RunResult& result) {
  std::vector<OptionText> options = result.summary.varied;
  std::erase_if(options, [&](const OptionText& each) { return !is_taken(each, result.resolved); });
  return name_at(result.summary.label, options);
}

std::vector<const RunResult*> without_repeats(std::span<const RunResult> results) {
  std::vector<const RunResult*> all;
  std::set<std::pair<std::string, std::uint64_t>> known;
  for (const RunResult& result : results) {
    if (known.emplace(own_name(result), result.summary.seed).second) all.push_back(&result);
  }
  return all;
}

std::vector<std::size_t> first_of_same(const std::vector<Case>& cases) {
  std::vector<std::size_t> first;
  first.reserve(cases.size());
  std::map<Key, std::size_t> places;
  for (std::size_t index = 0; index < cases.size(); ++index) {
    const Configuration& c = cases[index].configuration;
    const bool is_repeatable = c.time == TimeMode::simulated && c.trace.empty();
    first.push_back(is_repeatable ? places.try_emplace(key_of(cases[index]), index).first->second
                                  : index);
  }
  return first;
}

RunResult as_of(const Case& one, const RunResult& result) {
  RunResult made{.resolved = result.resolved,
                 .summary = result.summary,
                 .metrics = result.metrics,
                 .accounts = result.accounts,
                 .places = result.places,
                 .counts = result.counts,
                 .staleness = result.staleness,
                 .trace = result.trace,
                 .model = VectorBuffer::copy_of(std::as_const(result.model).view())};
  const std::vector<OptionText> idle = not_taken(one.configuration, one.varied);
  apply(idle, made.resolved);
  made.summary.varied = one.varied;
  return made;
}

}  // namespace trainyard
