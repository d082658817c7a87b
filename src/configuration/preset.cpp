#include "trainyard/configuration/preset.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/named_table.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

namespace {

std::string joined_settings(const std::vector<OptionText>& settings) {
  std::string text;
  for (const auto& [option, value] : settings) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", option, value);
  }
  return text;
}

/// `besides`: names that would have done.
NamedScheme find(std::string_view name, std::vector<std::string> besides) {
  const auto scheme = std::ranges::find(schemes(), name, &Scheme::name);
  if (scheme != schemes().end()) return {&*scheme, nullptr};
  if (const Preset* preset = find_preset(name)) return {&find_scheme(preset->scheme), preset};
  for (const Preset& preset : presets()) besides.push_back(preset.name);
  return {&find_named(schemes(), name, "scheme", std::move(besides)), nullptr};
}

}  // namespace

std::string Preset::spelt_out() const {
  if (settings.empty()) return scheme;
  return fmt::format("{}{{{}}}", scheme, joined_settings(settings));
}

const Preset* find_preset(std::string_view name) {
  const auto found = std::ranges::find(presets(), name, &Preset::name);
  return found == presets().end() ? nullptr : &*found;
}

NamedScheme find_scheme_or_preset(std::string_view name) {
  return find(name, {});
}

NamedScheme find_scheme_or_preset_beside_groups(std::string_view name) {
  std::vector<std::string> groups = scheme_groups();
  groups.emplace_back(all_systems);
  return find(name, std::move(groups));
}

bool preset_sets(std::string_view name, std::string_view option) {
  const Preset* preset = find_preset(name);
  return preset != nullptr &&
         std::ranges::find(preset->settings, option, &OptionText::option) != preset->settings.end();
}

void apply_preset(const Preset& preset, std::span<const std::string> given,
                  Configuration& configuration) {
  for (const OptionText& setting : preset.settings) {
    if (std::ranges::find(given, setting.option) != given.end()) continue;
    option_named(setting.option).set(configuration, setting.text, preset.name);
  }
}

std::string spell_out_preset(Configuration& configuration) {
  const Preset* preset = find_preset(configuration.preset);
  configuration.preset.clear();
  if (preset == nullptr) return "";
  apply_preset(*preset, configuration.given, configuration);
  return fmt::format("{}: the scheme {}; not emulated: {}", preset->name, preset->spelt_out(),
                     preset->not_emulated);
}

}  // namespace trainyard
