#include "trainyard/base/memory_account.hpp"

#include <limits>

#include "trainyard/base/aligned_buffer.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/growing_memory.hpp"
#include "trainyard/base/vector.hpp"

#include "support/catch.hpp"
#include "support/memory_bound.hpp"

namespace trainyard {

TEST_CASE("arrays are counted while they are there", "[base]") {
  const std::size_t before = memory_held();
  reset_memory_peak();
  {
    const AlignedBuffer<float> floats(1000);
    CHECK(memory_held() == before + 4000);
    VectorBuffer moved(Scalar::float64, 10);
    const VectorBuffer doubles = std::move(moved);
    CHECK(memory_held() == before + 4080);
    const AlignedBuffer<float> empty(0);
    CHECK(memory_held() == before + 4080);
  }
  CHECK(memory_held() == before);
  CHECK(memory_peak() == before + 4080);
}

TEST_CASE("memory that grows is counted in steps of a huge page", "[base]") {
  constexpr std::size_t page = std::size_t{2} << 20U;
  const std::size_t before = memory_held();
  {
    GrowingMemory memory;
    memory.ensure(1);
    CHECK(memory_held() == before + page);
    memory.ensure(page);
    CHECK(memory_held() == before + page);
    memory.ensure(3 * page);
    CHECK(memory_held() == before + 3 * page);
    const AlignedBuffer<char> kept(memory.release(page + 1), page + 1);
    CHECK(memory_held() == before + 2 * page);
  }
  CHECK(memory_held() == before);
  {
    GrowingMemory dropped;
    dropped.ensure(5);
  }
  CHECK(memory_held() == before);
}

TEST_CASE("what passes the bound is refused, and leaves the count as it was", "[base]") {
  const std::size_t before = memory_held();
  const MemoryBound bound(before + 1000);
  const AlignedBuffer<char> fits(600);
  CHECK_THROWS_AS(AlignedBuffer<char>(401), RunError);
  CHECK(memory_held() == before + 600);
  CHECK_NOTHROW(AlignedBuffer<char>(400));
  GrowingMemory growing;
  CHECK_THROWS_AS(growing.ensure(1), RunError);
  CHECK_NOTHROW(require_room(400.0, "a table"));
  CHECK_THROWS_WITH(require_room(401.0, "a table"),
                    ContainsSubstring("a table needs 401 B, and 400 B are free"));
  CHECK(memory_held() == before + 600);
}

// AddressSanitizer ends the program where so much is asked for.
#if !defined(TRAINYARD_SANITIZED)
TEST_CASE("what the system refuses is not counted", "[base]") {
  const std::size_t before = memory_held();
  CHECK_THROWS_AS(AlignedBuffer<char>(std::numeric_limits<std::size_t>::max() / 4), std::bad_alloc);
  CHECK(memory_held() == before);
}
#endif

}  // namespace trainyard
