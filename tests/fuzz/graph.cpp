// The files of file:PATH and digraph:PATH. The first byte says for how many workers.
#include <cmath>
#include <vector>

#include "check.hpp"
#include "topology/link_file.hpp"

namespace trainyard {

namespace {

/// What each worker gives away and keeps adds up to 1.
void check_columns(const MixingMatrix& matrix, int ranks) {
  require(matrix.size() == static_cast<std::size_t>(ranks), "a row for each worker");
  std::vector<double> sums(matrix.size(), 0.0);
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    sums[i] += matrix[i].self_weight;
    for (const auto& received : matrix[i].receives) {
      sums[static_cast<std::size_t>(received.rank)] += received.weight;
    }
  }
  for (const double sum : sums) require(std::abs(sum - 1.0) < 1e-6, "a column's sum");
}

}  // namespace

}  // namespace trainyard

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trainyard;
  if (size == 0) return 0;
  const int ranks = 1 + data[0] % 64;
  const std::string_view text = as_text(data + 1, size - 1);
  try {
    const LinkFile file = parse_links(text, "input", ranks, LinkLines::both_ways_or_weighted);
    check_columns(matrix_of_links(file, "input", ranks), ranks);
  } catch (const UsageError&) {  // the input is bad, and said to be
  }
  try {
    const LinkFile file = parse_links(text, "input", ranks, LinkLines::one_way);
    check_columns(matrix_of_one_way_links(file, ranks), ranks);
  } catch (const UsageError&) {
  }
  return 0;
}
