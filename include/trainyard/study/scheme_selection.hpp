// Which schemes a comparison is of: names, and groups of names.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "trainyard/configuration/configuration.hpp"
#include "trainyard/data/catalog.hpp"

namespace trainyard {

struct SelectedScheme {
  std::string scheme;
  bool named = true;  // otherwise it came with a group
};

/// "ring,all-decentralised": names and groups (schemes_of_group()), in any mixture and in this
/// order. A scheme runs once, at its first place; named besides its group it counts as named.
/// Throws UsageError for what is neither, and for a word that is there twice.
std::vector<SelectedScheme> parse_scheme_selection(std::string_view text);

/// Those that can run what is asked, in the same order. Of the others throws the UsageError of one
/// that is named, and says of each that came with a group that it is skipped and why; throws when
/// none is left.
std::vector<std::string> able_to_run(const std::vector<SelectedScheme>& selection,
                                     const Configuration& configuration, const LoadedData& data,
                                     const std::function<void(const std::string&)>& remark);

}  // namespace trainyard
