// Sentences that say the same of other numbers, as one with their ranges:
//
//   "2 crashes: 367.6 ms of the time lost", "17 crashes: 11.57 s of the time lost"
//   → "2 to 17 crashes: 367.6 ms to 11.57 s of the time lost"
//
// Numbers that count or measure differ so. Those that name something do not ("worker 3", "column
// 2", "--lr 0.1"), nor digits within words ("lr=0.1", "float32"): with other ones a sentence is
// another one.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace trainyard {

/// The same for sentences that differ in nothing but what they count and measure, and for no
/// others.
std::string kind_of_sentence(std::string_view sentence);

/// One for all. "3 to 7 rows" and "2 to 9 rows" are "2 to 9 rows".
/// REQUIRES: they are of one kind, and there is one.
std::string with_ranges(std::span<const std::string> sentences);

}  // namespace trainyard
