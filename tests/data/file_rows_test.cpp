// Readers of one's own: what they return is checked, and becomes what a reader of ours makes.
#include "data/file_rows.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/data/add_reader.hpp"
#include "trainyard/data/read.hpp"

#include "support/catch.hpp"

namespace trainyard {

namespace {

/// As from a reader's file a.rows.
CodedDataset read_as(const FileRows& rows, const ReadOptions& options = {}) {
  return coded_rows("a.rows", rows, options);
}

ReadOptions with(LabelUse labels) {
  ReadOptions options;
  options.labels = labels;
  return options;
}

FileRows dense_rows() {
  return {.features = 2, .dense = {1, 2, 3, 4, 5, 6}, .labels = {-1, 1, 1}};
}

FileRows sparse_rows() {
  return {.features = 4,
          .row_begin = {0, 2, 2, 3},
          .columns = {0, 3, 1},
          .values = {1, 2, 3},
          .labels = {1, 2, 1}};
}

}  // namespace

TEST_CASE("rows of a reader of one's own are as those of a file", "[data]") {
  const CodedDataset dense = read_as(dense_rows());
  CHECK(dense.coding == LabelCoding::plus_minus);
  CHECK(dense.data.rows == 3);
  CHECK(dense.data.features == 2);
  CHECK(std::ranges::equal(dense.data.labels.span(), std::vector<Label>{0, 1, 1}));
  CHECK(std::ranges::equal(dense.data.dense_row(2), std::vector<float>{5, 6}));

  FileRows weighted = sparse_rows();
  weighted.weights = {1, 0, 2};
  const CodedDataset sparse = read_as(weighted);
  CHECK(sparse.coding == LabelCoding::from_one);
  CHECK(sparse.data.sparse);
  CHECK(sparse.data.features == 4);
  CHECK(std::ranges::equal(sparse.data.sparse_row(0).columns, std::vector<std::uint32_t>{0, 3}));
  CHECK(sparse.data.sparse_row(1).values.empty());
  CHECK(sparse.data.weight_of(2) == 2.0F);

  FileRows real = dense_rows();
  real.labels = {0.5, -2, 1e9};
  ReadOptions options;
  options.real_labels = true;
  const CodedDataset targets = read_as(real, options);
  CHECK(std::ranges::equal(targets.data.targets.span(), std::vector<float>{0.5F, -2.0F, 1e9F}));
}

TEST_CASE("a test file read by one's own reader has the training file's features", "[data]") {
  ReadOptions options;
  options.features = 2;
  options.drop_unknown_features = true;
  options.classes = 2;
  options.coding = LabelCoding::from_one;
  const CodedDataset test = read_as(sparse_rows(), options);
  CHECK(test.data.features == 2);
  CHECK(test.data.sparse_row(0).columns.size() == 1);
  CHECK(test.data.row_begin[3] == 2);
  options.drop_unknown_features = false;
  CHECK_THROWS_WITH(read_as(sparse_rows(), options),
                    ContainsSubstring("a.rows: found 4 features; expected at most 2"));
  ReadOptions three;
  three.features = 3;
  CHECK_THROWS_WITH(read_as(dense_rows(), three),
                    ContainsSubstring("a.rows: found 2 features; expected 3"));

  FileRows unlabelled = dense_rows();
  unlabelled.labels.clear();
  CHECK_THROWS_WITH(read_as(unlabelled), ContainsSubstring("returned no labels"));
  CHECK_FALSE(read_as(unlabelled, with(LabelUse::if_there)).labelled);
  CHECK_FALSE(read_as(dense_rows(), with(LabelUse::none)).labelled);
}

TEST_CASE("a reader of one's own that returns nonsense is told so", "[data]") {
  struct Wrong {
    void (*make)(FileRows&);
    bool sparse;
    std::string message;
  };
  const std::vector<Wrong> all{
      {[](FileRows& r) { r.features = 0; }, false, "rows without features"},
      {[](FileRows& r) { r.features = std::size_t{1} << 40U; }, false, "at most 2^31 - 1"},
      {[](FileRows& r) { r.dense.pop_back(); }, false, "5 values of rows of 2; expected whole"},
      {[](FileRows& r) {
         r.row_begin = {0, 1};
       },
       false, "both dense and sparse rows"},
      {[](FileRows& r) { r.dense[3] = std::nanf(""); }, false, "nan as value 4"},
      {[](FileRows& r) { r.labels.pop_back(); }, false, "2 labels; expected 3"},
      {[](FileRows& r) { r.labels[1] = 0.5; }, false, "row 2: found the label 0.5"},
      {[](FileRows& r) { r.labels[1] = std::nan(""); }, false, "found the label nan"},
      {[](FileRows& r) {
         r.weights = {1, 1};
       },
       false, "2 weights; expected 3"},
      {[](FileRows& r) {
         r.weights = {1, -1, 1};
       },
       false, "the weight -1"},
      {[](FileRows& r) { r.dense.clear(), r.labels.clear(); }, false, "found no rows"},
      {[](FileRows& r) { r.columns[1] = 4; }, true, "column 4 in row 1; expected increasing"},
      {[](FileRows& r) { r.columns[1] = 0; }, true, "column 0 in row 1; expected increasing"},
      {[](FileRows& r) { r.columns.pop_back(); }, true, "2 columns; expected 3"},
      {[](FileRows& r) { r.row_begin[1] = 9; }, true, "do not lie one behind the other"},
      {[](FileRows& r) { r.row_begin.back() = 2; }, true, "do not lie one behind the other"},
  };
  for (const Wrong& wrong : all) {
    FileRows rows = wrong.sparse ? sparse_rows() : dense_rows();
    wrong.make(rows);
    CHECK_THROWS_WITH(read_as(rows, with(LabelUse::if_there)),
                      ContainsSubstring("a.rows: ") && ContainsSubstring(wrong.message));
  }
}

// Those that are added are tests/app/load_test.cpp's: they would be in the tables of other tests.
TEST_CASE("a reader that cannot be one is refused", "[data]") {
  CHECK_THROWS_AS(add_reader({.name = "none"}), UsageError);
  CHECK_THROWS_AS(
      add_reader({.name = "csv", .read = [](const std::filesystem::path&) { return FileRows{}; }}),
      UsageError);
  CHECK_THROWS_WITH(add_reader({.name = "x",
                                .endings = {"x"},
                                .read = [](const std::filesystem::path&) { return FileRows{}; }}),
                    ContainsSubstring("expected one like .x"));
}

}  // namespace trainyard
