#include "trainyard/run/evaluation.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include <tbb/enumerable_thread_specific.h>

#include "trainyard/base/parallel.hpp"

namespace trainyard {

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

std::optional<Tally> evaluate_all(const Model& model, ConstVector parameters, const Dataset& data,
                                  const GracePeriod& grace) {
  constexpr std::size_t rows_of_block = 512;
  const std::size_t blocks = (data.rows + rows_of_block - 1) / rows_of_block;
  std::vector<Tally> parts(blocks);
  tbb::enumerable_thread_specific<Workspace> workspaces;
  parallel_blocks(blocks, [&](std::size_t block) {
    if (grace.is_over()) return;
    const std::size_t first = block * rows_of_block;
    const RowRange rows{&data, first, std::min(rows_of_block, data.rows - first)};
    parts[block] = model.evaluate(parameters, {&rows, 1}, workspaces.local());
  });
  Tally all;
  for (const Tally& part : parts) {
    all.loss_sum += part.loss_sum;
    all.correct += part.correct;
    all.rows += part.rows;
  }
  if (all.rows < data.rows) return std::nullopt;
  return all;
}

}  // namespace trainyard
