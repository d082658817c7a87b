#include "data/hold_out.hpp"

#include <algorithm>
#include <exception>
#include <numeric>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/data/catalog.hpp"
#include "trainyard/data/partition.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

/// So many rows of each class, one class after another; feature 0 is the row's number.
Dataset rows_of(const std::vector<std::size_t>& counts) {
  Dataset data;
  data.rows = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  data.features = 1;
  data.classes = static_cast<int>(counts.size());
  data.labels = AlignedBuffer<Label>(data.rows);
  data.dense = AlignedBuffer<float>(data.rows);
  std::size_t row = 0;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    for (std::size_t i = 0; i < counts[k]; ++i, ++row) {
      data.labels[row] = static_cast<Label>(k);
      data.dense[row] = static_cast<float>(row);
    }
  }
  return data;
}

std::vector<std::size_t> counts_in(const Dataset& data) {
  std::vector<std::size_t> counts;
  for (const auto& rows : rows_by_class(data)) counts.push_back(rows.size());
  return counts;
}

}  // namespace

TEST_CASE("validation rows have each class by its share, as scikit-learn takes them", "[data]") {
  struct Case {
    std::vector<std::size_t> counts;
    double fraction;
    std::vector<std::size_t> taken;  // of train_test_split(test_size=fraction, stratify=y), 1.2.1
  };
  const std::vector<Case> cases{{{100, 50, 10}, 0.2, {20, 10, 2}},
                                {{37, 11, 5}, 0.3, {11, 3, 2}},
                                {{7, 90, 3, 20}, 0.25, {2, 22, 1, 5}},
                                {{301, 99}, 0.1, {30, 10}},
                                // Not of scikit-learn: it refuses a class of one row, and may
                                // take none of a small one.
                                {{1, 9}, 0.5, {0, 5}},
                                {{100, 2}, 0.2, {19, 1}}};
  for (const Case& each : cases) {
    Dataset data = rows_of(each.counts);
    const std::vector<std::uint32_t> rows = stratified_rows(data, each.fraction, 7);
    CHECK(std::ranges::is_sorted(rows));
    CHECK(rows == stratified_rows(data, each.fraction, 7));
    const Dataset taken = take_out(data, rows);
    CHECK(counts_in(taken) == each.taken);
    std::vector<std::size_t> left = each.counts;
    for (std::size_t k = 0; k < left.size(); ++k) left[k] -= each.taken[k];
    CHECK(counts_in(data) == left);
    std::vector<float> numbers(taken.dense.begin(), taken.dense.end());
    numbers.insert(numbers.end(), data.dense.begin(), data.dense.end());
    std::ranges::sort(numbers);
    for (std::size_t row = 0; row < numbers.size(); ++row) {
      CHECK(numbers[row] == static_cast<float>(row));
    }
  }
  const Dataset data = rows_of({100, 50});
  CHECK(stratified_rows(data, 0.2, 7) != stratified_rows(data, 0.2, 8));
}

TEST_CASE("what is held out says nothing of means and scales", "[data]") {
  const TemporaryFolder folder;
  const auto file = folder.write("rows.csv",
                                 "y,a\n0,1\n1,3\n0,\n1,5\n0,7\n1,9\n0,2\n1,4\n0,6\n1,8\n0,10\n"
                                 "1,12\n0,11\n1,13\n0,15\n1,14\n0,\n1,16\n0,18\n1,17\n");
  DatasetRequest request;
  request.dataset = file;
  request.test = "every-fifth";
  request.validation = "0.25";
  request.label_column = "y";
  request.table.missing = MissingFields::mean;
  request.scaling = FeatureScaling::standard;
  const LoadedData loaded = load_dataset(request);
  CHECK(loaded.test.rows == 4);
  CHECK(loaded.validation.rows == 4);
  CHECK(loaded.train.rows == 12);
  double sum = 0.0, squares = 0.0;
  for (const float x : loaded.train.dense) {
    sum += static_cast<double>(x);
    squares += static_cast<double>(x) * static_cast<double>(x);
  }
  CHECK(sum == Approx(0.0).margin(1e-5));
  CHECK(squares == Approx(12.0));
  double others = 0.0;
  for (const float x : loaded.validation.dense) others += static_cast<double>(x);
  CHECK(others != Approx(0.0).margin(1e-3));  // with this seed; their mean is their own

  request.intercept = true;
  const LoadedData wider = load_dataset(request);
  CHECK(wider.validation.features == 2);
  CHECK(wider.validation.intercept);
}

TEST_CASE("a validation file is read as the training file was", "[data]") {
  const TemporaryFolder folder;
  DatasetRequest request;
  request.dataset =
      folder.write("train.csv", "y,a,town\nno,1,Kiel\nyes,3,Bonn\nno,5,Kiel\nyes,7,Bonn\n");
  request.validation = folder.write("other.csv", "town,y,a\nBonn,yes,4\nKiel,no,2\n");
  request.label_column = "y";
  const LoadedData loaded = load_dataset(request);
  REQUIRE(loaded.validation.rows == 2);
  CHECK(loaded.validation.labels[0] == 1);
  CHECK(loaded.validation.dense_row(0)[0] == 4.0F);
  CHECK(loaded.validation.dense_row(0)[1] == 1.0F);  // Bonn stands first
}

TEST_CASE("one file for two kinds of rows is told", "[data]") {
  const TemporaryFolder folder;
  const std::string rows = "y,a\nno,1\nyes,3\nno,5\nyes,7\nno,8\nyes,9\n";
  const auto train = folder.write("train.csv", rows), other = folder.write("other.csv", rows);
  const auto remarks = [&](const std::string& test, const std::string& validation) {
    DatasetRequest request;
    request.dataset = train;
    request.test = test;
    request.validation = validation;
    request.label_column = "y";
    std::string said;
    for (const std::string& remark : load_dataset(request).remarks) said += remark + '\n';
    return said;
  };
  CHECK_THAT(remarks(train, ""), ContainsSubstring("the test rows are those that are trained on"));
  CHECK_THAT(remarks("", train), ContainsSubstring("validation rows are those that are trained"));
  CHECK_THAT(remarks(other, other), ContainsSubstring("the test rows are the validation rows"));
  CHECK_THAT(remarks(other, "0.5"), !ContainsSubstring("rows are"));
  CHECK_THAT(remarks("every-fifth", "0.25"), !ContainsSubstring("rows are"));
}

/// A training file of decimal commas, and others that are not written so.
TEST_CASE("a held-out file has decimals of its own", "[data]") {
  const TemporaryFolder folder;
  DatasetRequest request;
  request.dataset = folder.write("train.csv", "y;a\nno;1,25\nyes;3,5\nno;5,75\nyes;7,0\n");
  request.label_column = "y";
  const auto first_value = [&](const char* rows) {
    request.validation = folder.write("other.csv", rows);
    return load_dataset(request).validation.dense_row(0)[0];
  };
  CHECK(first_value("y;a\nno;2,5\nyes;4,0\n") == 2.5F);
  CHECK(first_value("y,a\nno,2.5\nyes,4.0\n") == 2.5F);
  CHECK(first_value("y,a\nno,2.125\nyes,4.250\n") == 2.125F);   // not in thousands
  CHECK(first_value("y;a\nno;2.125\nyes;4.250\n") == 2125.0F);  // as the training file has it
  std::string said;
  request.validation = folder.write("other.csv", "y;a\nno;2\nyes;4\n");
  for (const std::string& remark : load_dataset(request).remarks) said += remark + '\n';
  CHECK_THAT(said, !ContainsSubstring("other.csv: its first rows show --decimal"));
}

TEST_CASE("what cannot be held out is refused", "[data]") {
  const auto error_of = [](const std::string& dataset, const std::string& validation) {
    try {
      DatasetRequest request;
      request.dataset = dataset;
      request.validation = validation;
      load_dataset(request);
    } catch (const std::exception& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  DatasetRequest number;
  number.test = "0.2";
  const TemporaryFolder of_number;
  number.dataset = of_number.write("rows.csv", "0,1\n1,2\n");
  CHECK_THROWS_WITH(load_dataset(number), ContainsSubstring("every-fifth takes a fifth"));
  CHECK_THAT(error_of("blobs:100", "0.001"), ContainsSubstring("that is none"));
  CHECK_THAT(error_of("blobs:100", "rows.csv"), ContainsSubstring("from no file"));
  CHECK(error_of("blobs:100", "0.2") == "no error");
  const TemporaryFolder folder;
  const auto train = folder.write("train.csv", "y,a\n0,1\n1,3\n");
  CHECK_THAT(error_of(train, "missing.csv"), ContainsSubstring("missing.csv"));
}

}  // namespace trainyard
