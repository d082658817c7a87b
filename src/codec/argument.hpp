// Parses the argument behind the colon of a codec's name.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace trainyard {

/// A whole number. Throws UsageError where it is none from `low` to `high`.
std::uint64_t whole_argument(std::string_view text, std::uint64_t low, std::uint64_t high);

/// A number above 0.
double positive_argument(std::string_view text);

/// How many of d numbers are kept: "1%" of them, rounded up, or "k=100", all where d is smaller.
class KeptShare {
 public:
  /// Throws UsageError for what is neither.
  explicit KeptShare(std::string_view text);
  /// From 1 to d. REQUIRES: d ≥ 1.
  std::size_t of(std::size_t d) const;

 private:
  double percent_ = 0.0;     // > 0 and ≤ 100, or
  std::uint64_t count_ = 0;  // ≥ 1
};

}  // namespace trainyard
