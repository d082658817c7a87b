// Losses and accuracy over a whole data set, with all cores.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "trainyard/data/dataset.hpp"
#include "trainyard/model/model.hpp"

namespace trainyard {

/// How long somebody who has asked for the end still waits: half a second, in which most models are
/// evaluated once more, and 70,000 classes are not. Threads: any, at any time.
class GracePeriod {
 public:
  explicit GracePeriod(const std::atomic<bool>& interrupted) : interrupted_(interrupted) {}
  /// The first call that finds `interrupted` set starts the half second.
  bool is_over() const;

 private:
  const std::atomic<bool>& interrupted_;
  mutable std::atomic<std::int64_t> ends_ns_{0};  // 0: it has not begun
};

/// The sums do not depend on the number of cores: blocks of 512 rows, combined in order. Empty
/// where the grace period ended before the last block.
std::optional<Tally> evaluate_rows(const Model& model, ConstVector parameters,
                                   const RowRange& range, const GracePeriod& grace);
inline std::optional<Tally> evaluate_all(const Model& model, ConstVector parameters,
                                         const Dataset& data, const GracePeriod& grace) {
  return evaluate_rows(model, parameters, {&data, 0, data.rows}, grace);
}

/// 1 − Σ(x·w − y)² / Σ(y − ȳ)² of real labels y, from the losses ½(x·w − y)² over all rows, each by
/// its weight; empty of classes, and where all labels are equal.
std::optional<double> r_squared(const Tally& losses, const Dataset& data);

/// ‖∇F‖² at `parameters`, the regulariser's part included, by the same blocks.
std::optional<double> squared_gradient_norm(const Model& model, ConstVector parameters,
                                            const Dataset& data, const GracePeriod& grace);

}  // namespace trainyard
