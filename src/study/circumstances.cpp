#include "trainyard/study/circumstances.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

namespace {

/// Options beside the network's, the data's and the machines' that whoever compares decides.
constexpr std::array<std::string_view, 12> choices = {
    "server-placement", "sparse-wire", "weights",     "order",        "deal",     "on-failure",
    "detection",        "replacement", "data-source", "force-memory", "counters", "placement"};

using Found = std::vector<OptionText>;

bool names(const Found& options, const std::string& name) {
  return std::ranges::find(options, name, &OptionText::option) != options.end();
}

bool is_choice(const Option& option) {
  static constexpr std::array<std::string_view, 4> sections = {"network", "compute", "data",
                                                               "model"};
  return std::ranges::find(sections, option.section) == sections.end() ||
         std::ranges::find(choices, option.name) != choices.end();
}

/// Whether `one` is all of what `other` says, or part of it.
bool agrees(const Found& one, const Found& other) {
  return std::ranges::all_of(
      one, [&](const OptionText& each) { return std::ranges::find(other, each) != other.end(); });
}

/// The options of which not all that have them have the same.
std::vector<std::string> that_differ(const std::vector<Found>& all) {
  std::vector<std::string> differ;
  Found first;
  for (const Found& one : all) {
    for (const OptionText& each : one) {
      const auto known = std::ranges::find(first, each.option, &OptionText::option);
      if (known == first.end()) {
        first.push_back(each);
      } else if (known->text != each.text && std::ranges::count(differ, each.option) == 0) {
        differ.push_back(each.option);
      }
    }
  }
  return differ;
}

}  // namespace

std::vector<OptionText> circumstances_of(const RunResult& result) {
  const Configuration& c = result.resolved;
  const Summary& s = result.summary;
  const OptionSetting setting{c, find_scheme(c.scheme)};
  Found found;
  for (const Option& option : options()) {
    if (is_choice(option) || names(s.settings, option.name)) continue;
    const auto varied = std::ranges::find(s.varied, option.name, &OptionText::option);
    if (varied != s.varied.end()) {
      found.push_back(*varied);
    } else if (option.section == "network" && (!option.idle || option.idle(setting).empty())) {
      if (std::string text = option.get(c); !text.empty()) found.push_back({option.name, text});
    }
  }
  return found;
}

std::vector<SameCircumstances> by_circumstances(const std::vector<std::vector<OptionText>>& runs) {
  const std::vector<std::string> differ = that_differ(runs);
  std::vector<Found> told = runs;  // what tells them apart
  for (Found& one : told) {
    std::erase_if(one, [&](const OptionText& each) {
      return std::ranges::find(differ, each.option) == differ.end();
    });
  }
  std::vector<Found> kinds;
  for (const Found& one : told) {
    const bool is_part = std::ranges::any_of(
        told, [&](const Found& other) { return one.size() < other.size() && agrees(one, other); });
    if (!is_part && std::ranges::find(kinds, one) == kinds.end()) kinds.push_back(one);
  }
  std::vector<SameCircumstances> all;
  for (const Found& kind : kinds) {
    std::vector<std::string> words;
    for (const auto& [option, text] : kind) words.push_back(fmt::format("{} {}", option, text));
    SameCircumstances same{.text = fmt::format("{}", fmt::join(words, ", ")), .runs = {}};
    for (std::size_t i = 0; i < told.size(); ++i) {
      if (agrees(told[i], kind)) same.runs.push_back(i);
    }
    all.push_back(std::move(same));
  }
  return all;
}

}  // namespace trainyard
