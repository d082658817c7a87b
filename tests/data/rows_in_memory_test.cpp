#include "trainyard/data/rows_in_memory.hpp"

#include <array>
#include <string>
#include <vector>

#include "trainyard/base/error.hpp"

#include "support/catch.hpp"

namespace trainyard {
namespace {

constexpr std::size_t rows = 10, features = 2;

/// x = (row, 1), of classes 0 and 1 in turn.
const std::array<float, rows * features>& numbers() {
  static const std::array<float, rows* features> all = [] {
    std::array<float, rows * features> made{};
    for (std::size_t row = 0; row < rows; ++row) {
      made[row * features] = static_cast<float>(row);
      made[row * features + 1] = 1.0F;
    }
    return made;
  }();
  return all;
}

RowsInMemory views() {
  RowsInMemory made{.name = "arrays", .train = {}};
  Dataset& train = made.train.data;
  train.rows = rows;
  train.features = features;
  train.dense = AlignedBuffer<float>::view_of(numbers());
  train.labels = AlignedBuffer<Label>(rows);
  for (std::size_t row = 0; row < rows; ++row) train.labels[row] = static_cast<Label>(row % 2);
  made.train.coding = LabelCoding::from_zero;
  return made;
}

DatasetRequest request() {
  DatasetRequest asked;
  asked.dataset = "arrays";
  return asked;
}

}  // namespace

TEST_CASE("rows in memory are used where they lie, unless something changes them") {
  const LoadedData plain = load_rows(views(), request());
  CHECK(plain.train.dense.data() == numbers().data());
  CHECK(plain.preparation.features == features);

  DatasetRequest scaled = request();
  scaled.scaling = FeatureScaling::minmax;
  const LoadedData made = load_rows(views(), scaled);
  CHECK(made.train.dense.data() != numbers().data());
  CHECK(made.train.dense_row(9)[0] == 1.0F);
  CHECK(numbers()[18] == 9.0F);
}

TEST_CASE("rows in memory are taken out and completed as those of files are") {
  DatasetRequest asked = request();
  asked.test = "every-fifth";
  asked.intercept = true;
  const LoadedData loaded = load_rows(views(), asked);
  REQUIRE(loaded.test.rows == 2);
  CHECK(loaded.test.dense_row(1)[0] == 9.0F);
  CHECK(loaded.train.rows == 8);
  CHECK(loaded.train.dense_row(0).back() == 1.0F);
  CHECK(loaded.train.features == features + 1);
}

TEST_CASE("rows in memory go with no file of rows, and with no second test set") {
  const auto refused = [](const DatasetRequest& asked, RowsInMemory given) -> std::string {
    try {
      (void)load_rows(std::move(given), asked);
    } catch (const OptionError& error) {
      return error.option();
    }
    return "";
  };
  DatasetRequest asked = request();
  asked.test = "rows.csv";
  CHECK(refused(asked, views()) == "test");
  asked.test = "every-fifth";
  RowsInMemory with_test = views();
  with_test.test = std::move(views().train.data);
  CHECK(refused(asked, std::move(with_test)) == "test");
  asked = request();
  asked.validation = "rows.csv";
  CHECK(refused(asked, views()) == "validation");
  asked = request();
  asked.start.folder = "results/ring";
  CHECK(refused(asked, views()) == "start");
}

TEST_CASE("labels in memory of one class alone are refused") {
  RowsInMemory one = views();
  for (Label& label : one.train.data.labels) label = 1;
  CHECK_THROWS_AS(load_rows(std::move(one), request()), DataError);
}

}  // namespace trainyard
