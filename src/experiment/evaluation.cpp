#include "trainyard/experiment/evaluation.hpp"

#include <algorithm>
#include <vector>

#include <tbb/enumerable_thread_specific.h>

#include "trainyard/base/parallel.hpp"

namespace trainyard {

Tally evaluate_all(const Model& model, ConstVector parameters, const Dataset& data) {
  constexpr std::size_t rows_of_block = 512;
  const std::size_t blocks = (data.rows + rows_of_block - 1) / rows_of_block;
  std::vector<Tally> parts(blocks);
  tbb::enumerable_thread_specific<Workspace> workspaces;
  parallel_blocks(blocks, [&](std::size_t block) {
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
  return all;
}

}  // namespace trainyard
