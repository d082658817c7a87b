// Where the script lies that fetches known data sets.
//
// Threads: any.
#pragma once

#include <string>

namespace trainyard {

/// "scripts/fetch_datasets.sh" of the source tree; its path where the program is installed.
std::string fetch_script();

}  // namespace trainyard
