// Messages byte by byte, and what becomes of those that nobody has written.
#include "trainyard/codec/wire.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "codec/rules.hpp"
#include "support/catch.hpp"

namespace trainyard {

using namespace test;

namespace {

constexpr std::uint64_t seed = 51;

std::string hex(std::span<const std::byte> wire) {
  std::string text;
  for (const std::byte byte : wire) text += fmt::format("{:02x} ", static_cast<unsigned>(byte));
  if (!text.empty()) text.pop_back();
  return text;
}

std::vector<std::byte> bytes(const std::vector<unsigned>& values) {
  std::vector<std::byte> result;
  for (const unsigned value : values) result.push_back(static_cast<std::byte>(value));
  return result;
}

/// MalformedMessage, or numbers that are all finite. identity's are whatever is sent.
void check_refused_or_finite(const Codec& codec, const CodecSample& x, bool any_number,
                             const std::vector<std::byte>& wire) {
  try {
    for (const double value : decoded(codec, x, wire)) {
      if (!any_number && !std::isfinite(value)) FAIL_CHECK("not finite, from " << hex(wire));
    }
  } catch (const MalformedMessage&) {
  }
}

}  // namespace

TEST_CASE("messages are as their formats say, bit by bit", "[codec][kernels]") {
  struct Row {
    std::string text;
    std::vector<double> x;
    std::string expected;
  };
  for (const Row& row : {
           Row{"identity", {1.0, -2.0}, "00 00 80 3f 00 00 00 c0"},
           Row{"fp16", {1.0, -2.0}, "00 3c 00 c0"},
           Row{"bf16", {1.0, -2.0}, "80 3f 00 c0"},
           // ‖x‖ = 5 and s = 5: levels 3, 0, −4, with 5 added: 8, 5, 1 of four bits.
           Row{"qsgd:5", {3.0, 0.0, -4.0}, "00 00 a0 40 58 01"},
           // gap 1: 1; 0; level 3: 0 1 1; gap 2: 0 1 0; sign 1; level 4: 0 0 1 0 0; gap 1: 1.
           Row{"qsgd-elias:5", {3.0, 0.0, -4.0}, "00 00 a0 40 59 49"},
           // The gap alone: 4 = 0 0 1 0 0.
           Row{"qsgd-elias:5", {0.0, 0.0, 0.0}, "00 00 00 00 04"},
           Row{"terngrad", {2.0, 0.0, -2.0, 0.0, 2.0}, "00 00 00 40 46 02"},
           Row{"natural", {2.0, 0.0, -0.5}, "80 00 7e 04"},
           Row{"top-k:k=2", {1.0, -2.0, 0.5}, "00 00 80 3f 00 00 00 c0 04"},
           Row{"top-k-sampled:k=2", {1.0, -2.0, 0.5}, "02 00 00 00 00 00 80 3f 00 00 00 c0 04"},
           Row{"threshold:1", {1.0, -2.0, 0.5}, "02 00 00 00 00 00 80 3f 00 00 00 c0 04"},
           Row{"threshold:3", {1.0, -2.0, 0.5}, "00 00 00 00"},
           Row{"clip:1", {0.5, -2.0}, "00 00 00 3f 00 00 80 bf"},
           Row{"clip-norm:5", {6.0, -8.0}, "00 00 40 40 00 00 80 c0"},
           Row{"sign", {1.0, -2.0, 0.0}, "00 00 80 3f 02"},
           Row{"plain-sign", {1.0, -2.0, -0.0, -1e-45}, "0a"},
           Row{"one-bit", {1.0, -2.0, 0.0}, "00 00 00 3f 00 00 00 c0 02"},
           // The largest is 4: 7, 0, then 8 + 5 for -1, and 1 for 4 · 2^-7, halfway up to 4 · 2^-6.
           Row{"e3m0", {4.0, 0.01, -1.0, 0.03125}, "00 00 80 40 07 1d"},
           Row{"two-bit:2", {2.0, 1.9, -2.0, 0.0, 9.0}, "46 02"},
       }) {
    INFO(row.text);
    RandomStream random(seed, Purpose::scheme);
    CHECK(hex(encoded(*make_codec(row.text), sample_of(row.x, Scalar::float32), random)) ==
          row.expected);
  }
}

TEST_CASE("doubles are sent as doubles", "[codec][kernels]") {
  RandomStream random(seed, Purpose::scheme);
  const auto message = [&](const std::string& text, const std::vector<double>& x) {
    return hex(encoded(*make_codec(text), sample_of(x, Scalar::float64), random));
  };
  CHECK(message("sign", {1.0, -2.0, 0.0}) == "00 00 00 00 00 00 f0 3f 02");
  // Exponents 0x400, 0 and 0x3fe of 11 bits, then the signs 0, 0 and 1.
  CHECK(message("natural", {2.0, 0.0, -0.5}) == "00 04 80 ff 08");
  CHECK(message("top-k:k=1", {1.0, 2.0}) == "00 00 00 00 00 00 00 40 01");
}

TEST_CASE("random-k sends a seed and the numbers in its places", "[codec][kernels]") {
  RandomStream random(seed, Purpose::scheme), same(seed, Purpose::scheme);
  const CodecSample x = sample_of({1, 2, 3, 4, 5, 6, 7, 8}, Scalar::float32);
  const auto codec = make_codec("random-k:k=4");
  const std::vector<std::byte> wire = encoded(*codec, x, random);
  REQUIRE(wire.size() == 8 + 16);
  CHECK(wire::load<std::uint64_t>(wire, 0) == same.next_u64());
  const std::vector<double> c = decoded(*codec, x, wire);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (c[i] == 0.0) continue;
    CHECK(c[i] == 2.0 * x.values[i]);
    ++kept;
  }
  CHECK(kept == 4);
}

TEST_CASE("messages of a wrong length are refused", "[codec][kernels]") {
  for (const CodecRule& rule : codec_rules()) {
    const auto codec = make_codec(rule.text);
    RandomStream random(seed, Purpose::scheme);
    for (const CodecSample& x : codec_samples({1, 7, 65})) {
      INFO(rule.text << ", " << x.name);
      const std::vector<std::byte> wire = encoded(*codec, x, random);
      for (std::size_t size = 0; size < wire.size(); ++size) {
        const std::vector<std::byte> less(wire.begin(),
                                          wire.begin() + static_cast<std::ptrdiff_t>(size));
        CHECK_THROWS_AS(decoded(*codec, x, less), MalformedMessage);
      }
      for (const std::size_t more : {1U, 4U, 9U}) {
        std::vector<std::byte> longer = wire;
        longer.resize(wire.size() + more);
        CHECK_THROWS_AS(decoded(*codec, x, longer), MalformedMessage);
      }
    }
  }
}

TEST_CASE("messages with wrong bytes are refused, or give numbers", "[codec][kernels]") {
  for (const CodecRule& rule : codec_rules()) {
    const auto codec = make_codec(rule.text);
    RandomStream random(seed, Purpose::scheme);
    for (const CodecSample& x : codec_samples({1, 7, 65})) {
      INFO(rule.text << ", " << x.name << ", seed " << seed);
      const std::vector<std::byte> wire = encoded(*codec, x, random);
      const std::size_t step = 1 + wire.size() / 40;
      for (std::size_t i = 0; i < wire.size(); i += step) {
        for (const unsigned flipped :
             {0x01U, 0x80U, 0xFFU, static_cast<unsigned>(1 + random.below(255))}) {
          std::vector<std::byte> wrong = wire;
          wrong[i] ^= static_cast<std::byte>(flipped);
          check_refused_or_finite(*codec, x, rule.text == "identity", wrong);
        }
      }
      std::vector<std::byte> noise(wire.size());
      for (std::byte& byte : noise) byte = static_cast<std::byte>(random.below(256));
      check_refused_or_finite(*codec, x, rule.text == "identity", noise);
    }
  }
}

TEST_CASE("what no encoder writes is refused", "[codec][kernels]") {
  struct Row {
    std::string text;
    std::vector<unsigned> wire;
    std::string expected;
  };
  for (const Row& row : {
           Row{"fp16", {0, 0x7C, 0, 0, 0, 0}, "not finite"},
           Row{"fp16", {0, 0, 0, 0, 1, 0xFC}, "not finite"},
           Row{"bf16", {0, 0, 0x80, 0xFF, 0, 0}, "not finite"},
           Row{"qsgd:1", {0, 0, 0x80, 0x7F, 0}, "an encoded vector has inf where"},
           Row{"qsgd:1", {0, 0, 0xC0, 0x7F, 0}, "an encoded vector has nan where"},
           Row{"qsgd:1", {0, 0, 0x80, 0xBF, 0}, "an encoded vector has -1 where"},
           Row{"qsgd:1", {0, 0, 0, 0, 0x03}, "above the highest"},
           Row{"qsgd:1", {0, 0, 0, 0, 0x40}, "more bytes than"},
           // A level of 3 where 2 is the most, and a gap of 5 where 4 is.
           Row{"qsgd-elias:2", {0, 0, 0, 0, 0x19}, "3 where 2 is the most"},
           Row{"qsgd-elias:2", {0, 0, 0, 0, 0x0C}, "5 where 4 is the most"},
           Row{"qsgd-elias:2", {0, 0, 0, 0, 0x6D}, "ends early"},
           Row{"qsgd-elias:2", {0, 0, 0, 0, 0, 0, 0}, "a number too long"},
           Row{"qsgd-elias:2", {0, 0}, "it begins with 4"},
           Row{"terngrad", {0, 0, 0, 0, 0x30}, "a 3 where"},
           Row{"terngrad", {0, 0, 0, 0, 0x40}, "filled with zeros"},
           Row{"terngrad", {0, 0, 0x80, 0xFF, 0}, "-inf where"},
           Row{"two-bit:1", {0x0C}, "a 3 where"},
           Row{"e3m0", {0, 0, 0x80, 0x3F, 0x08, 0}, "a 0 with a sign"},
           Row{"e3m0", {0, 0, 0x80, 0xBF, 0, 0}, "-1 where"},
           Row{"natural", {0, 0, 0, 0x08}, "filled with zeros"},
           Row{"plain-sign", {0x08}, "filled with zeros"},
           Row{"sign", {0, 0, 0, 0, 0x08}, "filled with zeros"},
           Row{"sign", {0, 0, 0x80, 0xBF, 0}, "-1 where"},
           Row{"one-bit", {0, 0, 0, 0, 0, 0, 0, 0, 0x08}, "filled with zeros"},
           Row{"one-bit", {0, 0, 0, 0, 0, 0, 0x80, 0x3F, 0}, "-1 where"},
           Row{"one-bit", {0, 0, 0x80, 0xBF, 0, 0, 0, 0, 0}, "-1 where"},
           Row{"clip:0.5", {0, 0, 0, 0, 0, 0, 0x80, 0x3F, 0, 0, 0, 0}, "not clipped"},
           Row{"clip-norm:0.5", {0, 0, 0xC0, 0x7F, 0, 0, 0, 0, 0, 0, 0, 0}, "not clipped"},
           Row{"random-k:k=1", {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xC0, 0x7F}, "nan where"},
           Row{"top-k:k=1", {0, 0, 0x80, 0xFF, 0}, "-inf where"},
           Row{"top-k:k=1", {0, 0, 0, 0, 3}, "a place 3 after 0 others"},
           Row{"top-k:k=1", {0, 0, 0, 0, 4}, "more bytes than"},
           Row{"top-k:k=2", {0, 0, 0, 0, 0, 0, 0, 0, 0x05}, "a place 1 after 1 others"},
           Row{"top-k:k=2", {0, 0, 0, 0, 0, 0, 0, 0, 0x01}, "a place 0 after 1 others"},
           Row{"threshold:1", {0, 0, 0}, "it begins with 4"},
           Row{"threshold:1", {4, 0, 0, 0}, "has 4 numbers, and 3 at most"},
           Row{"threshold:1", {255, 255, 255, 255}, "has 4294967295 numbers, and 3"},
           Row{"top-k-sampled:k=1", {3, 0, 0, 0}, "has 3 numbers, and 2 at most"},
           Row{"top-k-sampled:k=1", {1, 0, 0, 0}, "4 bytes; 9 are expected"},
       }) {
    INFO(row.text << ": " << hex(bytes(row.wire)));
    const CodecSample x = sample_of({0, 0, 0}, Scalar::float32);
    CHECK_THROWS_AS(decoded(*make_codec(row.text), x, bytes(row.wire)), MalformedMessage);
    CHECK_THROWS_WITH(decoded(*make_codec(row.text), x, bytes(row.wire)),
                      ContainsSubstring(row.expected));
  }
}

TEST_CASE("fields of bits are read as they were written", "[codec][kernels]") {
  RandomStream random(seed, Purpose::scheme);
  struct Field {
    std::uint64_t value;
    unsigned bits;
  };
  for (int repetition = 0; repetition < 200; ++repetition) {
    std::vector<Field> fields(random.below(40));
    std::size_t bits = 0;
    for (Field& field : fields) {
      field.bits = static_cast<unsigned>(random.below(34));
      field.value = random.next_u64() & ((std::uint64_t{1} << field.bits) - 1);
      bits += field.bits;
    }
    std::vector<std::byte> memory(wire::bytes_of_bits(bits));
    wire::BitWriter writer(memory.data());
    for (const Field& field : fields) writer.put(field.value, field.bits);
    REQUIRE(writer.finish() == memory.data() + memory.size());
    wire::BitReader reader(memory);
    for (const Field& field : fields) REQUIRE(reader.take(field.bits) == field.value);
    reader.expect_end();
    CHECK_THROWS_AS(reader.take(9), MalformedMessage);
  }
  CHECK(wire::bits_for(1) == 0);
  CHECK(wire::bits_for(2) == 1);
  CHECK(wire::bits_for(255) == 8);
  CHECK(wire::bits_for(257) == 9);
}

TEST_CASE("rows of zeros are counted", "[codec][kernels]") {
  for (unsigned zeros = 0; zeros < 80; ++zeros) {
    INFO(zeros);
    std::vector<std::byte> memory(zeros / 8 + 1);
    memory.back() = static_cast<std::byte>(1U << zeros % 8);
    wire::BitReader reader(memory), bounded(memory);
    CHECK(reader.take_zeros(zeros) == zeros);
    CHECK(reader.take(1) == 1);
    reader.expect_end();
    if (zeros > 0) CHECK_THROWS_AS(bounded.take_zeros(zeros - 1), MalformedMessage);
  }
}

}  // namespace trainyard
