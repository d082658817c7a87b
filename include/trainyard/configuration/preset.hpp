// The systems of the survey by their names: a preset is a scheme with settings, and what a reader
// of the system's paper should know. It is accepted wherever a scheme is; what it sets gives way to
// what is asked for besides:
//
//   trainyard compare --schemes 'petuum,petuum{staleness=8},horovod'
//   trainyard run --scheme petuum --staleness 8
//
// Threads: any; the table is built at the first call and never changes.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/configuration/configuration.hpp"
#include "trainyard/configuration/options.hpp"

namespace trainyard {

/// The criteria by which surveys compare systems (Langer et al., TPDS 2020).
struct Criteria {
  std::string parallelism;   // what is divided: "data", "model", "data and model"
  std::string schedule;      // "synchronous", "asynchronous", "bounded"
  std::string optimisation;  // "centralised": one model that is stepped; "decentralised": replicas
  std::string exchange;      // what workers send: "gradients", "parameters"
  std::string topology;      // who sends to whom
};

struct Preset {
  std::string name;    // as typed where a scheme is
  std::string system;  // as its authors write it
  std::string source;  // paper
  std::string scheme;
  std::vector<OptionText> settings{};
  Criteria criteria{};
  std::string emulated;      // which part of the system the scheme is
  std::string not_emulated;  // what the system has besides

  /// "essp{staleness=3}", as it is typed without the preset.
  std::string spelt_out() const;
};

/// The visible table, in the order of names. A preset that is named like a scheme is that scheme
/// without settings.
const std::vector<Preset>& presets();
/// nullptr: there is none.
const Preset* find_preset(std::string_view name);

/// The group of all presets, where groups of schemes are accepted.
inline constexpr std::string_view all_systems = "all-systems";

/// The scheme or preset that a name stands for.
struct NamedScheme {
  const Scheme* scheme;
  const Preset* preset;  // nullptr: a scheme's own name
};
/// Throws UsageError, naming the nearest, for what is neither a scheme nor a preset.
NamedScheme find_scheme_or_preset(std::string_view name);
/// Looks it up where a group's name would have done: the error names groups too.
NamedScheme find_scheme_or_preset_beside_groups(std::string_view name);

/// Whether there is a preset of that name that sets the option.
bool preset_sets(std::string_view name, std::string_view option);

/// The preset's settings, without the options that `given` names.
void apply_preset(const Preset& preset, std::span<const std::string> given,
                  Configuration& configuration);

/// Makes of a configuration that names a preset the one that is typed without it: `preset` is empty
/// then. Options that are given stay. Returns a remark; empty where there is no preset.
std::string spell_out_preset(Configuration& configuration);

}  // namespace trainyard
