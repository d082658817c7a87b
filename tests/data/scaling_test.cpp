// Expected values were worked out by hand: of 1, 3, 5, 7 the mean is 4 and the deviation √5.
#include "trainyard/data/scaling.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/data/catalog.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

using Values = std::vector<float>;

Dataset dense(std::size_t features, const Values& values) {
  Dataset data;
  data.features = features;
  data.rows = values.size() / features;
  data.labels = AlignedBuffer<Label>::zeroed(data.rows);
  data.dense = AlignedBuffer<float>::copy_of(values);
  return data;
}

Dataset sparse(std::string_view text, std::size_t features = 0) {
  ReadOptions options;
  options.features = features;
  return read_dataset_bytes(text, {}, "data", options);
}

Values dense_values(const Dataset& data) {
  return {data.dense.begin(), data.dense.end()};
}
Values sparse_values(const Dataset& data) {
  return {data.values.begin(), data.values.end()};
}

void check_near(const Values& found, const Values& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    INFO("value " << i);
    CHECK(std::abs(found[i] - expected[i]) <= 1e-6F * std::abs(expected[i]));
  }
}

constexpr float root5 = 2.2360680F;

}  // namespace

TEST_CASE("standard: mean 0 and deviation 1 over the training rows", "[data][scaling]") {
  Dataset train = dense(2, {1, 9, 3, 9, 5, 9, 7, 9});
  Dataset test = dense(2, {9, 10});
  scale_features(FeatureScaling::standard, train, test);
  // The second column is constant: nothing can be learned from it.
  check_near(dense_values(train), {-3 / root5, 0, -1 / root5, 0, 1 / root5, 0, 3 / root5, 0});
  check_near(dense_values(test), {5 / root5, 0});
}

TEST_CASE("scaling says what it did to each feature, in the units of the file", "[data][scaling]") {
  Dataset none;
  Dataset train = dense(3, {1, 9, 0, 3, 9, 1, 5, 9, 1, 7, 9, 0});
  const FeatureTransform standard =
      scale_features(FeatureScaling::standard, train, none, {{false, false, true}, {100, 0, 0}});
  CHECK(standard.subtracted == std::vector<double>{104, 9, 0});
  CHECK(standard.divided_by == std::vector<double>{std::sqrt(5.0), 0, 1});
  CHECK(train.dense[2] == 0.0F);
  CHECK(train.dense[5] == 1.0F);
  Dataset stored = sparse("1 1:3\n0 1:4 2:0\n1 1:-8\n");
  const FeatureTransform largest = scale_features(FeatureScaling::minmax, stored, none);
  CHECK(largest.subtracted == std::vector<double>{0, 0});
  CHECK(largest.divided_by == std::vector<double>{8, 1});
  CHECK(scale_features(FeatureScaling::unit_rows, stored, none).empty());
  CHECK(scale_features(FeatureScaling::none, stored, none).empty());
}

TEST_CASE("minmax: from 0 to 1 over the training rows", "[data][scaling]") {
  Dataset train = dense(2, {-2, 3, 6, 3, 2, 3});
  Dataset test = dense(2, {10, 4});
  scale_features(FeatureScaling::minmax, train, test);
  CHECK(dense_values(train) == Values{0, 0, 1, 0, 0.5F, 0});
  CHECK(dense_values(test) == Values{1.5F, 0});
}

TEST_CASE("sparse features are divided only, so that zeros stay zeros", "[data][scaling]") {
  // Feature 1 is 3, 0, 0, -3: mean 0, deviation √4.5. Feature 2 is 0.1 everywhere. Feature 3 is
  // in no training row.
  const std::string text = "1 1:3 2:0.1\n-1 2:0.1\n1 2:0.1\n-1 1:-3 2:0.1\n";
  Dataset train = sparse(text, 3);
  Dataset test = sparse("1 1:6 2:0.2 3:5\n", 3);
  scale_features(FeatureScaling::standard, train, test);
  const float unit = 3 / std::sqrt(4.5F);
  check_near(sparse_values(train), {unit, 0.1F, 0.1F, 0.1F, -unit, 0.1F});
  check_near(sparse_values(test), {2 * unit, 0.2F, 5});
  train = sparse(text, 3);
  test = sparse("1 1:6 2:0.2 3:5\n", 3);
  scale_features(FeatureScaling::minmax, train, test);
  CHECK(sparse_values(train) == Values{1, 1, 1, 1, -1, 1});
  CHECK(sparse_values(test) == Values{2, 2, 5});
}

TEST_CASE("a constant sparse feature is left alone, whatever its sums round to",
          "[data][scaling]") {
  // Of 51 times 0.1 the sums' variance rounds to 1.7e-18.
  std::string text;
  for (int row = 0; row < 51; ++row) text += row % 2 == 0 ? "1 1:0.1\n" : "0 1:0.1\n";
  Dataset train = sparse(text), none;
  scale_features(FeatureScaling::standard, train, none);
  CHECK(train.values[0] == 0.1F);
}

TEST_CASE("unit-rows: each row has length 1", "[data][scaling]") {
  Dataset train = dense(2, {3, 4, 0, 0});
  Dataset test = sparse("1 1:6 4:8\n-1\n");
  scale_features(FeatureScaling::unit_rows, train, test);
  check_near(dense_values(train), {0.6F, 0.8F, 0, 0});
  check_near(sparse_values(test), {0.6F, 0.8F});
  // Squares of these pass the largest float.
  Dataset large = dense(2, {3e30F, -4e30F}), none;
  scale_features(FeatureScaling::unit_rows, large, none);
  check_near(dense_values(large), {0.6F, -0.8F});
}

TEST_CASE("what scaling cannot do, and what it leaves alone", "[data][scaling]") {
  Dataset train = dense(2, {1, 2, 3, 4}), none;
  scale_features(FeatureScaling::none, train, none);
  CHECK(dense_values(train) == Values{1, 2, 3, 4});
  Dataset other = sparse("1 2:1\n");
  CHECK_THROWS_AS(scale_features(FeatureScaling::standard, train, other), OptionError);
  // A column far from 0 keeps its digits.
  Dataset years = dense(1, {16'000'001, 16'000'003, 16'000'005, 16'000'007});
  scale_features(FeatureScaling::standard, years, none);
  check_near(dense_values(years), {-3 / root5, -1 / root5, 1 / root5, 3 / root5});
  for (const char* text : {"none", "standard", "minmax", "unit-rows"}) {
    CHECK(scaling_text(parse_scaling(text, "--scale")) == text);
  }
  CHECK_THROWS_AS(parse_scaling("max", "--scale"), UsageError);
}

TEST_CASE("an intercept is a last feature of ones", "[data][scaling]") {
  Dataset rows = dense(2, {1, 2, 3, 4});
  append_intercept(rows);
  CHECK(rows.features == 3);
  CHECK(rows.intercept);
  CHECK(dense_values(rows) == Values{1, 2, 1, 3, 4, 1});
  Dataset data = sparse("1 2:5\n-1\n1 1:7 3:8\n");
  append_intercept(data);
  CHECK(data.features == 4);
  CHECK(sparse_values(data) == Values{5, 1, 1, 7, 8, 1});
  CHECK(std::vector<std::uint32_t>(data.columns.begin(), data.columns.end()) ==
        std::vector<std::uint32_t>{1, 3, 3, 0, 2, 3});
  CHECK(std::vector<std::uint64_t>(data.row_begin.begin(), data.row_begin.end()) ==
        std::vector<std::uint64_t>{0, 2, 3, 6});
}

TEST_CASE("columns of very different scale are remarked on, but for indicators",
          "[data][scaling]") {
  // Deviations √5 · 10^4 and √5.
  const Dataset data = dense(4, {1e4F, 1, 8, 0, 3e4F, 3, 8, 0, 5e4F, 5, 8, 0, 7e4F, 7, 8, 1});
  CHECK(scale_warning(data, {"income", "age", "same", "rare"}) ==
        "warning: columns differ in scale by a factor of 1e+04 ('income' 2e+04, 'age' 2); --scale "
        "standard makes them alike");
  CHECK(scale_warning(data, {}) ==
        "warning: columns differ in scale by a factor of 1e+04 (feature 0: 2e+04, feature 1: 2); "
        "--scale standard makes them alike");
  CHECK_FALSE(scale_warning(dense(2, {256, 0.5, 768, 1.5, 1280, 2.5}), {}));
  // Alike, and all of them too large: years, say.
  const auto large = scale_warning(dense(1, {2001, 2005, 2010}), {"year"});
  REQUIRE(large);
  CHECK_THAT(*large, ContainsSubstring("large ('year' 2e3)") || ContainsSubstring("large ('year'"));
  CHECK_FALSE(scale_warning(sparse("1 1:1e9\n-1 2:1\n"), {}));
}

TEST_CASE("scaling follows the rows that are left for training, then the intercept",
          "[data][scaling]") {
  const TemporaryFolder folder;
  DatasetRequest request;
  request.dataset = folder.write("r.csv", "y,a\n0,1\n1,3\n0,5\n1,7\n0,9000\n").string();
  request.test = "every-fifth";
  request.scaling = FeatureScaling::minmax;
  request.intercept = true;
  const LoadedData loaded = load_dataset(request);
  check_near(dense_values(loaded.train), {0, 1, 2 / 6.0F, 1, 4 / 6.0F, 1, 1, 1});
  check_near(dense_values(loaded.test), {8999 / 6.0F, 1});
  CHECK(loaded.preparation.feature_names == std::vector<std::string>{"a", "intercept"});
  CHECK(loaded.test.intercept);
  CHECK(loaded.remarks.empty());
  request.scaling = FeatureScaling::none;
  request.dataset = folder.write("s.csv", "y,a,b\n0,1,1\n1,3,9000\n").string();
  request.test = "";
  CHECK(load_dataset(request).remarks.size() == 1);
}

}  // namespace trainyard
