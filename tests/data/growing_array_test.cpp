#include "data/growing_array.hpp"

#include <cstdint>
#include <vector>

#include "support/catch.hpp"

namespace trainyard {

TEST_CASE("a growing array gives back what was appended, in order", "[data]") {
  GrowingArray<std::uint32_t> array;
  std::vector<std::uint32_t> expected;
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

TEST_CASE("growing memory keeps its content beyond its reservation", "[data]") {
  GrowingMemory memory;
  memory.ensure(1);
  memory.data()[0] = std::byte{7};
  memory.ensure((std::size_t{1} << 36U) + 1);  // moves; only two pages are ever written
  memory.data()[std::size_t{1} << 36U] = std::byte{9};
  CHECK(memory.data()[0] == std::byte{7});
  const AlignedBuffer<std::byte> kept(memory.release(3), 3);
  CHECK(kept[0] == std::byte{7});
  CHECK(kept[1] == std::byte{0});
}

}  // namespace trainyard
