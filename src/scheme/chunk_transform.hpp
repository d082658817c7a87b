// DeMo's view of a model (Peng, Quesnelle & Kingma 2024; bloc97/DeMo's demo.py): each matrix in
// chunks of h × w, with h and w the largest divisors of its rows and columns that are not above a
// limit, and what has one column in chunks of h; each chunk as coefficients of the orthonormal
// cosine transform of both its sides, D_h X D_wᵀ, where
//   D_N[k][i] = √((k > 0 ? 2 : 1)/N) cos(π k (2i + 1)/(2N)).
// D⁻¹ = Dᵀ, so errors and lengths are the same in coefficients as in parameters.
//
// Threads: belongs to its rank.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "trainyard/base/vector.hpp"
#include "trainyard/codec/chunk_top_k.hpp"
#include "trainyard/model/tensor_shape.hpp"

namespace trainyard {

/// The largest divisor of n that is at most `limit`. REQUIRES: n, limit ≥ 1.
std::size_t largest_divisor(std::size_t n, std::size_t limit);

class ChunkTransform {
 public:
  /// `cosine`: else coefficients are the numbers themselves, chunk by chunk.
  ChunkTransform(TensorShapes tensors, std::size_t limit, bool cosine);

  /// The chunks of a vector of coefficients, in their order.
  std::vector<ChunkRun> chunks() const;
  void forward(ConstVector parameters, Vector coefficients);
  void backward(ConstVector coefficients, Vector parameters);

 private:
  struct Tensor {
    std::size_t first, rows, columns;  // where it lies
    std::size_t h, w;                  // of a chunk
  };
  /// Calls visit(tensor, where the chunk's first parameter lies, where its coefficients do).
  template <typename Visit>
  void for_each_chunk(const Visit& visit) const;
  /// chunk_ ← D_h · chunk_ · D_wᵀ, or back, D_hᵀ · chunk_ · D_w.
  void turn(std::size_t h, std::size_t w, bool back);

  std::vector<Tensor> tensors_;
  bool cosine_;
  std::map<std::size_t, std::vector<double>> matrices_;  // D_N, row by row
  std::vector<double> chunk_, half_;
};

}  // namespace trainyard
