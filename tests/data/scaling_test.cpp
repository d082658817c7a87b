// Expected values were worked out by hand: of 1, 3, 5, 7 the mean is 4 and the deviation √5.
#include "trainyard/data/scaling.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

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
  scale_features(FeatureScaling::standard, train, {&test});
  // The second column is constant: nothing can be learned from it.
  check_near(dense_values(train), {-3 / root5, 0, -1 / root5, 0, 1 / root5, 0, 3 / root5, 0});
  check_near(dense_values(test), {5 / root5, 0});
}

TEST_CASE("scaling says what it did to each feature, in the units of the file", "[data][scaling]") {
  Dataset none;
  Dataset train = dense(3, {1, 9, 0, 3, 9, 1, 5, 9, 1, 7, 9, 0});
  const FeatureTransform standard =
      scale_features(FeatureScaling::standard, train, {&none}, {{false, false, true}, {100, 0, 0}});
  CHECK(standard.subtracted == std::vector<double>{104, 9, 0});
  CHECK(standard.divided_by == std::vector<double>{std::sqrt(5.0), 0, 1});
  CHECK(train.dense[2] == 0.0F);
  CHECK(train.dense[5] == 1.0F);
  Dataset stored = sparse("1 1:3\n0 1:4 2:0\n1 1:-8\n");
  const FeatureTransform largest = scale_features(FeatureScaling::minmax, stored, {&none});
  CHECK(largest.subtracted == std::vector<double>{0, 0});
  CHECK(largest.divided_by == std::vector<double>{8, 1});
  CHECK(scale_features(FeatureScaling::unit_rows, stored, {&none}).empty());
  CHECK(scale_features(FeatureScaling::none, stored, {&none}).empty());
}

TEST_CASE("minmax: from 0 to 1 over the training rows", "[data][scaling]") {
  Dataset train = dense(2, {-2, 3, 6, 3, 2, 3});
  Dataset test = dense(2, {10, 4});
  scale_features(FeatureScaling::minmax, train, {&test});
  CHECK(dense_values(train) == Values{0, 0, 1, 0, 0.5F, 0});
  CHECK(dense_values(test) == Values{1.5F, 0});
}

TEST_CASE("sparse features are divided only, so that zeros stay zeros", "[data][scaling]") {
  // Feature 1 is 3, 0, 0, -3: mean 0, deviation √4.5. Feature 2 is 0.1 everywhere. Feature 3 is
  // in no training row.
  const std::string text = "1 1:3 2:0.1\n-1 2:0.1\n1 2:0.1\n-1 1:-3 2:0.1\n";
  Dataset train = sparse(text, 3);
  Dataset test = sparse("1 1:6 2:0.2 3:5\n", 3);
  scale_features(FeatureScaling::standard, train, {&test});
  const float unit = 3 / std::sqrt(4.5F);
  check_near(sparse_values(train), {unit, 0.1F, 0.1F, 0.1F, -unit, 0.1F});
  check_near(sparse_values(test), {2 * unit, 0.2F, 5});
  train = sparse(text, 3);
  test = sparse("1 1:6 2:0.2 3:5\n", 3);
  scale_features(FeatureScaling::minmax, train, {&test});
  CHECK(sparse_values(train) == Values{1, 1, 1, 1, -1, 1});
  CHECK(sparse_values(test) == Values{2, 2, 5});
}

TEST_CASE("a constant sparse feature is left alone, whatever its sums round to",
          "[data][scaling]") {
  // Of 51 times 0.1 the sums' variance rounds to 1.7e-18.
  std::string text;
  for (int row = 0; row < 51; ++row) text += row % 2 == 0 ? "1 1:0.1\n" : "0 1:0.1\n";
  Dataset train = sparse(text), none;
  scale_features(FeatureScaling::standard, train, {&none});
  CHECK(train.values[0] == 0.1F);
}

TEST_CASE("unit-rows: each row has length 1", "[data][scaling]") {
  Dataset train = dense(2, {3, 4, 0, 0});
  Dataset test = sparse("1 1:6 4:8\n-1\n");
  scale_features(FeatureScaling::unit_rows, train, {&test});
  check_near(dense_values(train), {0.6F, 0.8F, 0, 0});
  check_near(sparse_values(test), {0.6F, 0.8F});
  // Squares of these pass the largest float.
  Dataset large = dense(2, {3e30F, -4e30F}), none;
  scale_features(FeatureScaling::unit_rows, large, {&none});
  check_near(dense_values(large), {0.6F, -0.8F});
}

TEST_CASE("what scaling cannot do, and what it leaves alone", "[data][scaling]") {
  Dataset train = dense(2, {1, 2, 3, 4}), none;
  scale_features(FeatureScaling::none, train, {&none});
  CHECK(dense_values(train) == Values{1, 2, 3, 4});
  Dataset other = sparse("1 2:1\n");
  CHECK_THROWS_AS(scale_features(FeatureScaling::standard, train, {&other}), OptionError);
  // A column far from 0 keeps its digits.
  Dataset years = dense(1, {16'000'001, 16'000'003, 16'000'005, 16'000'007});
  scale_features(FeatureScaling::standard, years, {&none});
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
  CHECK(feature_names(loaded.preparation) == std::vector<std::string>{"a", "intercept"});
  CHECK(loaded.test.intercept);
  CHECK(loaded.remarks.empty());
  request.scaling = FeatureScaling::none;
  request.dataset = folder.write("s.csv", "y,a,b\n0,1,1\n1,3,9000\n").string();
  request.test = "";
  CHECK(load_dataset(request).remarks.size() == 1);
}

namespace {

/// Rows of a time in seconds, and of their classes.
struct Times {
  std::vector<double> seconds{1700000000, 1700000030, 1700000002, 1700000033};
  std::vector<double> expected(FeatureScaling scaling) const {
    std::vector<double> scaled;
    double mean = 0.0, squares = 0.0;
    for (const double x : seconds) mean += (x - 1700000000) / 4;
    for (const double x : seconds) squares += (x - 1700000000 - mean) * (x - 1700000000 - mean) / 4;
    for (const double x : seconds) {
      scaled.push_back(scaling == FeatureScaling::standard
                           ? (x - 1700000000 - mean) / std::sqrt(squares)
                           : (x - 1700000000) / 33);
    }
    return scaled;
  }
};

void check_scaled(const Dataset& data, const std::vector<double>& expected, std::size_t features) {
  REQUIRE(data.rows == expected.size());
  for (std::size_t row = 0; row < expected.size(); ++row) {
    INFO("row " << row);
    CHECK(std::abs(static_cast<double>(data.dense[row * features]) - expected[row]) < 1e-6);
  }
}

std::string npy_of(const std::string& header, const std::vector<double>& values) {
  std::string padded = header;
  padded.resize(117, ' ');
  std::string bytes = std::string("\x93NUMPY\1\0\x76\0", 10) + padded + "\n";
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
  return bytes;
}

}  // namespace

TEST_CASE("what scaling subtracts is subtracted before values are rounded", "[data][scaling]") {
  const TemporaryFolder folder;
  const Times times;
  // A float has steps of 128 there.
  for (const FeatureScaling scaling : {FeatureScaling::standard, FeatureScaling::minmax}) {
    DatasetRequest request;
    request.scaling = scaling;
    std::string text = "y,seconds,x,colour\n";
    for (std::size_t row = 0; row < 4; ++row) {
      text += fmt::format("{},{:.0f},{},{}\n", row % 2, times.seconds[row], row,
                          row < 2 ? "red" : "blue");
    }
    request.dataset = folder.write("times.csv", text).string();
    request.test = folder.write("test.csv", "y,seconds,x,colour\n1,1700000030,1,red\n").string();
    const LoadedData loaded = load_dataset(request);
    REQUIRE(loaded.train.features == 4);
    check_scaled(loaded.train, times.expected(scaling), 4);
    check_scaled(loaded.test, {times.expected(scaling)[1]}, 4);
    // The words' features stay 0 and 1.
    CHECK(loaded.train.dense[2] == 0.0F);
    CHECK(loaded.train.dense[3] == 1.0F);

    DatasetRequest arrays;
    arrays.scaling = scaling;
    for (const bool fortran : {false, true}) {
      std::vector<double> values = times.seconds;
      values.insert(values.end(), {0, 1, 2, 3});
      if (!fortran) values = {values[0], 0, values[1], 1, values[2], 2, values[3], 3};
      arrays.dataset =
          folder
              .write("X.npy", npy_of(fmt::format("{{'descr': '<f8', 'fortran_order': {}, 'shape': "
                                                 "(4, 2), }}",
                                                 fortran ? "True" : "False"),
                                     values))
              .string();
      folder.write("y.npy", npy_of("{'descr': '<f8', 'fortran_order': False, 'shape': (4,), }",
                                   {0, 1, 0, 1}));
      check_scaled(load_dataset(arrays).train, times.expected(scaling), 2);
    }
  }
}

TEST_CASE("only a column whose digits a float does not have is shifted", "[data][scaling]") {
  const Dataset train = dense(3, {1000, 1, 0, 1002, 1, 5});
  // A constant may be one of rounding. 1000 to 1002 keep some 14 bits.
  CHECK(features_to_shift(FeatureScaling::standard, train) == std::vector<double>{0, 1, 0});
  const Dataset far = dense(1, {4096, 4098});
  CHECK(features_to_shift(FeatureScaling::minmax, far) == std::vector<double>{4096});
  CHECK(features_to_shift(FeatureScaling::none, far).empty());
  CHECK(features_to_shift(FeatureScaling::unit_rows, far).empty());
  const float missing = std::nanf("");
  CHECK(features_to_shift(FeatureScaling::standard, dense(1, {missing, missing})).empty());
  CHECK(features_to_shift(FeatureScaling::standard, dense(1, {missing, 5000, 5001})) ==
        std::vector<double>{5000});
}

TEST_CASE("the flag --scale-columns names what is scaled", "[data][scaling]") {
  const TemporaryFolder folder;
  DatasetRequest request;
  request.scaling = FeatureScaling::minmax;
  request.dataset =
      folder.write("c.csv", "y,a,b,c\n0,2,4,red\n1,6,8,blue\n0,4,6,red\n1,6,8,blue\n").string();
  const auto first_row = [&] {
    const LoadedData loaded = load_dataset(request);
    const auto row = loaded.train.dense_row(0);
    return Values(row.begin(), row.end());
  };
  CHECK(first_row() == Values{0, 0, 0, 1});
  request.table.scale_columns = "b";
  CHECK(first_row() == Values{2, 0, 0, 1});
  request.table.scale_columns = "b,d";
  CHECK_THROWS_WITH(load_dataset(request), ContainsSubstring("--scale-columns d: "));
}

}  // namespace trainyard
