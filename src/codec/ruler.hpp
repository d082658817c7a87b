// QSGD's rounding (qsgd.cpp), for both of its wire formats: a ruler from 0 to ‖x‖ with s marks.
//
// The level of |x| is the mark below it, or at random the next one: a comparison of the fraction
// with u, and not ⌊s |x|/‖x‖ + u⌋, whose sum has no bits left for u where s is large.
//
// Threads: a value like any other.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "codec/dither.hpp"
#include "codec/norms.hpp"
#include "codec/wire.hpp"

namespace trainyard {

/// Most levels: a float tells that many marks apart, and their halves.
inline constexpr std::uint32_t most_levels = (1U << 23) - 1;

template <typename T>
class Ruler {
 public:
  Ruler(std::span<const T> x, std::uint32_t levels, RandomStream& random)
      : x_(x),
        norm_(within<T>(norm_of(x))),
        levels_(static_cast<std::int32_t>(levels)),
        dither_(random) {}

  T norm() const { return norm_; }

  /// Those of the numbers from x[first] on, with their signs: from −s to s.
  void levels(std::size_t first, std::span<std::int32_t> levels) const {
    if (norm_ == T{0}) {
      std::ranges::fill(levels, 0);
      return;
    }
    for (std::size_t j = 0; j < levels.size(); ++j) {
      const T x = x_[first + j];
      // Divided before it is multiplied: s/‖x‖ overflows where ‖x‖ is tiny.
      const T place = std::abs(x) / norm_ * static_cast<T>(levels_);
      const auto below = static_cast<std::int32_t>(place);
      const T fraction = place - static_cast<T>(below);
      const bool above = dither_.template uniform<T>(first + j) < fraction;
      // No more than s: rounding keeps the order, so ‖x‖ is no less than |x|, and s has no
      // fraction.
      const std::int32_t level = below + static_cast<std::int32_t>(above);
      levels[j] = x < T{0} ? -level : level;
    }
  }

  /// Calls visit(i, level) for each number, in order. The levels are found in blocks, several at
  /// once.
  template <typename Visit>
  void visit_levels(const Visit& visit) const {
    std::array<std::int32_t, 128> block;
    for (std::size_t first = 0; first < x_.size(); first += block.size()) {
      const std::size_t count = std::min(block.size(), x_.size() - first);
      levels(first, std::span(block).first(count));
      for (std::size_t j = 0; j < count; ++j) visit(first + j, block[j]);
    }
  }

 private:
  std::span<const T> x_;
  T norm_;
  std::int32_t levels_;
  Dither dither_;
};

/// The norm that a message begins with. Throws MalformedMessage where it is none.
template <typename T>
double norm_on(std::span<const std::byte> wire) {
  const T norm = wire::load<T>(wire, 0);
  wire::expect_number(norm, 0.0);
  return norm;
}

/// The least ω that is known: E‖C(x) − x‖² ≤ min(d/(4s²), √d/s) ‖x‖².
inline double ruler_error_bound(std::uint32_t levels, std::size_t length) {
  const auto d = static_cast<double>(length);
  const double s = levels;
  return std::min(d / (4.0 * s * s), std::sqrt(d) / s);
}

}  // namespace trainyard
