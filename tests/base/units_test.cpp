#include "trainyard/base/units.hpp"

#include <cmath>
#include <string>

#include "trainyard/base/error.hpp"
#include "trainyard/base/random.hpp"

#include "support/catch.hpp"

using namespace trainyard;

TEST_CASE("durations are read as people write them", "[base]") {
  struct Row {
    const char* text;
    std::int64_t picoseconds;
  };
  for (const Row& row :
       {Row{"20ms", 20'000'000'000}, Row{"1.5 us", 1'500'000}, Row{"1.5µs", 1'500'000}, Row{"0", 0},
        Row{"3ps", 3}, Row{"2min", 120'000'000'000'000}, Row{"1h", 3'600'000'000'000'000},
        Row{"1e-3s", 1'000'000'000}}) {
    CAPTURE(row.text);
    CHECK(parse_duration(row.text, "--latency").count() == row.picoseconds);
  }
}

TEST_CASE("blanks around a quantity do not count", "[base]") {
  for (const char* text : {"20ms", " 20ms", "20ms\t", "  20ms   "}) {
    CAPTURE(text);
    CHECK(parse_duration(text, "--latency") == std::chrono::milliseconds(20));
  }
  CHECK(parse_number("  0.5   ", "--lr") == 0.5);
  CHECK(parse_integer("  7   ", "--batch", 1, 9) == 7);
}

TEST_CASE("what is no duration is refused with the flag's name", "[base]") {
  for (const char* text : {"", "5", "-1ms", "5 bananas", "ms", "nan s", "inf s", "1e30s", "1ms2"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_duration(text, "--latency"), UsageError);
    CHECK_THROWS_WITH(parse_duration(text, "--latency"), ContainsSubstring("--latency"));
  }
}

TEST_CASE("bandwidth counts bits with bps and bytes with B/s", "[base]") {
  CHECK(parse_bandwidth("1Gbps", "b") == 125e6);
  CHECK(parse_bandwidth("1.4 Gbps", "b") == Approx(175e6).epsilon(1e-15));
  CHECK(parse_bandwidth("100MB/s", "b") == 100e6);
  CHECK(parse_bandwidth("1GiB/s", "b") == 1073741824.0);
  CHECK(std::isinf(parse_bandwidth("infinite", "b")));
  for (const char* text : {"0bps", "-1Gbps", "5 bananas", "1", "", "1gbps"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_bandwidth(text, "--bandwidth"), UsageError);
  }
}

TEST_CASE("whole numbers keep to their range", "[base]") {
  CHECK(parse_integer("42", "n", 1, 100) == 42);
  CHECK(parse_integer("1e2", "n", 1, 100) == 100);
  CHECK(parse_integer("9223372036854775807", "n", 0, INT64_MAX) == INT64_MAX);
  for (const char* text : {"0", "101", "-3", "1.5", "x", "", "1e9", "4 workers"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH(parse_integer(text, "--workers", 1, 100), ContainsSubstring("1 to 100"));
  }
}

TEST_CASE("a zero has no sign", "[base]") {
  for (const char* text : {"-0", "-0.0", "-0e+4"}) {
    CAPTURE(text);
    CHECK_FALSE(std::signbit(parse_number(text, "--l2")));
  }
}

TEST_CASE("the exact text of a quantity reads back to the same quantity", "[base]") {
  const std::uint64_t seed = 17;
  INFO("seed " << seed);
  RandomStream random(seed, Purpose::scheme);
  for (int i = 0; i < 10000; ++i) {
    const Duration duration(
        static_cast<std::int64_t>(random.next_u64() >> (11 + random.below(50))));
    CAPTURE(duration.count());
    REQUIRE(parse_duration(exact_text(duration), "d") == duration);
    const double rate = std::exp(random.normal() * 5 + 15);
    REQUIRE(parse_bandwidth(bandwidth_text(rate), "b") == rate);
  }
  CHECK(exact_text(std::chrono::milliseconds(20)) == "20ms");
  CHECK(bandwidth_text(125e6) == "1Gbps");
}

TEST_CASE("seconds beyond 106 days are refused", "[base]") {
  CHECK(seconds(1.5).count() == 1'500'000'000'000);
  CHECK_THROWS_AS(seconds(1e7), UsageError);
}

TEST_CASE("a clock that would pass 106 days says so", "[base]") {
  const Time almost = Time::max() - seconds(1);
  CHECK(checked_sum(almost, seconds(1)) == Time::max());
  CHECK_THROWS_AS(checked_sum(almost, seconds(1.1)), RunError);
}

TEST_CASE("quantities for people have four digits", "[base]") {
  CHECK(human_duration(0.0123456) == "12.35 ms");
  CHECK(human_duration(2.5e-6) == "2.5 µs");
  CHECK(human_duration(0.0) == "0 s");
  CHECK(human_bytes(1234567) == "1.235 MB");
  CHECK(human_count(123456) == "123.5 k");
}
