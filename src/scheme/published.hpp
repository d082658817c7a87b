// The rows of the published schemes, in the order in which they are listed.
#pragma once

#include <vector>

#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

std::vector<Scheme> published_schemes();

}  // namespace trainyard
