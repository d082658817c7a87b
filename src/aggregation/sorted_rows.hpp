// The values of each coordinate in their order, for a block of coordinates at once.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <cstddef>

#include "aggregation/blocks.hpp"

namespace trainyard {

/// How many comparisons sort n values by the network of sort_rows().
std::size_t network_size(std::size_t n);

/// For each of `length` coordinates: sorts its values in the rows first … first + n − 1, the least
/// one to the first. No branch depends on a value: a network of comparators, which takes rows as
/// the wires, so that a processor compares as many coordinates at once as it can (merge exchange:
/// Batcher 1968; Knuth, The Art of Computer Programming 3, section 5.2.2, algorithm M).
void sort_rows(const Rows& rows, std::size_t first, std::size_t n, std::size_t length);

/// result ← the median of n sorted rows, of an even n the mean of the two in the middle.
void median_of_sorted(const Rows& rows, std::size_t first, std::size_t n, std::size_t length,
                      double* result);

/// result ← for each coordinate the mean of the `kept` values among the n rows that are nearest to
/// their median; of two as near, the one of the earlier row. Uses the n + 1 rows after them.
/// REQUIRES: 1 ≤ kept ≤ n, and 2n + 1 rows.
void mean_near_median(const Rows& rows, std::size_t n, std::size_t kept, std::size_t length,
                      double* result);

}  // namespace trainyard
