// Means and errors of the codecs that draw random numbers, over many messages: within four standard
// deviations of what their rules come to.
#include <cmath>
#include <string>
#include <vector>

#include "codec/rules.hpp"
#include "support/catch.hpp"

namespace trainyard {

using namespace test;

namespace {

/// Sum and squares of what is added, of which the mean is to be near `expected`.
class Mean {
 public:
  void add(long double value) {
    sum_ += value;
    squares_ += value * value;
    ++count_;
  }
  /// In standard deviations of the mean, which `rounding` is added to.
  double distance(long double expected, long double rounding) const {
    const long double n = static_cast<long double>(count_);
    const long double variance = std::max(0.0L, squares_ / n - sum_ / n * (sum_ / n)) / n;
    return static_cast<double>(std::abs(sum_ / n - expected) / (std::sqrt(variance) + rounding));
  }

 private:
  long double sum_ = 0.0L, squares_ = 0.0L;
  std::size_t count_ = 0;
};

/// `draws` messages of x: the mean of each number, where it is x's own, and of the squared error.
void check_means(const CodecRule& rule, const CodecSample& x, int draws) {
  const std::uint64_t seed = 31;
  INFO(rule.text << ", " << x.name << (x.scalar == Scalar::float32 ? ", float" : ", double")
                 << ", seed " << seed);
  const auto codec = make_codec(rule.text);
  RandomStream random(seed, Purpose::scheme);
  CodecScratch scratch;
  const VectorBuffer numbers = x.buffer();
  VectorBuffer sum(x.scalar, x.size());
  std::vector<std::byte> wire(codec->most_bytes(x.scalar, x.shapes));
  std::vector<Mean> means(x.size());
  Mean errors;
  for (int i = 0; i < draws; ++i) {
    const std::size_t size = codec->encode(numbers.view(), x.shapes, random, scratch, wire);
    std::memset(sum.view().data(), 0, sum.view().bytes().size());
    codec->decode_add(1.0, std::span(wire).first(size), x.shapes, sum.view());
    const std::vector<double> c = doubles_of(sum.view());
    long double error = 0.0L;
    for (std::size_t j = 0; j < x.size(); ++j) {
      const long double difference = static_cast<long double>(c[j]) - x.values[j];
      means[j].add(difference);
      error += difference * difference;
    }
    errors.add(error);
  }
  // A hash of 24 bits and the precision's own rounding are no part of the rule.
  const long double length = std::sqrt(x.squares());
  const long double rounding = 1e-7L * length + least_number(x.scalar);
  CHECK(errors.distance(rule.error(x), rounding * rounding + 1e-6L * rule.error(x)) < 4.0);
  if (!codec->unbiased()) return;
  for (std::size_t j = 0; j < x.size(); ++j) {
    INFO("number " << j << ", " << x.values[j]);
    CHECK(means[j].distance(0.0L, rounding) < 4.0);
  }
}

}  // namespace

TEST_CASE("unbiased codecs are, and errors are those of the rules", "[codec]") {
  std::size_t unbiased = 0;
  for (const CodecRule& rule : codec_rules()) {
    if (!rule.error) continue;
    unbiased += make_codec(rule.text)->unbiased() ? 1 : 0;
    for (const Scalar scalar : {Scalar::float32, Scalar::float64}) {
      check_means(rule, sample_of({0.3, -1.1, 0.02, 0.0, -0.7, 2.9, 0.6, -0.25}, scalar, "eight"),
                  scalar == Scalar::float32 ? 100'000 : 10'000);
    }
  }
  CHECK(unbiased == 9);  // and identity
}

TEST_CASE("codecs are unbiased at the ends of the range", "[codec]") {
  for (const CodecRule& rule : codec_rules()) {
    if (!rule.error) continue;
    const auto scaled = [](double unit) {
      return std::vector<double>{0.13 * unit, -0.47 * unit, 0.91 * unit};
    };
    check_means(rule, sample_of(scaled(0x1p-128), Scalar::float32, "below normal"), 4'000);
    check_means(rule, sample_of(scaled(0x1p-1024), Scalar::float64, "below normal"), 4'000);
    if (rule.name() == "random-k") continue;  // d/k times these are too large
    check_means(rule, sample_of(scaled(0x1.FFFFFEp127), Scalar::float32, "near the largest"),
                4'000);
    check_means(rule, sample_of(scaled(0x1.FFFFFp1023), Scalar::float64, "near the largest"),
                4'000);
  }
}

TEST_CASE("codecs say whether they are biased, and their rows do", "[codec]") {
  for (const CodecRule& rule : codec_rules()) {
    INFO(rule.text);
    CHECK(make_codec(rule.text)->unbiased() == rule.unbiased);
  }
  for (const CodecInfo& info : codecs()) {
    if (!info.argument.empty() && info.fallback.empty()) continue;
    INFO(info.name << ": " << info.error);
    const bool says_unbiased = info.error.find("unbiased") != std::string::npos;
    CHECK(says_unbiased == make_codec(info.name)->unbiased());
  }
}

// Numbers far below the norm: a bias of a fraction of a level would show in their sum.
TEST_CASE("a long vector's sum is unbiased", "[codec]") {
  const std::uint64_t seed = 41;
  for (const std::string text : {"qsgd:1", "qsgd:127", "qsgd-elias:3", "terngrad", "natural"}) {
    INFO(text << ", seed " << seed);
    RandomStream random(seed, Purpose::scheme);
    std::vector<double> values(20'000);
    for (double& value : values) value = 1.0 + 0.1 * random.normal();
    const CodecSample x = sample_of(values, Scalar::float32);
    const auto codec = make_codec(text);
    const std::vector<double> c = decoded(*codec, x, encoded(*codec, x, random));
    long double difference = 0.0L;
    for (std::size_t i = 0; i < x.size(); ++i) difference += c[i] - x.values[i];
    const std::string name = text;
    const long double bound = codec->error_bound(x.size()) * x.squares();
    CHECK(std::abs(difference) < 4.0L * std::sqrt(bound));
  }
}

TEST_CASE("Elias codes carry qsgd's levels", "[codec]") {
  for (const std::string levels : {"1", "7", "127"}) {
    for (const CodecSample& x : codec_samples()) {
      INFO(levels << ", " << x.name);
      RandomStream a(1, Purpose::scheme), b(1, Purpose::scheme);
      const auto plain = make_codec("qsgd:" + levels), elias = make_codec("qsgd-elias:" + levels);
      CHECK(decoded(*plain, x, encoded(*plain, x, a)) == decoded(*elias, x, encoded(*elias, x, b)));
    }
  }
}

}  // namespace trainyard
