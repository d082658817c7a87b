// Which numbers of a vector are the largest. The bits of |x|, read as a whole number, are in the
// same order as |x|.
//
// Threads: any; scratch is the caller's.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "trainyard/codec/codec.hpp"
#include "trainyard/codec/loops.hpp"

namespace trainyard {

template <typename T>
MagnitudeKey<T> magnitude_key(T x) {
  return std::bit_cast<MagnitudeKey<T>>(std::abs(x));
}

/// The numbers whose key is above `key`, and the first `at_key` of those at it.
template <typename T>
struct Cut {
  MagnitudeKey<T> key;
  std::size_t at_key;
};

/// How many numbers of x have `key` or one above.
template <typename T>
std::size_t count_from(std::span<const T> x, MagnitudeKey<T> key) {
  return codec_loops<T>().count_from(x, key);
}

/// Calls visit(i, key) for those with `least` or a key above, in order.
template <typename T, typename Visit>
void visit_from(std::span<const T> x, MagnitudeKey<T> least, const Visit& visit) {
  std::array<std::uint32_t, 1024> places;
  for (std::size_t first = 0; first < x.size(); first += places.size()) {
    const std::span<const T> numbers = x.subspan(first, std::min(places.size(), x.size() - first));
    const std::size_t count = codec_loops<T>().places_from(numbers, least, places);
    for (std::size_t j = 0; j < count; ++j) {
      visit(first + places[j], magnitude_key(numbers[places[j]]));
    }
  }
}

/// Calls visit(i) for those that the cut leaves, in order.
template <typename T, typename Visit>
void visit_kept(std::span<const T> x, Cut<T> cut, const Visit& visit) {
  visit_from(x, cut.key, [&](std::size_t i, MagnitudeKey<T> key) {
    if (key == cut.key && cut.at_key-- == 0) {
      cut.at_key = 0;
      return;
    }
    visit(i);
  });
}

/// A key that most probably k of the numbers reach and few more: that of the numbers in every 61st
/// place which a little more than their share of k reach, by four standard deviations. (Not every
/// 64th, which might be a column of a matrix.) 0 where they are too few to tell.
template <typename T>
MagnitudeKey<T> likely_reached(std::span<const T> x, std::size_t k,
                               std::vector<std::uint64_t>& keys) {
  constexpr std::size_t stride = 61;
  keys.clear();
  for (std::size_t i = 0; i < x.size(); i += stride) {
    keys.push_back(static_cast<std::uint64_t>(magnitude_key(x[i])));
  }
  const double share = static_cast<double>(k) / stride;
  const auto rank = static_cast<std::size_t>(share + 4.0 * std::sqrt(share) + 4.0);
  if (rank >= keys.size()) return 0;
  const auto at = keys.begin() + static_cast<std::ptrdiff_t>(rank);
  std::ranges::nth_element(keys, at, std::greater<>());
  return static_cast<MagnitudeKey<T>>(*at);
}

/// The k largest, those of a lower index first where some are equal. Only those numbers are
/// compared with one another that reach a key which few do, or all where fewer than k do: d steps
/// on average. REQUIRES: 1 ≤ k ≤ x.size().
template <typename T>
Cut<T> largest(std::span<const T> x, std::size_t k, CodecScratch& scratch) {
  std::vector<std::uint64_t>& keys = scratch.keys;
  keys.reserve(x.size());
  MagnitudeKey<T> least = likely_reached(x, k, keys);
  if (count_from(x, least) < k) least = 0;
  keys.clear();
  visit_from(x, least, [&](std::size_t, MagnitudeKey<T> key) {
    keys.push_back(static_cast<std::uint64_t>(key));
  });
  const auto cut = keys.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::ranges::nth_element(keys, cut, std::greater<>());
  const auto above =
      std::count_if(keys.begin(), cut, [&](std::uint64_t key) { return key > *cut; });
  return {static_cast<MagnitudeKey<T>>(*cut), k - static_cast<std::size_t>(above)};
}

}  // namespace trainyard
