// QSGD's rounding (qsgd.cpp), for both of its wire formats: a ruler from 0 to ‖x‖ with s marks.
//
// The level of |x| is the mark below it, or at random the next one: that of the place on the ruler
// s |x|/‖x‖. At s ≤ 127 its fraction is cut off to a multiple of 2^-24, so that C(x)_i is short of
// x_i by up to ‖x‖/(s 2^24) on average: 5e-10 of ‖x‖ at s = 127, a hundredth of what rounding ‖x‖
// to a float changes. Above, the chance of the next mark is rounded up to a multiple of 2^-24 (of
// 2^-32 in doubles).
//
// Threads: a value like any other.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "trainyard/codec/dither.hpp"
#include "trainyard/codec/loops.hpp"
#include "trainyard/codec/norms.hpp"
#include "trainyard/codec/wire.hpp"

namespace trainyard {

/// Most levels: a float tells that many marks apart, and their halves.
inline constexpr std::uint32_t most_levels = (1U << 23) - 1;
/// Most levels that are a byte each, with their signs.
inline constexpr std::int32_t most_byte_levels = 127;

template <typename T>
class Ruler {
 public:
  Ruler(std::span<const T> x, std::uint32_t levels, RandomStream& random)
      : x_(x), norm_(within<T>(norm_of(x))), dither_(random) {
    const auto s = static_cast<std::int32_t>(levels);
    const T up = scale_up_of(norm_);
    marks_ = {up, norm_ == T{0} ? T{0} : static_cast<T>(s) / (norm_ * up), s};
  }

  T norm() const { return norm_; }

  /// Writes the level of each number, plus s, in a byte. REQUIRES: s ≤ most_byte_levels.
  void write_bytes(std::byte* to) const {
    codec_loops<T>().write_level_bytes(x_, 0, marks_, dither_, to);
  }

  /// Calls visit(i, level) for each number, in order, with levels from −s to s. They are found in
  /// blocks, several at once.
  template <typename Visit>
  void visit_levels(const Visit& visit) const {
    std::array<std::int32_t, 128> block;
    for (std::size_t first = 0; first < x_.size(); first += block.size()) {
      const std::span<const T> numbers =
          x_.subspan(first, std::min(block.size(), x_.size() - first));
      find_levels(numbers, static_cast<std::uint32_t>(first), block);
      for (std::size_t j = 0; j < numbers.size(); ++j) visit(first + j, block[j]);
    }
  }

 private:
  void find_levels(std::span<const T> numbers, std::uint32_t first,
                   std::array<std::int32_t, 128>& levels) const {
    if (marks_.levels > most_byte_levels) {
      codec_loops<T>().find_levels(numbers, first, marks_, dither_, levels.data());
      return;
    }
    std::array<std::byte, 128> bytes;
    codec_loops<T>().write_level_bytes(numbers, first, marks_, dither_, bytes.data());
    for (std::size_t j = 0; j < numbers.size(); ++j) {
      levels[j] = static_cast<std::int32_t>(bytes[j]) - marks_.levels;
    }
  }

  std::span<const T> x_;
  T norm_;
  RulerMarks<T> marks_{};
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
