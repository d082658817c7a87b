// Words as a shell takes them.
//
// Threads: any; a function of its argument.
#pragma once

#include <string>

namespace trainyard {

/// The word as it is to be pasted into a shell: as it is where nothing in it means more, else in
/// single quotes; what cannot be printed is spelt out for printf.
std::string quoted_for_shell(const std::string& word);

}  // namespace trainyard
