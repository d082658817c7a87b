#include <algorithm>
#include <cmath>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/network/switch.hpp"

#include "support/catch.hpp"

using namespace trainyard;

namespace {

constexpr int many = 40000;

/// The jitter of so many messages of one link in turn, in units of its scale.
std::vector<double> draws(Jitter::Kind kind, std::uint64_t seed, int from = 0, int to = 1) {
  const Network network{
      .latency = seconds(1), .jitter = {.kind = kind, .scale = seconds(2)}, .seed = seed};
  Links links(network, 3, 0);
  std::vector<double> result;
  for (int i = 0; i < many; ++i) {
    result.push_back((to_seconds(links.passage_of_next(from, to, 1, Time{0}).latency) - 1) / 2);
  }
  return result;
}

/// The largest distance between the empirical and the true distribution (Kolmogorov-Smirnov).
double distance(std::vector<double> sample, double (*distribution)(double)) {
  std::ranges::sort(sample);
  double largest = 0.0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double below = static_cast<double>(i) / static_cast<double>(sample.size());
    largest = std::max(largest, std::abs(distribution(sample[i]) - below));
  }
  return largest;
}

double mean(const std::vector<double>& sample) {
  double sum = 0.0;
  for (const double value : sample) sum += value;
  return sum / static_cast<double>(sample.size());
}

}  // namespace

TEST_CASE("jitter has the distribution that it is said to have", "[network]") {
  struct Row {
    Jitter::Kind kind;
    double mean;
    double (*distribution)(double);
  };
  for (const Row& row : {
           Row{Jitter::Kind::uniform, 0.5, [](double x) { return x; }},
           Row{Jitter::Kind::exponential, 1.0, [](double x) { return 1 - std::exp(-x); }},
           Row{Jitter::Kind::lognormal, std::exp(0.5),
               [](double x) { return 0.5 * std::erfc(-std::log(x) / std::sqrt(2.0)); }},
       }) {
    CAPTURE(static_cast<int>(row.kind));
    const auto sample = draws(row.kind, 5);
    CHECK(mean(sample) == Approx(row.mean).epsilon(0.03));
    CHECK(*std::ranges::min_element(sample) >= 0.0);
    // Beyond 1.95/√n with probability 1e-3.
    CHECK(distance(sample, row.distribution) < 1.95 / std::sqrt(many));
  }
}

TEST_CASE("each link draws from a stream of its own, and the seed repeats it", "[network]") {
  const auto once = draws(Jitter::Kind::exponential, 1);
  CHECK(draws(Jitter::Kind::exponential, 1) == once);
  CHECK(draws(Jitter::Kind::exponential, 2) != once);
  CHECK(draws(Jitter::Kind::exponential, 1, 1, 0) != once);
  CHECK(draws(Jitter::Kind::exponential, 1, 0, 2) != once);
  CHECK(draws(Jitter::Kind::exponential, 1, 2, 1) != once);

  // What other links carry shifts nothing.
  const Network network{.jitter = {.kind = Jitter::Kind::exponential, .scale = seconds(2)}};
  Links links(network, 3, 0);
  for (int i = 0; i < 100; ++i) {
    CHECK(to_seconds(links.passage_of_next(0, 1, 1, Time{0}).latency) / 2 ==
          Approx(once[static_cast<std::size_t>(i)]));
    (void)links.passage_of_next(i % 2 == 0 ? 1 : 2, 0, 1, Time{0});
    (void)links.passage_of_next(0, 1, 0, Time{0});  // free: takes no draw
  }
}

TEST_CASE("however the latency jitters, the messages of a pair arrive in order", "[network]") {
  for (const PortMode ports : {PortMode::circuit, PortMode::cutthrough}) {
    const Network network{.latency = seconds(0.1),
                          .bytes_per_second = 100.0,
                          .ports = ports,
                          .jitter = {.kind = Jitter::Kind::lognormal, .scale = seconds(1)}};
    Switch sw(network, 3);
    Time last{0};
    int seen = 0;
    for (int m = 0; m < 300; ++m) sw.post(m % 3, (m + 1) % 3, 1, Time{0});
    sw.advance(Time::max() - Time{1}, [&](const Transfer& transfer) {
      if (transfer.from != 0) return;
      CHECK(transfer.first_bit >= last);
      last = transfer.end;
      ++seen;
    });
    CHECK(seen == 100);
  }
}

TEST_CASE("a jitter is written as it is read", "[network]") {
  for (const char* text : {"none", "uniform:50us", "exponential:1500ns", "lognormal:2ms"}) {
    CHECK(jitter_text(parse_jitter(text, "--jitter")) == text);
  }
  for (const char* text : {"", "uniform", "normal:1ms", "none:1ms", "uniform:5", "50us"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_jitter(text, "--jitter"), UsageError);
    CHECK_THROWS_WITH(parse_jitter(text, "--jitter"), ContainsSubstring("--jitter: "));
  }
}
