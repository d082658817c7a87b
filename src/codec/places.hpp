// k of d places at random, as a function of a seed: both sides know them when one has sent the
// seed.
//
// Place j is what a random permutation of 0 … d−1 makes of j, for j = 0 … k−1: k distinct places,
// each one alone, in no memory and in a time of k. (Selection sampling, Knuth's algorithm S, has to
// look at all d places on both sides, a hundred times as many at 1%; Floyd's needs a set of those
// that are taken. That they come in no order costs nothing but a cache miss each.)
//
// The permutation is a Feistel network of six rounds on rows × columns ≥ d places, which in turn
// add a hash of one coordinate to the other (Black & Rogaway, CT-RSA 2002): each round can be
// undone, so no two places meet. What comes out at d or beyond goes through it again until it does
// not; there are fewer than √d + 1 such places. At last all are moved on by the same random number
// modulo d, which makes each place as likely as any other whatever the hash is: that is what the
// mean and the error of a codec depend on. (Four rounds do for large d; of 8 places some pairs come
// up more often.)
//
// Threads: a value like any other.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "trainyard/base/error.hpp"
#include "trainyard/codec/dither.hpp"

namespace trainyard {

class RandomPlaces {
 public:
  /// REQUIRES: 1 ≤ d < 2^32.
  RandomPlaces(std::uint64_t seed, std::size_t d)
      : d_(d), rounds_{Dither(key(seed, 1)), Dither(key(seed, 2)), Dither(key(seed, 3)),
                       Dither(key(seed, 4)), Dither(key(seed, 5)), Dither(key(seed, 6))} {
    require(d >= 1 && d < std::size_t{1} << 32, "places are counted in 32 bits");
    rows_ = static_cast<std::uint32_t>(std::ceil(std::sqrt(static_cast<double>(d))));
    columns_ = static_cast<std::uint32_t>((d + rows_ - 1) / rows_);
    shift_ = (key(seed, 7) >> 32) * d >> 32;
  }

  /// REQUIRES: j < d.
  std::size_t operator[](std::size_t j) const {
    do j = permuted(static_cast<std::uint32_t>(j));
    while (j >= d_);
    j += shift_;
    return j < d_ ? j : j - d_;
  }

 private:
  /// Number n of the generator SplitMix64 (Steele et al., OOPSLA 2014) from that seed on.
  static std::uint64_t key(std::uint64_t seed, std::uint64_t n) {
    std::uint64_t z = seed + n * 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

  /// value + a hash of `other`, modulo `bound`. REQUIRES: value < bound.
  std::uint32_t moved(std::size_t round, std::uint32_t value, std::uint32_t other,
                      std::uint32_t bound) const {
    const std::uint64_t by = std::uint64_t{rounds_[round].bits(other)} * bound >> 32;
    const std::uint64_t sum = value + by;
    return static_cast<std::uint32_t>(sum < bound ? sum : sum - bound);
  }

  std::size_t permuted(std::uint32_t j) const {
    std::uint32_t row = j / columns_, column = j % columns_;
    for (std::size_t round = 0; round < rounds_.size(); round += 2) {
      row = moved(round, row, column, rows_);
      column = moved(round + 1, column, row, columns_);
    }
    return std::size_t{row} * columns_ + column;
  }

  std::size_t d_;
  std::uint32_t rows_ = 1, columns_ = 1;
  std::size_t shift_ = 0;
  std::array<Dither, 6> rounds_;
};

}  // namespace trainyard
