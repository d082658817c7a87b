// How far the mean of a few values may be off.
//
// Threads: any; a function of its arguments.
#pragma once

#include <cstddef>

namespace trainyard {

/// Half of the 95 % interval of a mean: t(K − 1, 0.975) s / √K, of K values with the standard
/// deviation s of the sample ("Student" 1908). REQUIRES: K ≥ 2.
double student_half_width(double deviation, std::size_t count);

}  // namespace trainyard
