// Words in a figure.
#pragma once

#include <string>

namespace trainyard {

/// As XML wants it: no markup, no control characters.
std::string svg_escaped(const std::string& text);

}  // namespace trainyard
