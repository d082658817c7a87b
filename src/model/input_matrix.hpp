// The input of a layer as a matrix X, rows × features: a batch's rows, dense or sparse, or the
// units of the layer before. It knows the two products that training needs.
#pragma once

#include <cstddef>
#include <span>

#include "trainyard/data/batch.hpp"
#include "trainyard/model/model.hpp"

namespace trainyard {

class InputMatrix {
 public:
  /// A matrix that lies somewhere.
  InputMatrix(std::span<const float> matrix, std::size_t rows, std::size_t features)
      : dense_(matrix), rows_(rows), features_(features) {}
  /// The rows of a batch: in place where it is one range or sparse, otherwise copied to buffer
  /// `slot` of the workspace. REQUIRES: the batch is not empty and outlives the matrix.
  InputMatrix(Batch batch, Workspace& workspace, std::size_t slot);
  /// That matrix again, without copying. REQUIRES: the last matrix in that buffer was of this
  /// batch.
  static InputMatrix again(Batch batch, Workspace& workspace, std::size_t slot);

  /// product ← X · weights. weights is features × width, product rows × width.
  void times(std::span<const float> weights, std::size_t width, std::span<float> product) const;
  /// gradient ← Xᵀ · residuals + l2 · weights. residuals is rows × width, gradient features ×
  /// width, and weights are those of the first features that the regulariser is for, all or fewer.
  void weight_gradient(std::span<const float> residuals, std::size_t width, float l2,
                       std::span<const float> weights, std::span<float> gradient) const;
  /// gradient ← gradient + Xᵀ · residuals, for a sparse X.
  void add_sparse_weight_gradient(std::span<const float> residuals, std::size_t width,
                                  std::span<float> gradient) const;

  /// weights ← weights − step_size · Xᵀ · residuals, for a dense X.
  void descend(std::span<const float> residuals, std::size_t width, float step_size,
               std::span<float> weights) const;

 private:
  InputMatrix() = default;
  bool is_sparse() const { return !sparse_.empty(); }

  std::span<const float> dense_;  // where it is not sparse
  Batch sparse_;
  std::size_t rows_ = 0;
  std::size_t features_ = 0;
};

/// Models of several layers or classes are evaluated in tiles of this many rows, so that what lies
/// between their layers stays in the cache.
inline constexpr std::size_t tile_rows = 64;

/// part(tile) for each tile of each range, in order. A tile holds at most tile_rows rows.
template <typename Part>
void for_each_tile(Batch batch, const Part& part) {
  for (const RowRange& range : batch) {
    for (std::size_t done = 0; done < range.count; done += tile_rows) {
      const std::size_t left = range.count - done;
      part(RowRange{range.data, range.first + done, left < tile_rows ? left : tile_rows});
    }
  }
}

}  // namespace trainyard
