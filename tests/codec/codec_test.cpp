// Every codec of the table on vectors of all kinds, against its rule written once more (rules.hpp).
#include "trainyard/codec/codec.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "trainyard/base/error.hpp"

#include "codec/rules.hpp"
#include "support/allocations.hpp"
#include "support/catch.hpp"

namespace trainyard {

using namespace test;

namespace {

constexpr std::uint64_t seed = 21;

/// check(rule, codec, sample, random) for each rule and each sample.
template <typename Check>
void for_all(const std::vector<CodecSample>& samples, const Check& check) {
  for (const CodecRule& rule : codec_rules()) {
    const auto codec = make_codec(rule.text);
    RandomStream random(seed, Purpose::scheme);
    for (const CodecSample& x : samples) {
      INFO(rule.text << ", " << x.name << ", seed " << seed);
      check(rule, *codec, x, random);
    }
  }
}

/// Within what the precision rounds a few times, doubles in each addition, or near its least
/// number.
bool near(long double value, long double expected, const CodecSample& x) {
  const std::size_t additions = x.scalar == Scalar::float32 ? 0 : x.size() / 8;
  return std::abs(value - expected) <=
         static_cast<long double>(8 + additions) * spacing(x.scalar) * std::abs(expected) +
             4.0L * least_number(x.scalar);
}

/// The place of the first number that is none of its choices, or the size.
std::size_t first_wrong(const std::vector<double>& c, const Choices& choices,
                        const CodecSample& x) {
  for (std::size_t i = 0; i < c.size(); ++i) {
    const bool found =
        std::ranges::any_of(choices[i], [&](long double choice) { return near(c[i], choice, x); });
    if (!found || !std::isfinite(c[i])) return i;
  }
  return c.size();
}

long double squared_distance(const std::vector<double>& a, const std::vector<double>& b) {
  long double sum = 0.0L;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const long double difference = static_cast<long double>(a[i]) - b[i];
    sum += difference * difference;
  }
  return sum;
}

bool within(const CodecRule& rule, const CodecSample& x) {
  return std::ranges::all_of(x.values, [&](double value) {
    return value == 0.0 || (std::abs(value) >= rule.from && std::abs(value) <= rule.to);
  });
}

}  // namespace

TEST_CASE("every codec has a rule in the tests, and no rule is of another", "[codec][kernels]") {
  std::set<std::string> with_rules, names;
  for (const CodecRule& rule : codec_rules()) with_rules.insert(rule.name());
  for (const CodecInfo& info : codecs()) {
    names.insert(info.name);
    INFO(info.name);
    CHECK_FALSE(info.summary.empty());
    CHECK_FALSE(info.wire.empty());
    CHECK_FALSE(info.error.empty());
    CHECK_THAT(info.source, ContainsSubstring("catalogue 5"));
    if (info.name != "identity") {
      CHECK(info.encode_time > Duration{0});
      CHECK(info.decode_time > Duration{0});
    }
  }
  CHECK(with_rules == names);
  CHECK(names.size() == codecs().size());
}

TEST_CASE("what a codec makes of a vector is what its rule allows, in as many bits",
          "[codec][kernels]") {
  for_all(codec_samples(), [](const CodecRule& rule, const Codec& codec, const CodecSample& x,
                              RandomStream& random) {
    const Choices choices = rule.choices(x);
    for (int draw = 0; draw < (rule.error ? 3 : 1); ++draw) {
      const std::vector<std::byte> wire = encoded(codec, x, random);
      CHECK(wire.size() == (rule.bits(x, wire) + 7) / 8);
      const std::vector<double> c = decoded(codec, x, wire);
      const std::size_t wrong = first_wrong(c, choices, x);
      if (wrong == x.size()) continue;
      FAIL_CHECK("number " << wrong << ", " << x.values[wrong] << ", became " << c[wrong]
                           << " and not " << static_cast<double>(choices[wrong].back()));
    }
  });
}

TEST_CASE("zeros are decoded as zeros", "[codec][kernels]") {
  for_all(codec_samples({1, 7, 65}),
          [](const CodecRule&, const Codec& codec, const CodecSample& x, RandomStream& random) {
            if (x.squares() > 0.0L || codec.error_bound(x.size()) > 1e300)
              return;  // plain-sign's are 1
            for (const double value : decoded(codec, x, encoded(codec, x, random)))
              CHECK(value == 0.0);
          });
}

// The error is that of the rule, which is no more than the bound; for a rule with chance the mean
// of both is checked elsewhere.
TEST_CASE("no error is above its bound", "[codec][kernels]") {
  for_all(codec_samples(), [](const CodecRule& rule, const Codec& codec, const CodecSample& x,
                              RandomStream& random) {
    const long double bound = codec.error_bound(x.size());
    if (!std::isfinite(bound) || !within(rule, x)) return;
    const long double error =
        rule.error ? rule.error(x)
                   : squared_distance(decoded(codec, x, encoded(codec, x, random)), x.values);
    // What is lost below the least normal number is no part of the bound.
    const long double lost = least_normal(x.scalar) * least_normal(x.scalar);
    CHECK(error <= bound * x.squares() * (1.0L + 32.0L * spacing(x.scalar)) +
                       static_cast<long double>(x.size()) * (lost + x.squares() * 0x1p-100L));
  });
}

TEST_CASE("error bounds are reached", "[codec][kernels]") {
  struct Row {
    std::string text;
    std::vector<double> worst;
  };
  const double root = 3.0;  // √9
  std::vector<double> ternary(9, 1.0 / (root + 1.0));
  ternary[4] = 1.0;
  for (const Row& row :
       {Row{"terngrad", ternary}, Row{"natural", {4.0 / 3.0}}, Row{"random-k:k=2", {1, 2, 3}},
        Row{"random-k-unscaled:k=2", {1, 2, 3}}, Row{"top-k:k=2", {1, -1, 1, 1, 1}},
        Row{"sign", {0, 0, 5, 0}}, Row{"one-bit", {0, 0, 5, 0}}, Row{"threshold:9", {1, 2}},
        Row{"two-bit:9", {1, 2}}, Row{"fp16", {1e-9}}, Row{"identity", {1}}}) {
    INFO(row.text);
    const CodecSample x = sample_of(row.worst, Scalar::float64);
    const auto rule = std::ranges::find_if(
        codec_rules(), [&](const CodecRule& candidate) { return candidate.text == row.text; });
    RandomStream random(seed, Purpose::scheme);
    const auto codec = make_codec(row.text);
    long double error = squared_distance(decoded(*codec, x, encoded(*codec, x, random)), x.values);
    if (row.text == "random-k:k=2") error = x.squares() / 2.0L;
    if (row.text == "random-k-unscaled:k=2") error = x.squares() / 3.0L;
    if (rule != codec_rules().end() && rule->error) error = rule->error(x);
    CHECK(static_cast<double>(error / x.squares()) ==
          Approx(codec->error_bound(x.size())).epsilon(1e-12));
  }
  CHECK(make_codec("qsgd:4")->error_bound(64) == 1.0);     // d/(4s²)
  CHECK(make_codec("qsgd:4")->error_bound(1600) == 10.0);  // √d/s
  CHECK(make_codec("bf16")->error_bound(9) == 0x1p-16);
  CHECK(make_codec("terngrad:2")->error_bound(100) == 1.5);  // 1 + C²/8
  CHECK(make_codec("terngrad:5")->error_bound(100) == 4.0);  // C − 1
  CHECK(make_codec("terngrad:5")->error_bound(16) == 1.5);   // (√d − 1)/2
  CHECK(make_codec("terngrad:5")->error_bound(4) == 1.0);    // nothing is left of 1, 1, 1, 1
  CHECK(make_codec("terngrad:5")->error_bound(1) == 0.0);
  CHECK(make_codec("top-k-sampled:5%")->error_bound(8) == 0.875);
}

TEST_CASE("decoding adds, and scales what it adds", "[codec][kernels]") {
  for_all(codec_samples({7, 65}),
          [](const CodecRule&, const Codec& codec, const CodecSample& x, RandomStream& random) {
            if (x.name.find("largest") != std::string::npos) return;
            const std::vector<std::byte> wire = encoded(codec, x, random);
            const std::vector<double> c = decoded(codec, x, wire);
            for (const double scale : {1.0, -0.375, 0.0}) {
              const CodecSample before = sample_of(std::vector<double>(x.size(), 2.5), x.scalar);
              VectorBuffer sum = before.buffer();
              codec.decode_add(scale, wire, x.shapes, sum.view());
              const std::vector<double> after = doubles_of(sum.view());
              for (std::size_t i = 0; i < x.size(); ++i) {
                const long double change = static_cast<long double>(scale) * c[i];
                const long double rounding = 4.0L * spacing(x.scalar) * (2.5L + std::abs(change));
                if (std::abs(after[i] - (2.5L + change)) <= rounding) continue;
                FAIL_CHECK("number " << i << ": 2.5 + " << scale << " · " << c[i] << " became "
                                     << after[i]);
              }
            }
          });
}

TEST_CASE("a message depends on the random stream alone, and on nothing from before",
          "[codec][kernels]") {
  CodecScratch used;
  for_all(codec_samples({65, 1000}),
          [&](const CodecRule&, const Codec& codec, const CodecSample& x, RandomStream&) {
            RandomStream a(seed, Purpose::scheme), b(seed, Purpose::scheme);
            CodecScratch fresh;
            CHECK(encoded(codec, x, a, used) == encoded(codec, x, b, fresh));
          });
}

TEST_CASE("codecs take no memory after the first message", "[codec][kernels]") {
  if (!counts_allocations()) return;
  for (const CodecRule& rule : codec_rules()) {
    INFO(rule.text);
    const auto codec = make_codec(rule.text);
    RandomStream random(seed, Purpose::scheme);
    CodecScratch scratch;
    std::uint64_t taken = 0;
    bool first = true;
    for (const CodecSample& x : codec_samples({1000})) {
      const VectorBuffer numbers = x.buffer();
      VectorBuffer sum = VectorBuffer::zeroed(x.scalar, x.size());
      std::vector<std::byte> wire(codec->most_bytes(x.scalar, x.shapes));
      const std::uint64_t before = allocations();
      const std::size_t size = codec->encode(numbers.view(), x.shapes, random, scratch, wire);
      codec->decode_add(0.5, std::span(wire).first(size), x.shapes, sum.view());
      if (!first) taken += allocations() - before;
      first = false;
    }
    CHECK(taken == 0);
  }
}

TEST_CASE("a codec that is typed wrong is refused, with what is accepted", "[codec][kernels]") {
  struct Row {
    std::string text, expected;
  };
  for (const Row& row :
       {Row{"qsgd:0", "codec qsgd: its argument: '0' is not a whole number from 1 to 8388607"},
        Row{"qsgd:8388608", "qsgd:S [127] is accepted"},
        Row{"qsgd:", "qsgd:S [127] is accepted"},
        Row{"qsgd-elias:1.5", "qsgd-elias:S [127] is accepted"},
        Row{"identity:1", "codec identity: it takes no argument"},
        Row{"sign:", "codec sign: it takes no argument"},
        Row{"threshold", "codec threshold: it needs an argument; threshold:V is accepted"},
        Row{"two-bit", "two-bit:T is accepted"},
        Row{"two-bit:-1", "is not a number above 0"},
        Row{"clip", "clip:C is accepted"},
        Row{"clip:0", "is not a number above 0"},
        Row{"clip-norm:inf", "clip-norm:C is accepted"},
        Row{"terngrad:no", "terngrad:none|C [none] is accepted"},
        Row{"top-k:5", "'5' is neither a share above 0% and up to 100%, like 1%, nor a count"},
        Row{"top-k:0%", "top-k:P%|k=K [1%] is accepted"},
        Row{"top-k:101%", "nor a count, like k=100"},
        Row{"random-k:k=0", "random-k:P%|k=K [1%] is accepted"},
        Row{"random-k-unscaled:x%", "random-k-unscaled:P%|k=K [1%] is accepted"},
        Row{"top-k-sampled:k=x", "top-k-sampled:P%|k=K [1%] is accepted"},
        Row{"topk", "top-k"},
        Row{"", "identity"}}) {
    INFO(row.text);
    CHECK_THROWS_AS(make_codec(row.text), UsageError);
    CHECK_THROWS_WITH(make_codec(row.text), ContainsSubstring(row.expected));
  }
  for (const CodecInfo& info : codecs()) {
    INFO(info.name);
    if (info.argument.empty() || !info.fallback.empty()) CHECK_NOTHROW(make_codec(info.name));
    CHECK(&codec_info(info.name + ":whatever") == &info);
  }
}

TEST_CASE("a share of numbers is rounded up, and k is no more than all", "[codec][kernels]") {
  const auto kept = [](const std::string& text, std::size_t d) {
    const std::vector<TensorShape> shapes{{d, 1}};
    return (make_codec("random-k:" + text)->most_bytes(Scalar::float32, shapes) - 8) / 4;
  };
  CHECK(kept("1%", 300) == 3);
  CHECK(kept("1%", 301) == 4);
  CHECK(kept("0.001%", 10) == 1);
  CHECK(kept("1.1%", 3000) == 33);  // 1.1 · 3000 / 100 is rounded to above 33
  CHECK(kept("100%", 7) == 7);
  CHECK(kept("k=5", 7) == 5);
  CHECK(kept("k=5", 3) == 3);
}

}  // namespace trainyard
