// Against scikit-learn's figures (tests/oracles/ranking.py).
#include "trainyard/scoring/ranking.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "support/catch.hpp"
#include "support/oracles.hpp"

namespace trainyard {

namespace {

using Json = nlohmann::json;

constexpr double margin = 1e-12;
/// Of what the header says that a point left out may be off.
constexpr double resolution = 1.0 / 150.0;

WeightedValues weighted_values(const Json& values, const Json& weights) {
  WeightedValues both;
  for (std::size_t i = 0; i < values.size(); ++i) {
    both.push_back({values[i].get<double>(), weights[i].get<double>()});
  }
  return both;
}

RankingMeasures measured(const Json& one) {
  if (!one["own_weights"].is_null()) {
    WeightedValues own = weighted_values(one["own"], one["own_weights"]);
    WeightedValues others = weighted_values(one["others"], one["other_weights"]);
    return ranking_measures(own, others);
  }
  auto own = one["own"].get<RankedValues>(), others = one["others"].get<RankedValues>();
  return ranking_measures(own, others);
}

double furthest(const RankingPoint& a, const RankingPoint& b) {
  return std::max({std::abs(a.recall - b.recall), std::abs(a.precision - b.precision),
                   std::abs(a.false_positive_rate - b.false_positive_rate)});
}

std::vector<RankingPoint> points_of(const Json& one) {
  std::vector<RankingPoint> points;
  for (std::size_t i = 0; i < one["threshold"].size(); ++i) {
    points.push_back({one["threshold"][i].get<double>(), one["recall"][i].get<double>(),
                      one["false_positive_rate"][i].get<double>(),
                      one["precision"][i].get<double>()});
  }
  return points;
}

/// Each point that is kept is one of `all`, and each that is not is near the last one before it.
void check_selected(const std::vector<RankingPoint>& curve, const std::vector<RankingPoint>& all) {
  REQUIRE(curve.size() >= 2);
  CHECK(curve.front().threshold == std::numeric_limits<double>::infinity());
  CHECK(curve.front().recall == 0.0);
  CHECK(curve.front().precision == 1.0);
  std::size_t kept = 1;
  RankingPoint last = curve.front();
  for (const RankingPoint& point : all) {
    if (kept < curve.size() && curve[kept].threshold == point.threshold) {
      CHECK(furthest(curve[kept], point) < margin);
      last = curve[kept++];
    } else {
      CHECK(furthest(last, point) <= resolution + margin);
    }
  }
  CHECK(kept == curve.size());
  CHECK(curve.back().recall == 1.0);
  CHECK(curve.back().false_positive_rate == 1.0);
}

}  // namespace

TEST_CASE("rankings and their curves are scikit-learn's", "[scoring]") {
  const Json all = test::read_oracle("ranking");
  REQUIRE(all.size() == 24);
  for (const Json& one : all) {
    const RankingMeasures m = measured(one);
    CHECK(std::abs(m.roc_auc - one["roc_auc"].get<double>()) < margin);
    CHECK(std::abs(m.average_precision - one["average_precision"].get<double>()) < margin);
    check_selected(m.curve, points_of(one));
    if (one["own_weights"].is_null()) CHECK(m.curve.size() == one["threshold"].size() + 1);
  }
}

/// A curve of many rows is small, and as good as the whole to look at.
TEST_CASE("of a long curve as many points are kept as can be seen", "[scoring]") {
  constexpr int rows = 40'000;
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  RankedValues own, others;
  for (int i = 0; i < rows; ++i) (i % 9 == 0 ? own : others).push_back(normal(random));
  for (double& value : own) value += 1.5;
  const RankingMeasures m = ranking_measures(own, others);
  CHECK(m.curve.size() < 2'000);
  double area = 0.0;
  for (std::size_t i = 1; i < m.curve.size(); ++i) {
    const RankingPoint &from = m.curve[i - 1], &to = m.curve[i];
    CHECK(from.threshold > to.threshold);
    area += (to.false_positive_rate - from.false_positive_rate) * (from.recall + to.recall) / 2.0;
    // What the point claims, counted.
    if (i % 50 != 0) continue;
    const auto above = [&](const RankedValues& values) {
      return static_cast<double>(
          std::ranges::count_if(values, [&](double value) { return value >= to.threshold; }));
    };
    CHECK(std::abs(to.recall - above(own) / static_cast<double>(own.size())) < margin);
    CHECK(std::abs(to.precision - above(own) / (above(own) + above(others))) < margin);
  }
  CHECK(std::abs(area - m.roc_auc) < resolution);
}

/// One tie of all rows is one straight line, whatever came before.
TEST_CASE("a jump of a curve begins where it begins", "[scoring]") {
  RankedValues own, others;
  for (int i = 0; i < 1000; ++i) {
    own.push_back(i < 3 ? 10.0 - i : 0.0);
    others.push_back(0.0);
  }
  const RankingMeasures m = ranking_measures(own, others);
  REQUIRE(m.curve.size() == 3);  // three steps of 1/1000 are one
  CHECK(m.curve[1].threshold == 8.0);
  CHECK(m.curve[1].recall == 0.003);
  CHECK(m.curve[2].threshold == 0.0);
}

}  // namespace trainyard
