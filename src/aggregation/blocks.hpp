// Vectors by blocks of coordinates that fit the cache, in double whatever their precision; and
// the means of some of them.
//
// Sums are taken in a fixed order, by plain additions and products: the same vectors give the same
// bits on every machine.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trainyard/aggregation/aggregator.hpp"

namespace trainyard {

/// Coordinates of a block: 64 vectors of them are 64 KiB.
inline constexpr std::size_t block_length = 128;

/// at(first, length) for each block of d coordinates.
template <typename At>
void for_blocks(std::size_t d, const At& at) {
  for (std::size_t first = 0; first < d; first += block_length) {
    at(first, d - first < block_length ? d - first : block_length);
  }
}

/// values ← those of `vector` from `first` on.
void load_block(ConstVector vector, std::size_t first, std::span<double> values);
/// Those of `vector` from `first` on ← values, rounded to its precision.
void store_block(std::span<const double> values, Vector vector, std::size_t first);

/// A block of each of n vectors, one after the other, each of `length` numbers.
class Rows {
 public:
  /// In `memory`, which grows where it has to. `spare` more rows behind them.
  Rows(std::vector<double>& memory, std::size_t n, std::size_t spare = 0) : memory_(memory) {
    if (memory.size() < (n + spare) * block_length) memory.resize((n + spare) * block_length);
  }
  double* row(std::size_t i) const { return memory_.data() + i * block_length; }
  void load(ConstVectors in, std::size_t first, std::size_t length) const {
    for (std::size_t i = 0; i < in.size(); ++i) load_block(in[i], first, {row(i), length});
  }

 private:
  std::vector<double>& memory_;
};

/// order ← 0, 1, …, n − 1
void count_up(std::vector<std::uint32_t>& order, std::size_t n);

/// out ← v₀ + (1/m) Σ (v_i − v₀), the mean of the m picked ones, of which v₀ is the first: equal
/// vectors give themselves, to the bit. REQUIRES: one at least.
void write_mean(ConstVectors in, std::span<const std::uint32_t> picked, Vector out);
/// Of all.
void write_mean(ConstVectors in, Vector out);

}  // namespace trainyard
