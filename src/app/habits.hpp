// What people type who come from other programs, and what they mean.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <string>
#include <vector>

namespace trainyard::app {

/// The one of `known` that a flag of another program stands for, or is a misspelling of. Empty
/// where nothing is near.
std::string flag_meant(const std::string& flag, const std::vector<std::string>& known);

/// The command that a word stands for: "run" of "fit". Empty: none.
std::string command_meant(const std::string& word);

/// Throws UsageError for a word that stands where a file may, is none, and is the rest of a flag's
/// value that was cut by a blank: "gossip" of "--schemes ring gossip", "us" of "--latency 100 us".
void refuse_rest_of_value(const std::string& word);

}  // namespace trainyard::app
