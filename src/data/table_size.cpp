#include "trainyard/data/table_size.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/counted.hpp"
#include "trainyard/base/error.hpp"

#include "data/byte_source.hpp"
#include "data/table_layout.hpp"
#include "data/table_scan.hpp"
#include "data/text_blocks.hpp"

namespace trainyard {

namespace {

void check_numbers(const std::string& name, std::size_t lines, std::size_t features,
                   const TableLimits& limits) {
  if (lines <= limits.numbers / std::max<std::size_t>(1, features)) return;
  throw DataError(fmt::format(
      "{}: {} of {}; {} takes up to {} numbers in all, and each word of a "
      "column is a feature: leave columns of many words out (drop-columns)",
      name, counted(lines, "line"), counted(features, "feature"), limits.taker, limits.numbers));
}

}  // namespace

void check_table_size(std::string_view bytes, const std::string& name, const ReadOptions& how,
                      const TableLimits& limits) {
  TextBlocks blocks(open_bytes(bytes, name), name);
  const TableHead head = read_head(blocks, usual_separator(how.format), how);
  if (head.columns == 0) return;  // the reader says so
  check_head(name, head, how);
  if (head.columns > limits.columns) {
    throw DataError(fmt::format("{}: {} columns; {} takes up to {}", name, head.columns,
                                limits.taker, limits.columns));
  }
  const auto lines = static_cast<std::size_t>(std::ranges::count(bytes, '\n')) + 1;
  TableSchema schema = numeric_schema(name, head, how);
  check_numbers(name, lines, schema.features, limits);
  std::vector<std::string> remarks;  // the reader has the same
  scan_words(blocks, head, how, schema, remarks);
  check_numbers(name, lines, schema.features, limits);
}

}  // namespace trainyard
