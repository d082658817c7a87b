#include "data/chunked_array.hpp"

#include <cstdint>
#include <vector>

#include "support/catch.hpp"

namespace trainyard {

TEST_CASE("a chunked array gives back what was appended, in order", "[data]") {
  ChunkedArray<std::uint32_t> array;
  std::vector<std::uint32_t> expected;
  // Pieces of 0 to 4,999 values cross the ends of chunks at every offset.
  for (std::uint32_t piece = 0; piece < 200; ++piece) {
    std::vector<std::uint32_t> values(piece * 7919 % 5000);
    for (auto& value : values) value = static_cast<std::uint32_t>(expected.size()) + (piece << 24);
    array.append(values);
    expected.insert(expected.end(), values.begin(), values.end());
  }
  CHECK(array.size() == expected.size());
  const AlignedBuffer<std::uint32_t> whole = array.take();
  CHECK(std::vector<std::uint32_t>(whole.begin(), whole.end()) == expected);
  CHECK(array.size() == 0);
  CHECK(array.take().empty());
}

}  // namespace trainyard
