// Which numbers are the largest: ties, all distributions of magnitudes, samples.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "codec/magnitude.hpp"
#include "codec/vectors.hpp"
#include "support/catch.hpp"

namespace trainyard {

using namespace test;

namespace {

std::vector<double> coded(const std::string& text, const CodecSample& x, RandomStream& random) {
  const auto codec = make_codec(text);
  return decoded(*codec, x, encoded(*codec, x, random));
}
std::vector<double> coded(const std::string& text, const std::vector<double>& x) {
  RandomStream random(1, Purpose::scheme);
  return coded(text, sample_of(x, Scalar::float32), random);
}

/// How many are not 0.
std::size_t kept(const std::vector<double>& c) {
  return c.size() - static_cast<std::size_t>(std::ranges::count(c, 0.0));
}

using Doubles = std::vector<double>;

constexpr std::uint64_t seed = 61;

/// top-k against a sort.
void check_largest(const CodecSample& x, std::size_t k) {
  INFO(x.name << ", k " << k << ", seed " << seed);
  RandomStream random(seed, Purpose::scheme);
  std::vector<std::size_t> places(x.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
  std::ranges::stable_sort(places, [&](std::size_t a, std::size_t b) {
    return std::abs(x.values[a]) > std::abs(x.values[b]);
  });
  Doubles expected(x.size(), 0.0);
  for (std::size_t j = 0; j < k; ++j) expected[places[j]] = x.values[places[j]];
  CHECK(coded("top-k:k=" + std::to_string(k), x, random) == expected);
}

}  // namespace

TEST_CASE("of equal magnitudes the first ones are kept", "[codec][kernels]") {
  CHECK(coded("top-k:k=2", {1, -1, 1, 1}) == Doubles{1, -1, 0, 0});
  CHECK(coded("top-k:k=2", {-1, 3, 1, 1}) == Doubles{-1, 3, 0, 0});
  CHECK(coded("top-k:k=3", {1, 2, -1, 3, 1}) == Doubles{1, 2, 0, 3, 0});
  CHECK(coded("top-k:k=3", {0, 0, 5, 0}) == Doubles{0, 0, 5, 0});
  CHECK(coded("top-k:k=9", {4, 0, -5}) == Doubles{4, 0, -5});
  // Of 40 equal ones beyond a block of 16 the first 20.
  Doubles equal(40, -2.5), expected = equal;
  std::fill(expected.begin() + 20, expected.end(), 0.0);
  CHECK(coded("top-k:50%", equal) == expected);
}

TEST_CASE("the k largest are those of a sort", "[codec][kernels]") {
  for (const CodecSample& x : codec_samples()) {
    for (const std::size_t k : {std::size_t{1}, std::size_t{2}, x.size() / 3, x.size()}) {
      if (k >= 1 && k <= x.size()) check_largest(x, k);
    }
  }
}

// Every 61st number is looked at first. Where these are unlike the others nothing is lost.
TEST_CASE("the k largest are found wherever they are", "[codec][kernels]") {
  RandomStream random(seed, Purpose::data_generator);
  const std::size_t d = 61 * 100 + 17;
  const auto with = [&](double of_61st, double of_others) {
    Doubles values(d);
    for (std::size_t i = 0; i < d; ++i) {
      values[i] = random.normal() * (i % 61 == 0 ? of_61st : of_others);
    }
    return values;
  };
  for (const Doubles& values : {with(1, 1), with(100, 1), with(0, 1), with(1, 0), with(0.01, 1)}) {
    for (const std::size_t k : {std::size_t{1}, std::size_t{60}, std::size_t{61}, d / 4, d - 1}) {
      check_largest(sample_of(values, Scalar::float32, "unlike"), k);
    }
  }
}

TEST_CASE("keys are in the order of magnitudes", "[codec][kernels]") {
  const std::vector<float> ascending{0.0F,   1e-45F, -1e-40F,
                                     1e-38F, -0.5F,  0.50001F,
                                     -1.0F,  3e38F,  std::numeric_limits<float>::infinity()};
  for (std::size_t i = 1; i < ascending.size(); ++i) {
    CHECK(magnitude_key(ascending[i - 1]) < magnitude_key(ascending[i]));
    CHECK(magnitude_key(double{ascending[i - 1]}) < magnitude_key(double{ascending[i]}));
  }
  CHECK(magnitude_key(-0.0F) == 0);
}

TEST_CASE("a sampled threshold keeps about k, the largest among them, and at most 2k",
          "[codec][kernels]") {
  for (const double tail : {0.0, 1.0}) {
    INFO("seed " << seed << ", tail " << tail);
    RandomStream random(seed, Purpose::data_generator);
    Doubles values(30'000);
    for (double& value : values) {
      value = random.normal() * std::pow(1.0 - random.uniform(), -tail);
    }
    const CodecSample x = sample_of(values, Scalar::float32);
    for (int draw = 0; draw < 5; ++draw) {
      const Doubles c = coded("top-k-sampled:3%", x, random);
      const std::size_t count = kept(c);
      CHECK(count > 500);  // of 900, from about 123 of 4096: within 5 σ
      CHECK(count < 1400);
      double least_kept = 1e300, largest_left = 0.0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double magnitude = std::abs(x.values[i]);
        if (c[i] == 0.0) {
          largest_left = std::max(largest_left, magnitude);
        } else {
          CHECK(c[i] == x.values[i]);
          least_kept = std::min(least_kept, magnitude);
        }
      }
      CHECK(largest_left < least_kept);
    }
  }
}

TEST_CASE("where more than 2k reach a sampled threshold exactly k are kept", "[codec][kernels]") {
  RandomStream random(1, Purpose::scheme);
  const auto of_equal = [](std::size_t large) {
    Doubles values(10'000, 0.5);
    std::fill_n(values.begin() + 1000, large, -2.0);
    return sample_of(values, Scalar::float64);
  };
  CHECK(coded("top-k-sampled:1%", of_equal(5), random) == coded("top-k:1%", of_equal(5), random));
  CHECK(kept(coded("top-k-sampled:1%", of_equal(150), random)) == 150);
  CHECK(kept(coded("top-k-sampled:1%", of_equal(201), random)) == 100);
  // More zeros than can be left out: those of the lowest index are sent as well.
  Doubles sparse(10'000, 0.0);
  sparse[9'999] = 3.0;
  CHECK(coded("top-k-sampled:1%", sparse) == sparse);
}

TEST_CASE("a threshold is exact in either precision", "[codec][kernels]") {
  // 0.1 as a double lies between two floats.
  const float above = 0.1F, below = std::nextafter(0.1F, 0.0F);
  REQUIRE(double{above} > 0.1);
  REQUIRE(double{below} < 0.1);
  CHECK(coded("threshold:0.1", {above, -above, below}) == Doubles{above, -above, 0.0});
  const double next = double{above};
  CHECK(coded("threshold:" + fmt::format("{}", next), {above, below}) == Doubles{above, 0.0});
  CHECK(kept(coded("threshold:1e300", {3e38, -3e38})) == 0);
  CHECK(kept(coded("threshold:1e-300", {1e-45, 0.0})) == 1);
}

}  // namespace trainyard
