#include "trainyard/configuration/contestant.hpp"

#include <algorithm>
#include <cctype>
#include <span>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/hash.hpp"
#include "trainyard/configuration/preset.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

namespace {

/// Parts between separators that stand in no braces.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == separator && depth == 0)) {
      parts.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    } else if (text[i] == '{') {
      ++depth;
    } else if (text[i] == '}') {
      --depth;
    }
  }
  return parts;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

void check_allowed(const OptionText& setting, std::string_view what, const Allowed& allowed) {
  if (allowed) allowed(setting);
  check_setting(setting, what);
}

/// "period=8,model=mlp:20,10": a part without '=' belongs to the value before it.
std::vector<OptionText> parse_settings(std::string_view text, std::string_view of,
                                       const Allowed& allowed) {
  std::vector<OptionText> settings;
  for (const std::string_view part : split(text, ',')) {
    const std::size_t equals = part.find('=');
    if (equals != std::string_view::npos) {
      settings.push_back({std::string(trimmed(part.substr(0, equals))),
                          std::string(trimmed(part.substr(equals + 1)))});
    } else if (!settings.empty() && !trimmed(part).empty()) {
      settings.back().text += fmt::format(",{}", part);
    } else {
      throw OptionError("schemes", fmt::format("{}: {} is no OPTION=VALUE, like period=8",
                                               echoed(of), echoed(part)));
    }
  }
  for (std::size_t i = 0; i < settings.size(); ++i) {
    check_allowed(settings[i], fmt::format("--schemes: {}", echoed(of)), allowed);
    const auto same = [&](const OptionText& other) { return other.option == settings[i].option; };
    if (std::count_if(settings.begin(), settings.end(), same) > 1) {
      throw OptionError("schemes",
                        fmt::format("{}: {} is there twice", echoed(of), settings[i].option));
    }
  }
  return settings;
}

/// "gossip:one-peer-exp{lr=0.2}", taken apart.
struct Word {
  std::string name;
  std::vector<OptionText> settings;
};

/// Whom a name stands for, which may be a group's; without settings.
std::vector<Contestant> contestants_named(const std::string& name) {
  std::vector<Contestant> all;
  for (const std::string& scheme : schemes_of_group(name)) {
    all.push_back({.label = scheme, .scheme = scheme, .named = false});
  }
  if (name == all_systems) {
    for (const Preset& preset : presets()) {
      all.push_back(
          {.label = preset.name, .scheme = preset.scheme, .named = false, .preset = preset.name});
    }
  }
  if (!all.empty()) return all;
  const NamedScheme named = find_scheme_or_preset_beside_groups(name);
  return {{.label = name,
           .scheme = named.scheme->name,
           .preset = named.preset == nullptr ? "" : named.preset->name}};
}

bool is_group(const Word& word) {
  return word.name == all_systems || !schemes_of_group(word.name).empty();
}

Word parse_word(std::string_view text, const Allowed& allowed) {
  Word word;
  const std::size_t brace = text.find('{');
  std::string_view head = text.substr(0, brace);
  if (brace != std::string_view::npos) {
    if (text.back() != '}' || text.find('}') + 1 != text.size()) {
      throw OptionError("schemes",
                        fmt::format("{}: expected SCHEME{{OPTION=VALUE,…}}", echoed(text)));
    }
    word.settings = parse_settings(text.substr(brace + 1, text.size() - brace - 2), text, allowed);
  }
  const std::size_t colon = head.find(':');
  word.name = std::string(head.substr(0, colon));
  if (colon == std::string_view::npos) return word;
  if (is_group(word)) {
    throw OptionError("schemes", fmt::format("{}: a group takes no ':'", echoed(text)));
  }
  const Scheme& scheme = *find_scheme_or_preset_beside_groups(word.name).scheme;
  if (scheme.takes.empty()) {
    throw OptionError("schemes", fmt::format("{}: {} leaves no choice; it is written without ':'",
                                             echoed(text), scheme.name));
  }
  const std::string& kind = scheme.takes.front();
  word.settings.insert(word.settings.begin(), {kind, std::string(head.substr(colon + 1))});
  check_allowed(word.settings.front(), fmt::format("--schemes: {}", echoed(text)), allowed);
  return word;
}

void add(Contestant contestant, std::vector<Contestant>& contestants) {
  const auto there = std::ranges::find(contestants, contestant.label, &Contestant::label);
  if (there == contestants.end()) {
    contestants.push_back(std::move(contestant));
  } else {
    there->named = there->named || contestant.named;
  }
}

}  // namespace

Allowed taken_by(unsigned taker) {
  return [taker](const OptionText& setting) {
    const auto found = std::ranges::find(options(), setting.option, &Option::name);
    if (found == options().end() || found->taken_by(taker)) return;
    throw OptionError("schemes", fmt::format("{} is not taken here; `trainyard compare` takes it",
                                             setting.option));
  };
}

const Option& check_option(std::string_view name, std::string_view what) {
  std::vector<std::string> accepted;
  for (const Option& option : options()) {
    // Options of output, and whether there is memory, are no part of what is run.
    if (option.section == "output" || option.name == "scheme" || option.name == "force-memory") {
      continue;
    }
    if (option.name == name) return option;
    accepted.push_back(option.name);
  }
  const std::string nearest = nearest_name(name, accepted);
  throw UsageError(fmt::format(
      "{}: {} is no option in which runs of a comparison can differ{}", what, echoed(name),
      nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
}

void check_setting(const OptionText& setting, std::string_view what) {
  const Option& option = check_option(setting.option, what);
  const std::string where = fmt::format("{}: {}", what, setting.option);
  if (setting.text.empty()) refuse_empty(where, option.argument);
  Configuration scratch;
  option.set(scratch, setting.text, where);
}

void apply(const Contestant& contestant, Configuration& c) {
  c.scheme = contestant.scheme;
  if (!contestant.preset.empty()) apply_preset(*find_preset(contestant.preset), c.given, c);
  apply(contestant.settings, c);
}

void apply(const std::vector<OptionText>& settings, Configuration& configuration) {
  for (const OptionText& setting : settings) {
    option_named(setting.option).set(configuration, setting.text, setting.option);
  }
}

std::string name_at(std::string_view label, const std::vector<OptionText>& point) {
  std::string name(label);
  for (const auto& [option, text] : point) name += fmt::format(", {} {}", option, text);
  return name;
}

std::string file_name_of(std::string_view text) {
  std::string name;
  for (const char c : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '+' ||
                       c == '_' || c == '-';
    if (plain) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  // A folder's name has 255 bytes; of a longer label the end tells less than a number of its own.
  constexpr std::size_t longest = 100;
  if (name.size() > longest) {
    name = fmt::format("{}-{:08x}", name.substr(0, longest),
                       fingerprint(std::as_bytes(std::span(text))) & 0xFFFFFFFFU);
  }
  while (!name.empty() && (name.back() == '-' || name.back() == '.')) name.pop_back();
  while (name.starts_with('.')) name.erase(0, 1);
  return name.empty() ? "contestant" : name;
}

std::vector<Contestant> parse_contestants(std::string_view text, const Allowed& allowed) {
  std::vector<Contestant> contestants;
  std::vector<std::string> words;
  for (const std::string_view item : split(text, ',')) {
    const std::string typed(trimmed(item));
    if (std::ranges::find(words, typed) != words.end()) {
      throw OptionError("schemes",
                        fmt::format("{} is there twice; each contestant runs once", echoed(typed)));
    }
    words.push_back(typed);
    Word word = parse_word(typed, allowed);
    for (Contestant& each : contestants_named(word.name)) {
      each.label += typed.substr(word.name.size());
      each.settings = word.settings;
      add(std::move(each), contestants);
    }
  }
  return contestants;
}

std::vector<Contestant> basic_contestants() {
  std::vector<Contestant> contestants =
      parse_contestants("sequential,ps-sync,ps-async,ring,hogwild,gossip");
  for (Contestant& contestant : contestants) contestant.named = false;
  return contestants;
}

std::vector<Contestant> contestants_of(const std::vector<ContestantTable>& tables) {
  std::vector<Contestant> contestants;
  for (const ContestantTable& table : tables) {
    const NamedScheme named = find_scheme_or_preset(table.scheme);
    const Contestant made{.label = table.label.empty() ? table.scheme : table.label,
                          .scheme = named.scheme->name,
                          .settings = table.settings,
                          .preset = named.preset == nullptr ? "" : named.preset->name};
    if (std::ranges::find(contestants, made.label, &Contestant::label) != contestants.end()) {
      throw UsageError(fmt::format("{}: a contestant {} is there already; a label tells them apart",
                                   table.place, echoed(made.label)));
    }
    const auto is_control = [](unsigned char c) { return c < 0x20 || c == 0x7F; };
    if (std::ranges::any_of(made.label, is_control)) {
      throw UsageError(fmt::format("{}: label {} holds what cannot be printed", table.place,
                                   echoed(made.label)));
    }
    for (const OptionText& setting : made.settings) check_setting(setting, table.place);
    contestants.push_back(made);
  }
  return contestants;
}

}  // namespace trainyard
