// The version of the library and the program.
//
// Threads: any.
#pragma once

#include <string_view>

namespace trainyard {

/// "0.1.0".
std::string_view version();

}  // namespace trainyard
