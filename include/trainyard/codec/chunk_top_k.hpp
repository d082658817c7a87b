// Of each chunk of a vector the numbers of largest magnitude, the others 0: what DeMo and
// SparseLoCo send (scheme/demo.cpp, scheme/sparse_loco.cpp). A place within a chunk takes few bits,
// and no part of the vector is left out altogether. Among equal magnitudes the lower place is
// larger.
//
// Values go as they are, or in two bits each, as templar's code has it (compress/topk.py): with
// their mean m and deviation s, bin i ∈ {0, 1, 2, 3} has those next to m + 1.5 s (i − 2), and each
// becomes the mean of its bin. That is 3 s to one side of m and 1.5 s to the other.
//
// Biased, a contraction: ‖C(x) − x‖² is at most ‖x‖² less the largest of each chunk; with two bits
// the values' distances from the means of their bins are added.
//
// Wire: the K values, as they are or as four numbers, which the bins stand for, and K fields of two
// bits; then the K places in their chunks, each in as many bits as the chunk's length takes.
//
// Threads: as of every codec.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trainyard/codec/codec.hpp"

namespace trainyard {

/// So many chunks of one length, one behind the other.
struct ChunkRun {
  std::size_t length = 1, count = 0;

  bool operator==(const ChunkRun&) const = default;
};

class ChunkTopK final : public Codec {
 public:
  enum class Values : std::uint8_t { as_they_are, two_bits };

  /// Of vectors that are these chunks; `kept` of each, or all of one that is no longer. REQUIRES:
  /// lengths from 1 to 2^32, kept ≥ 1.
  ChunkTopK(std::vector<ChunkRun> chunks, std::size_t kept, Values values);

  std::size_t most_bytes(Scalar scalar, TensorShapes shapes) const override;
  std::size_t encode(ConstVector x, TensorShapes shapes, RandomStream& random,
                     CodecScratch& scratch, std::span<std::byte> wire) const override;
  void decode_add(double scale, std::span<const std::byte> wire, TensorShapes shapes,
                  Vector sum) const override;
  /// counts_j ← counts_j + 1 where C(x) has a value. REQUIRES: decode_add() has taken `wire`.
  void count_values(Scalar scalar, std::span<const std::byte> wire,
                    std::span<std::uint32_t> counts) const;
  bool unbiased() const override { return false; }
  double error_bound(std::size_t length) const override;

 private:
  std::size_t kept_of(const ChunkRun& run) const { return run.length < kept_ ? run.length : kept_; }
  std::size_t bytes_of_values(Scalar scalar) const;
  template <typename T, typename Visit>
  void visit(std::span<const std::byte> wire, const Visit& visit) const;

  std::vector<ChunkRun> chunks_;
  std::size_t kept_;
  Values values_;
  std::size_t length_ = 0;    // of a vector
  std::size_t all_kept_ = 0;  // K
  std::size_t bits_of_places_ = 0;
};

}  // namespace trainyard
