// Words in a figure.
#pragma once

#include <string>

namespace trainyard {

/// Colours of words, and of those beside the point.
inline constexpr const char* ink = "#1f2933";
inline constexpr const char* faint_ink = "#7b8794";

/// Escaped for XML: no markup, no control characters.
std::string svg_escaped(const std::string& text);

}  // namespace trainyard
