// Words as a shell takes them.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// The word as it is to be pasted into a shell: as it is where nothing in it means more, else in
/// single quotes; what cannot be printed is spelt out for printf.
std::string quoted_for_shell(const std::string& word);

/// The words of a line as a shell splits it, of which only blanks and single quotes mean anything.
/// Throws UsageError where a quote is not closed.
std::vector<std::string> shell_words(std::string_view line);

}  // namespace trainyard
