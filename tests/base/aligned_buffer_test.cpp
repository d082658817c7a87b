#include "trainyard/base/aligned_buffer.hpp"

#include <array>
#include <cstdint>

#include "support/catch.hpp"

using namespace trainyard;

TEST_CASE("buffers begin on a cache line", "[base]") {
  for (const std::size_t size : {1U, 3U, 64U, 1000U}) {
    const AlignedBuffer<float> buffer(size);
    CHECK(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64 == 0);
    CHECK(buffer.size() == size);
  }
  CHECK(AlignedBuffer<float>(0).empty());
}

TEST_CASE("buffers are zeroed and copied on request", "[base]") {
  const auto zeros = AlignedBuffer<int>::zeroed(100);
  for (const int value : zeros) CHECK(value == 0);
  const std::array<int, 3> source{1, 2, 3};
  auto copy = AlignedBuffer<int>::copy_of(source);
  copy[0] = 9;
  CHECK(source[0] == 1);
  CHECK(copy[2] == 3);
}
