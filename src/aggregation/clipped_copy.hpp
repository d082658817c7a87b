// Vectors shortened to a norm.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include "trainyard/base/vector.hpp"

namespace trainyard {

/// out ← v min(1, most/‖v‖); v to the bit where it is no longer than `most`.
void write_clipped(ConstVector v, double norm, double most, Vector out);

}  // namespace trainyard
