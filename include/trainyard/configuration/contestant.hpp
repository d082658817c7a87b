// Whom a question is about: schemes, each with settings of its own where it has any.
//
//   --schemes 'sequential,gossip:one-peer-exp,local-sgd{period=8,lr=0.2},all-decentralised'
//
//   [[contestant]]
//   label = "long periods"
//   scheme = "local-sgd"
//   period = 64
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/configuration/options.hpp"

namespace trainyard {

struct Contestant {
  std::string label;  // unique in a comparison: as typed, or as its table says
  std::string scheme;
  std::vector<OptionText> settings{};  // instead of those that all have in common
  bool named = true;                   // otherwise it came with a group of schemes
  std::string preset{};                // that names the scheme, or empty

  bool operator==(const Contestant&) const = default;
};

/// Throws for a setting that the question does not accept.
using Allowed = std::function<void(const OptionText&)>;
/// The options that `taker` takes (options.hpp).
Allowed taken_by(unsigned taker);

/// Schemes, presets and groups of them (schemes_of_group(), all-systems), in any mixture and in
/// this order, each perhaps followed by `:WAY`, the topology or collective of those that take one,
/// and by `{OPTION=VALUE,…}`. A contestant is there once, at its first place; named besides its
/// group it counts as named. Throws UsageError for what is neither, for an option that a contestant
/// cannot have, for a value that the option refuses, and for a word that is there twice. `allowed`
/// is asked before anything is made of a setting's text: some texts name files that are then read.
std::vector<Contestant> parse_contestants(std::string_view text, const Allowed& allowed = {});

/// The contestants of a comparison that names none: the six basic schemes. Those that cannot run
/// what is asked are left out.
std::vector<Contestant> basic_contestants();

/// Contestants from tables of a TOML file. A label defaults to the scheme's name.
std::vector<Contestant> contestants_of(const std::vector<ContestantTable>& tables);

/// The option of that name, if runs of a comparison may differ in it. Throws UsageError, beginning
/// with `what`.
const Option& check_option(std::string_view name, std::string_view what);
/// check_option(), and the option has to take the text.
void check_setting(const OptionText& setting, std::string_view what);

/// Makes `c`, which all have in common, that of the contestant: its preset's settings, but for the
/// options of c.given, and then its own.
void apply(const Contestant& contestant, Configuration& c);

/// The configuration with these options. REQUIRES: check_setting() passes.
void apply(const std::vector<OptionText>& settings, Configuration& configuration);

/// "gossip{topology=torus}, latency 1ms": a contestant at a point of the grid.
std::string name_at(std::string_view label, const std::vector<OptionText>& point);

/// "period-8_lr-0.2": a name for files, of what may be anything.
std::string file_name_of(std::string_view text);

}  // namespace trainyard
