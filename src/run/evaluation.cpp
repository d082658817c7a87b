#include "trainyard/run/evaluation.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include <tbb/enumerable_thread_specific.h>

#include "trainyard/base/parallel.hpp"

namespace trainyard {

namespace {

/// With the heap's memory instead of oneTBB's own, which ThreadSanitizer does not see given back:
/// what one thread frees there and another is given next looks like a race.
template <typename T>
using PerThread = tbb::enumerable_thread_specific<T, std::allocator<T>>;

constexpr std::size_t rows_of_block = 512;

}  // namespace

bool GracePeriod::is_over() const {
  // relaxed: a flag that a signal sets, and a time; nothing is published with them.
  if (!interrupted_.load(std::memory_order_relaxed)) return false;
  const std::int64_t now = std::chrono::duration_cast<std::chrono::nanoseconds>(
                               std::chrono::steady_clock::now().time_since_epoch())
                               .count();
  std::int64_t ends = 0;
  if (ends_ns_.compare_exchange_strong(ends, now + 500'000'000, std::memory_order_relaxed)) {
    return false;
  }
  return now >= ends;
}

std::optional<Tally> evaluate_rows(const Model& model, ConstVector parameters,
                                   const RowRange& range, const GracePeriod& grace) {
  const std::size_t blocks = (range.count + rows_of_block - 1) / rows_of_block;
  std::vector<Tally> parts(blocks);
  PerThread<Workspace> workspaces;
  parallel_blocks(blocks, [&](std::size_t block) {
    if (grace.is_over()) return;
    const std::size_t first = block * rows_of_block;
    const RowRange rows{range.data, range.first + first,
                        std::min(rows_of_block, range.count - first)};
    parts[block] = model.evaluate(parameters, {&rows, 1}, workspaces.local());
  });
  Tally all;
  for (const Tally& part : parts) {
    all.loss_sum += part.loss_sum;
    all.correct += part.correct;
    all.rows += part.rows;
    all.weight += part.weight;
  }
  if (all.rows < range.count) return std::nullopt;
  return all;
}

std::optional<double> r_squared(const Tally& losses, const Dataset& data) {
  if (data.targets.empty()) return std::nullopt;
  double mean = 0.0;
  for (std::size_t row = 0; row < data.rows; ++row) {
    mean += static_cast<double>(data.weight_of(row)) * static_cast<double>(data.targets[row]);
  }
  mean /= losses.weight;
  double squares = 0.0;
  for (std::size_t row = 0; row < data.rows; ++row) {
    const double off = static_cast<double>(data.targets[row]) - mean;
    squares += static_cast<double>(data.weight_of(row)) * off * off;
  }
  if (squares == 0.0) return std::nullopt;
  return 1.0 - 2.0 * losses.loss_sum / squares;
}

std::optional<double> squared_gradient_norm(const Model& model, ConstVector parameters,
                                            const Dataset& data, const GracePeriod& grace) {
  // A model's gradient is a mean and has all of the regulariser, so that the mean of blocks weighed
  // by their rows is that of all rows. So many sums lie side by side at once, whatever the number
  // of cores.
  constexpr std::size_t sums_at_once = 16;
  const std::size_t blocks = (data.rows + rows_of_block - 1) / rows_of_block;
  const std::size_t dimension = model.dimension();
  std::vector<std::vector<double>> sums(std::min(sums_at_once, blocks),
                                        std::vector<double>(dimension, 0.0));
  PerThread<Workspace> workspaces;
  PerThread<VectorBuffer> gradients;
  parallel_blocks(sums.size(), [&](std::size_t place) {
    VectorBuffer& gradient = gradients.local();
    if (gradient.empty()) gradient = VectorBuffer(model.scalar(), dimension);
    for (std::size_t block = place; block < blocks && !grace.is_over(); block += sums.size()) {
      const std::size_t first = block * rows_of_block;
      const RowRange rows{&data, first, std::min(rows_of_block, data.rows - first)};
      model.gradient(parameters, {&rows, 1}, gradient.view(), workspaces.local());
      const double weight = static_cast<double>(rows.count) / static_cast<double>(data.rows);
      with_scalar(model.scalar(), [&]<typename T>(T) {
        const std::span<const T> values = std::as_const(gradient).view().template as<T>();
        for (std::size_t j = 0; j < dimension; ++j) sums[place][j] += weight * values[j];
      });
    }
  });
  if (grace.is_over()) return std::nullopt;
  double square = 0.0;
  for (std::size_t j = 0; j < dimension; ++j) {
    double slope = 0.0;
    for (const std::vector<double>& sum : sums) slope += sum[j];
    square += slope * slope;
  }
  return square;
}

}  // namespace trainyard
