// What is asked for in Python: options by name, each with its text, as Option::set reads it.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trainyard/analysis/prediction.hpp"
#include "trainyard/configuration/contestant.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/configuration/variation.hpp"

namespace trainyard::python {

using Settings = std::vector<std::pair<std::string, std::string>>;  // option, text

/// What training is asked for.
struct Asked {
  Settings settings{};
  std::string file{};       // of a configuration, or lab:NAME; empty: none
  bool has_arrays = false;  // rows come as arrays, and from no file
};

/// The data set of rows that come as arrays.
inline constexpr const char* arrays_name = "arrays";

/// Whether a run that is asked for from Python takes it: not what says where the program prints and
/// writes.
bool is_taken(const Option& option);

/// Over the defaults of its data set, as on the command line. Throws UsageError, naming the option.
/// Tables of contestants are given to `tables`.
Configuration configuration_of(const Asked& asked, std::vector<ContestantTable>* tables = nullptr);
/// The same where runs have other data sets than the built-in one, whose defaults are for it alone.
Configuration configuration_of_any_set(const Asked& asked, std::vector<ContestantTable>* tables);

/// Who takes part: either as typed, or with a label and settings of its own.
struct AskedContestant {
  std::string text{};  // "local-sgd{period=8}"; empty: the rest
  std::string label{}, scheme{};
  Settings settings{};
};
std::vector<Contestant> contestants_of(std::span<const AskedContestant> asked);

struct AskedVariation {
  std::string option;
  std::vector<std::string> values{};
  std::string range{};  // "10us:1ms", instead
};
std::vector<Variation> variations_of(std::span<const AskedVariation> asked,
                                     const FindVaried& find = any_option());

/// The setting of a prediction that is asked for, of the options in `taken` and "size".
PredictionSetting prediction_setting(const Settings& settings,
                                     std::span<const std::string_view> taken);

}  // namespace trainyard::python
