// Parses the argument behind the colon of a step's or an attack's name.
//
// Threads: any.
#pragma once

#include <string_view>

namespace trainyard {

/// How many vectors an argument may speak of at most.
inline constexpr int most_vectors = 1'000'000;

/// "2" and "7" of "2:7"; the second one is empty where there is no colon.
struct ArgumentParts {
  std::string_view first, second;
  bool has_second = false;
};
ArgumentParts argument_parts(std::string_view text);

/// What stands before the first `mark` of the text, all of it where there is none. `text` becomes
/// what follows it, `more` whether there was one.
std::string_view next_part(std::string_view& text, char mark, bool& more);

/// F, a number of liars from 0 on, S or another count from `low` on. Throws UsageError, which names
/// it by its letter.
int count_argument(std::string_view text, std::string_view letter, int low,
                   int high = most_vectors);
/// A number above 0.
double length_argument(std::string_view text, std::string_view letter);

}  // namespace trainyard
