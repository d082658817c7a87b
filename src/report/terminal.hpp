// Lines of a terminal that are written over.
#pragma once

#include <string>

namespace trainyard {

/// The part of `line` that the terminal shows on one line: what wraps cannot be erased. All of it
/// where the width is not known.
std::string cut_to_terminal(int descriptor, const std::string& line);

}  // namespace trainyard
