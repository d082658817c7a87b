#include "trainyard/collective/significance_filter.hpp"

#include <cmath>
#include <vector>

#include "trainyard/base/random.hpp"

#include "support/catch.hpp"

using namespace trainyard;

namespace {

using Places = std::vector<std::uint32_t>;

Places places_of(const ListedValues& listed) {
  return {listed.places.begin(), listed.places.end()};
}

}  // namespace

TEST_CASE("what is small waits until it has become significant", "[collective]") {
  std::vector<float> held(4);
  SignificanceFilter filter{Vector(std::span<float>(held)), 1.0};
  const ListedValues first = filter.pass(std::vector<float>{0.5F, -1.0F, 0.75F, 2.0F});
  CHECK(places_of(first) == Places{1, 3});
  CHECK(first.values.floats()[0] == -1.0F);
  CHECK(first.values.floats()[1] == 2.0F);
  CHECK(held == std::vector<float>{0.5F, 0.0F, 0.75F, 0.0F});
  const ListedValues second = filter.pass(std::vector<float>{0.5F, 0.25F, -0.75F, 0.0F});
  CHECK(places_of(second) == Places{0});
  CHECK(second.values.floats()[0] == 1.0F);
  CHECK(held == std::vector<float>{0.0F, 0.25F, 0.0F, 0.0F});
}

TEST_CASE("what was left out on the way waits at its own place", "[collective]") {
  std::vector<float> held(4);
  SignificanceFilter filter{Vector(std::span<float>(held)), 1.0};
  CHECK(places_of(filter.pass(std::vector<float>{0.5F, -1.0F, 0.75F, 2.0F})) == Places{1, 3});
  filter.hold_back(std::vector<float>{0.25F, -0.5F});
  CHECK(held == std::vector<float>{0.5F, 0.25F, 0.75F, -0.5F});
  const ListedValues next = filter.pass(std::vector<float>{0.0F, 0.0F, 0.0F, -0.5F});
  CHECK(places_of(next) == Places{3});
  CHECK(next.values.floats()[0] == -1.0F);
  CHECK_THROWS_WITH(filter.hold_back(std::vector<float>{1.0F, 1.0F}),
                    ContainsSubstring("left out of each value"));
}

TEST_CASE("what was sent and what is held back are the whole", "[collective]") {
  for (const double threshold : {0.0, 3.0, 20.0, 1e9}) {
    CAPTURE(threshold);
    constexpr std::size_t length = 50;
    RandomStream random(3, Purpose::scheme);
    std::vector<double> held(length), sent(length), whole(length);
    SignificanceFilter filter{Vector(std::span<double>(held)), threshold};
    std::size_t count = 0;
    for (int round = 0; round < 40; ++round) {
      std::vector<double> update(length);
      for (double& value : update) value = static_cast<double>(random.below(17)) - 8.0;  // exact
      for (std::size_t j = 0; j < length; ++j) whole[j] += update[j];
      const ListedValues out = filter.pass(ConstVector(std::span<const double>(update)));
      for (std::size_t i = 0; i < out.places.size(); ++i) {
        const double value = out.values.as<double>()[i];
        CHECK(std::abs(value) >= threshold);
        sent[out.places[i]] += value;
      }
      count += out.places.size();
      for (std::size_t j = 0; j < length; ++j) REQUIRE(sent[j] + held[j] == whole[j]);
    }
    CHECK((count == 40 * length) == (threshold == 0.0));
    CHECK((count == 0) == (threshold == 1e9));
  }
}
