// What holds of all rules: identities, equivariances, bounds, vectors that are not finite, errors,
// memory.
#include "trainyard/aggregation/aggregator.hpp"

#include <functional>
#include <limits>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"

#include "aggregation/inputs.hpp"
#include "support/allocations.hpp"
#include "support/catch.hpp"

namespace trainyard {

using namespace test;

namespace {

constexpr std::uint64_t seed = 31;

std::vector<Numbers> changed(std::vector<Numbers> rows,
                             const std::function<void(double&)>& change) {
  for (Numbers& row : rows) std::ranges::for_each(row, change);
  return rows;
}

bool has_length(const std::string& chain) {
  return chain.starts_with("geometric-median") || chain.starts_with("centered-clip") ||
         chain.starts_with("clip");
}

double mean_square_gap(const std::vector<Numbers>& rows, std::size_t honest, const Numbers& mean) {
  double sum = 0.0;
  for (std::size_t i = 0; i < honest; ++i) {
    for (std::size_t k = 0; k < mean.size(); ++k) {
      sum += (rows[i][k] - mean[k]) * (rows[i][k] - mean[k]);
    }
  }
  return sum / static_cast<double>(honest);
}

}  // namespace

TEST_CASE("of equal vectors every rule makes that vector, to the bit", "[aggregation]") {
  RandomStream random(seed, Purpose::scheme);
  const Numbers one{0.1, -1.0 / 3.0, 7e-5, 0.0, 2.7};
  for (const Scalar scalar : {Scalar::float32, Scalar::float64}) {
    for (const std::string& chain : sample_chains()) {
      for (const std::size_t n : {11U, 12U, 13U, 23U}) {
        INFO(chain << ", n " << n);
        const std::vector<Numbers> rows(n, one);
        // Clipping makes shorter vectors of long ones.
        const std::string text = chain == "clip:2+median" ? "clip:9+median" : chain;
        CHECK(combined(text, rows, scalar) == numbers_of(Inputs({one}, scalar).views.front()));
      }
    }
  }
}

TEST_CASE("rules move with their vectors, and care for no order", "[aggregation]") {
  RandomStream random(seed, Purpose::scheme);
  INFO("seed " << seed);
  for (int draw = 0; draw < 20; ++draw) {
    const auto rows = random_rows(11, 3, random);
    std::vector<std::uint32_t> order(11);
    for (std::uint32_t i = 0; i < 11; ++i) order[i] = i;
    random.shuffle(order);
    std::vector<Numbers> shuffled;
    for (const std::uint32_t i : order) shuffled.push_back(rows[i]);
    for (const std::string& chain : sample_chains()) {
      if (chain.starts_with("bucketing")) continue;
      INFO(chain);
      const Numbers result = combined(chain, rows);
      // Several sets may be as narrow, all with the same two ends; and of the last ones that Bulyan
      // picks from, two are each other's nearest. The lowest number decides then.
      if (!chain.starts_with("mda") && !chain.starts_with("bulyan")) {
        CHECK(gap(combined(chain, shuffled), result) < 1e-14);
      }
      // By a power of two: to the bit.
      if (!has_length(chain)) {
        CHECK(combined(chain, changed(rows, [](double& v) { v *= 8.0; })) ==
              changed({result}, [](double& v) { v *= 8.0; }).front());
      }
      // What begins at 0, and norms, do know where 0 is.
      if (has_length(chain) || chain.starts_with("arc")) continue;
      CHECK(gap(combined(chain, changed(rows, [](double& v) { v += 5.0; })),
                changed({result}, [](double& v) { v += 5.0; }).front()) < 1e-13);
    }
  }
}

TEST_CASE("rules that are others at an end of their argument", "[aggregation]") {
  RandomStream random(seed, Purpose::scheme);
  const std::vector<std::pair<std::string, std::string>> bit_for_bit{
      {"multi-krum:2:11", "mean"},
      {"centered-clip:1e300:3", "mean"},
      {"bucketing:11+median", "mean"},
      {"bucketing:40+median", "mean"},
      {"bucketing:1+krum:2", "krum:2"},
      {"nnm:0+krum:0", "mean"},
      {"trimmed-mean:5", "median"},
      {"mda:0", "mean"},
      {"multi-krum:2:1", "krum:2"},
      {"multi-krum:2", "multi-krum:2:9"},
      {"arc:0+median", "median"},
      {"clip:1e3+median", "median"},
      {"centered-clip:3", "centered-clip:3:1"},
      {"geometric-median", "geometric-median:0.1:8"}};
  const std::vector<std::pair<std::string, std::string>> nearly{{"trimmed-mean:0", "mean"},
                                                                {"mean-around-median:0", "mean"},
                                                                {"bulyan:0", "mean"},
                                                                {"geometric-median:1e6:1", "mean"}};
  for (int draw = 0; draw < 20; ++draw) {
    const auto rows = random_rows(11, 150, random);
    for (const auto& [one, other] : bit_for_bit) {
      INFO(one << " and " << other);
      CHECK(combined(one, rows) == combined(other, rows));
    }
    for (const auto& [one, other] : nearly) {
      INFO(one << " and " << other);
      CHECK(gap(combined(one, rows), combined(other, rows)) < 1e-14);
    }
  }
}

// ‖result − μ‖² ≤ κ (1/|S|) Σ_S ‖v_i − μ‖², with the κ that is derived in each rule's file.
TEST_CASE("lies move a rule no farther than its bound", "[aggregation]") {
  struct Row {
    std::string rule;
    std::function<double(double n, double f)> kappa;
  };
  const std::vector<Row> bounds{
      {"median", [](double n, double f) { return 2.0 * (n - f) / (n - 2.0 * f); }},
      {"trimmed-mean", [](double n, double f) { return f / (n - 2.0 * f); }},
      {"mda", [](double n, double f) { return 8.0 * f * f / (n - f); }},
      {"krum", [](double n, double f) { return 6.0 * (n - f) / (n - 2.0 * f - 2.0); }}};
  RandomStream random(seed, Purpose::scheme);
  INFO("seed " << seed);
  double nearest = 0.0;
  for (int draw = 0; draw < 400; ++draw) {
    const std::size_t f = 1 + random.below(3), n = 2 * f + 3 + random.below(5);
    auto rows = random_rows(n, 1 + random.below(4), random);
    const std::vector<Numbers> honest(rows.begin(), rows.end() - static_cast<long>(f));
    const Numbers mean = combined("mean", honest);
    const double spread = mean_square_gap(rows, n - f, mean);
    const double far = std::exp(3.0 * random.normal());
    for (std::size_t i = n - f; i < n; ++i) {
      for (std::size_t k = 0; k < mean.size(); ++k) rows[i][k] = mean[k] + far;
    }
    for (const Row& row : bounds) {
      INFO(row.rule << ", n " << n << ", f " << f << ", far " << far);
      const std::string text = row.rule == "median" ? row.rule : fmt::format("{}:{}", row.rule, f);
      const double moved = mean_square_gap({combined(text, rows)}, 1, mean);
      const double bound = row.kappa(static_cast<double>(n), static_cast<double>(f)) * spread;
      CHECK(moved <= bound);
      nearest = std::max(nearest, moved / bound);
    }
  }
  CHECK(nearest > 0.3);
  // The trimmed mean's is reached: 2 of 9 at 1, and S the 7 with both of them.
  const double moved = combined("trimmed-mean:2", {{1}, {1}, {0}, {0}, {0}, {0}, {0}, {0}, {0}})[0];
  const double mean = 2.0 / 7.0, square = 2.0 / 7.0 * 5.0 / 7.0;
  CHECK((moved - mean) * (moved - mean) == Approx(2.0 / 5.0 * square).epsilon(1e-14));
}

TEST_CASE("vectors that are not finite are left out, with as many of the liars", "[aggregation]") {
  RandomStream random(seed, Purpose::scheme);
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto honest = random_rows(10, 200, random);
  for (const Scalar scalar : {Scalar::float32, Scalar::float64}) {
    for (const auto& [rule, fewer] : std::vector<std::pair<std::string, std::string>>{
             {"median", "median"},
             {"trimmed-mean:2", "trimmed-mean:1"},
             {"krum:2", "krum:1"},
             {"multi-krum:2", "multi-krum:1"},
             {"mda:2", "mda:1"},
             {"bulyan:2", "bulyan:1"},
             {"nnm:2+arc:2+mean-around-median:2", "nnm:1+arc:1+mean-around-median:1"},
             {"geometric-median", "geometric-median"},
             {"centered-clip", "centered-clip"}}) {
      for (const double value : {infinity, -infinity, nan}) {
        INFO(rule << ", " << value);
        auto rows = honest;
        rows.insert(rows.begin() + 3, honest[0]);
        rows[3][190] = value;
        CHECK(combined(rule, rows, scalar) == combined(fewer, honest, scalar));
      }
    }
  }
  CHECK_FALSE(std::isfinite(combined("mean", {{1.0}, {infinity}}).front()));
}

TEST_CASE("where more lie openly than a rule can bear, the result is no number", "[aggregation]") {
  AggregatorScratch scratch(RandomStream(seed, Purpose::scheme));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto run = [&](const std::string& text, std::size_t n, std::size_t bad) {
    std::vector<Numbers> rows(n, Numbers{1.0, 2.0});
    for (std::size_t i = 0; i < bad; ++i) rows[i][1] = nan;
    const Inputs inputs(rows);
    Numbers result(2, 0.0);
    const int found =
        make_aggregator(text, static_cast<int>(n)).combine(inputs.views, scratch, Vector(result));
    CHECK(found == static_cast<int>(bad));
    return result;
  };
  // 7 ≥ 2 · 2 + 3; less k and k liars, 7 − k ≥ 2(2 − k) + 3 always.
  for (std::size_t bad = 0; bad < 7; ++bad) CHECK(run("krum:2", 7, bad) == Numbers{1.0, 2.0});
  CHECK(std::isnan(run("krum:2", 7, 7).front()));
  CHECK(std::isnan(run("median", 3, 3).back()));
  // Two buckets are too few for trimmed-mean:1, unless a liar was found.
  CHECK(run("bucketing:2+trimmed-mean:1", 5, 0) == Numbers{1.0, 2.0});
  CHECK(run("bucketing:2+trimmed-mean:1", 5, 3) == Numbers{1.0, 2.0});
  CHECK(run("bucketing:4+trimmed-mean:2", 17, 1) == Numbers{1.0, 2.0});
  CHECK(run("bucketing:4+trimmed-mean:4", 33, 9) == Numbers{1.0, 2.0});
  CHECK(run("mean", 2, 0) == Numbers{1.0, 2.0});
}

TEST_CASE("floats are summed as doubles", "[aggregation]") {
  RandomStream random(seed, Purpose::scheme);
  auto rows = random_rows(11, 300, random);
  for (Numbers& row : rows) row = numbers_of(Inputs({row}, Scalar::float32).views.front());
  for (const std::string& chain : sample_chains()) {
    INFO(chain);
    const Numbers exact = combined(chain, rows), rounded = combined(chain, rows, Scalar::float32);
    // A rule rounds once. A step before it has rounded what it hands on.
    const double roundings = chain.find('+') == std::string::npos ? 0.5 : 2.0;
    for (std::size_t k = 0; k < exact.size(); ++k) {
      CHECK(std::abs(rounded[k] - exact[k]) <=
            roundings * 0x1.00001p-23 * std::abs(exact[k]) + (roundings > 1.0 ? 1e-7 : 0.0));
    }
  }
}

TEST_CASE("centered clipping begins from its last result", "[aggregation]") {
  const Aggregator aggregator = make_aggregator("centered-clip:1", 2);
  CHECK(aggregator.carries());
  AggregatorScratch scratch(RandomStream(seed, Purpose::scheme));
  const Inputs inputs({{4.0}, {4.5}});
  Numbers result{0.0};
  aggregator.combine(inputs.views, scratch, Vector(result));
  CHECK(result.front() == 1.0);
  aggregator.combine(inputs.views, scratch, Vector(result));
  CHECK(result.front() == 2.0);
}

TEST_CASE("aggregators take no memory after the first vectors, and remember none",
          "[aggregation]") {
  RandomStream random(seed, Purpose::scheme);
  std::vector<std::string> chains = sample_chains();
  chains.emplace_back("arc:1+nnm:1+bucketing:2+krum:1");
  AggregatorScratch used(RandomStream(seed, Purpose::scheme));
  for (const Scalar scalar : {Scalar::float32, Scalar::float64}) {
    const Inputs inputs(random_rows(11, 300, random), scalar);
    for (const std::string& chain : chains) {
      INFO(chain);
      const Aggregator aggregator = make_aggregator(chain, 11);
      CHECK(aggregator.usual_time() > Duration{0});
      VectorBuffer result = VectorBuffer::zeroed(scalar, 300);
      aggregator.combine(inputs.views, used, result.view());
      if (chain.find("bucketing") == std::string::npos) {
        CHECK(numbers_of(result.view()) == [&] {
          AggregatorScratch fresh(RandomStream(seed, Purpose::scheme));
          return combined(chain, inputs, fresh);
        }());
      }
      if (!counts_allocations()) continue;
      const std::uint64_t before = allocations();
      aggregator.combine(inputs.views, used, result.view());
      CHECK(allocations() == before);
    }
  }
}

TEST_CASE("an aggregator that is typed wrong is refused, with what is accepted", "[aggregation]") {
  struct Row {
    std::string text;
    int vectors;
    std::string message;
  };
  for (const Row& row : std::vector<Row>{
           {"krumm:1", 9, "did you mean 'krum'"},
           {"", 9, "no aggregation named ''"},
           {"mean:1", 9, "aggregation mean: it takes no argument"},
           {"krum", 9, "aggregation krum: it needs an argument; krum:F is accepted"},
           {"krum:-1", 9, "aggregation krum: F"},
           {"krum:1.5", 9, "whole number"},
           {"multi-krum:1:0", 9, "M"},
           {"geometric-median:0:3", 9, "NU: '0' is not a number above 0"},
           {"geometric-median:0.1", 9, "T"},
           {"centered-clip:nan", 9, "centered-clip:TAU[:L] [10:1] is accepted"},
           {"nnm:1", 9, "a rule is missing"},
           {"median+mean", 9, "median makes one vector, and nothing may follow it"},
           {"nnm:1+", 9, "no aggregation named ''"},
           {"krum:2", 6,
            "aggregation krum:2: it takes at least 7 vectors (n ≥ 2F + 3), and here are 6"},
           {"multi-krum:1:8", 7, "at least 8"},
           {"bulyan:2", 10, "at least 11 vectors (n ≥ 4F + 3), and here are 10"},
           {"trimmed-mean:2", 4, "at least 5 vectors (n ≥ 2F + 1)"},
           {"mean-around-median:2", 4, "at least 5"},
           {"mda:2", 4, "at least 5"},
           {"nnm:2+median", 4, "aggregation nnm:2: it takes at least 5"},
           {"arc:2+median", 4, "aggregation arc:2: it takes at least 5"},
           {"bucketing:2+krum:1", 8, "here are 4, what the steps before it make of 8"},
           {"mda:10", 25, "at most 22 vectors"}}) {
    INFO(row.text);
    CHECK_THROWS_WITH(make_aggregator(row.text, row.vectors), ContainsSubstring(row.message));
    CHECK_THROWS_AS(make_aggregator(row.text, row.vectors), UsageError);
  }
  for (const std::string text : {"krum:9", "bucketing:2+median", "geometric-median"}) {
    CHECK_NOTHROW(check_aggregator(text));
  }
  CHECK_THROWS_AS(check_aggregator("nnm:2"), UsageError);
  for (const auto& [text, vectors] :
       std::vector<std::pair<std::string, int>>{{"krum:2", 7},
                                                {"bulyan:2", 11},
                                                {"trimmed-mean:2", 5},
                                                {"mda:10", 22},
                                                {"nnm:2+median", 5},
                                                {"bucketing:2+krum:1", 9},
                                                {"multi-krum:1:7", 7},
                                                {"median", 1}}) {
    INFO(text);
    CHECK(make_aggregator(text, vectors).vectors() == vectors);
  }
  CHECK(make_aggregator("mean", 3).is_mean());
  CHECK_FALSE(make_aggregator("bucketing:2+mean", 3).is_mean());
  CHECK(make_aggregator("bucketing:2+median", 3).by_coordinate());
  CHECK_FALSE(make_aggregator("nnm:1+median", 3).by_coordinate());
}

}  // namespace trainyard
