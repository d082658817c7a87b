#include "trainyard/base/even_split.hpp"

#include <vector>

#include "support/catch.hpp"

using namespace trainyard;

TEST_CASE("parts tile the vector and differ by at most one element", "[base]") {
  for (const std::size_t length : {0U, 1U, 4U, 5U, 17U, 1000U}) {
    for (int parts = 1; parts <= 9; ++parts) {
      CAPTURE(length, parts);
      std::vector<float> values(length);
      const std::span<float> vector(values);
      const float* next = values.data();
      for (int i = 0; i < parts; ++i) {
        const auto part = even_split(vector, i, parts);
        CHECK(part.data() == next);
        CHECK(part.size() >= length / static_cast<std::size_t>(parts));
        CHECK(part.size() <= length / static_cast<std::size_t>(parts) + 1);
        next += part.size();
      }
      CHECK(next == values.data() + length);
    }
  }
}
