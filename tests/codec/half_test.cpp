// Numbers of 16 bits, all of them.
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "trainyard/codec/wire.hpp"

#include "codec/vectors.hpp"
#include "support/catch.hpp"

namespace trainyard {

using namespace test;

namespace {

/// What `code` means: `fraction` bits behind an exponent of that bias, and a sign.
double meaning(std::uint32_t code, int fraction, int bias) {
  const std::uint32_t magnitude = code & 0x7FFFU;
  const auto exponent = static_cast<int>(magnitude >> fraction);
  const auto rest = static_cast<double>(magnitude & ((1U << fraction) - 1));
  const double one = std::ldexp(1.0, fraction);
  const double value = exponent == 0 ? std::ldexp(rest / one, 1 - bias)
                                     : std::ldexp(1.0 + rest / one, exponent - bias);
  return code >> 15 == 0 ? value : -value;
}

std::uint16_t code_of(const std::string& text, double x, Scalar scalar = Scalar::float32) {
  RandomStream random(1, Purpose::scheme);
  return wire::load<std::uint16_t>(encoded(*make_codec(text), sample_of({x}, scalar), random), 0);
}

double decoded_code(const std::string& text, std::uint32_t code, Scalar scalar) {
  std::vector<std::byte> wire(2);
  wire::store(std::span(wire), 0, static_cast<std::uint16_t>(code));
  return decoded(*make_codec(text), sample_of({0}, scalar), wire)[0];
}

struct HalfFormat {
  std::string name;
  int fraction, bias;
  std::uint32_t codes;  // of finite numbers from 0 on
};

}  // namespace

TEST_CASE("all numbers of 16 bits are read, and written back", "[codec][kernels]") {
  for (const HalfFormat& format :
       {HalfFormat{"fp16", 10, 15, 0x7C00}, HalfFormat{"bf16", 7, 127, 0x7F80}}) {
    for (std::uint32_t code = 0; code < 0x10000; code += code % 3 == 0 ? 1 : 4) {
      INFO(format.name << " " << code);
      const Scalar scalar = code % 2 == 0 ? Scalar::float32 : Scalar::float64;
      if ((code & 0x7FFFU) >= format.codes) {
        REQUIRE_THROWS_AS(decoded_code(format.name, code, scalar), MalformedMessage);
        continue;
      }
      const double value = meaning(code, format.fraction, format.bias);
      REQUIRE(decoded_code(format.name, code, scalar) == value);
      REQUIRE(code_of(format.name, value, scalar) == code);
    }
  }
}

TEST_CASE("halves are rounded to the nearest, ties to even", "[codec][kernels]") {
  for (const HalfFormat& format :
       {HalfFormat{"fp16", 10, 15, 0x7C00}, HalfFormat{"bf16", 7, 127, 0x7F80}}) {
    for (std::uint32_t code = 0; code + 1 < format.codes; code += code < 64 ? 1 : 97) {
      INFO(format.name << " " << code);
      const double middle = (meaning(code, format.fraction, format.bias) +
                             meaning(code + 1, format.fraction, format.bias)) /
                            2.0;
      const auto even = static_cast<std::uint16_t>(code + code % 2);
      REQUIRE(code_of(format.name, middle) == even);
      REQUIRE(code_of(format.name, -middle) == (even | 0x8000U));
      constexpr float infinity = std::numeric_limits<float>::infinity();
      const auto as_float = static_cast<float>(middle);
      REQUIRE(code_of(format.name, std::nextafter(as_float, 0.0F)) == code);
      REQUIRE(code_of(format.name, std::nextafter(as_float, infinity)) == code + 1);
    }
  }
}

TEST_CASE("what is too large for 16 bits becomes the largest of them", "[codec][kernels]") {
  const double huge = std::numeric_limits<double>::max();
  CHECK(code_of("fp16", 65504.0) == 0x7BFF);
  CHECK(code_of("fp16", 65519.0) == 0x7BFF);
  CHECK(code_of("fp16", 65520.0) == 0x7BFF);
  CHECK(code_of("fp16", 3e38) == 0x7BFF);
  CHECK(code_of("fp16", -huge, Scalar::float64) == 0xFBFF);
  CHECK(code_of("bf16", std::numeric_limits<float>::max()) == 0x7F7F);
  CHECK(code_of("bf16", -huge, Scalar::float64) == 0xFF7F);
  CHECK(code_of("bf16", 1e-60, Scalar::float64) == 0);
}

}  // namespace trainyard
