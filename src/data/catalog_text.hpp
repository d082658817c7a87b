// The text of datasets/catalog.toml, taken into the program when it is built: an installed program
// needs no file of the source tree.
#pragma once

#include <string_view>

namespace trainyard {

extern const std::string_view catalog_text;

}  // namespace trainyard
