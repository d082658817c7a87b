#include <string>
#include <vector>

#include "trainyard/data/read.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

ReadOptions csv(const std::string& label_column = "0") {
  ReadOptions options;
  options.format = Format::csv;
  options.label_column = label_column;
  return options;
}

ReadOptions tsv() {
  ReadOptions options;
  options.format = Format::tsv;
  return options;
}

std::vector<float> dense_of(const Dataset& data) {
  return {data.dense.begin(), data.dense.end()};
}

}  // namespace

TEST_CASE("CSV rows become dense rows, the label column taken out", "[data][csv]") {
  const Dataset data = read_dataset_bytes("1,0.5,-2\n0,1e-1,3\n", {}, "data", csv());
  CHECK_FALSE(data.sparse);
  CHECK(data.rows == 2);
  CHECK(data.features == 2);
  CHECK(data.labels[0] == 1);
  CHECK(dense_of(data) == std::vector<float>{0.5F, -2.0F, 0.1F, 3.0F});
}

TEST_CASE("the CSV label may stand in any column", "[data][csv]") {
  const std::uint64_t expected =
      fingerprint_of(read_dataset_bytes("1,5,6\n0,7,8\n", {}, "data", csv("0")));
  CHECK(fingerprint_of(read_dataset_bytes("5,1,6\n7,0,8\n", {}, "data", csv("1"))) == expected);
  CHECK(fingerprint_of(read_dataset_bytes("5,6,1\n7,8,0\n", {}, "data", csv("2"))) == expected);
}

TEST_CASE("CSV features are multiplied by the scale, and labels are not", "[data][csv]") {
  ReadOptions options = csv();
  options.scale = 0.5F;
  const Dataset data = read_dataset_bytes("1,3,-2\n0,1,8\n", {}, "data", options);
  CHECK(dense_of(data) == std::vector<float>{1.5F, -1, 0.5F, 4});
  CHECK(data.labels[0] == 1);
}

TEST_CASE("CSV and TSV in all their spellings", "[data][csv]") {
  const std::uint64_t expected =
      fingerprint_of(read_dataset_bytes("1,5,6\n0,7,8\n", {}, "data", csv()));
  for (const char* text : {"1,5,6\n0,7,8", "1,5,6\r\n0,7,8\r\n", "\n1,5,6\n  \n0,7,8\n\n",
                           " 1 , 5.0 ,6\n0,+7, 8e0 \n"}) {
    INFO(text);
    CHECK(fingerprint_of(read_dataset_bytes(text, {}, "data", csv())) == expected);
  }
  CHECK(fingerprint_of(read_dataset_bytes("1\t5\t6\n0\t7\t 8 \n", {}, "data", tsv())) == expected);
}

TEST_CASE("bad CSV rows are named by line and column", "[data][csv]") {
  struct Bad {
    const char* what;
    std::string text;
    ReadOptions options;
    const char* message;
  };
  const std::vector<Bad> table = {
      {"an empty file", "", csv(), "data: found no rows; expected at least one"},
      {"a word", "1,2,3\n0,abc,3\n", csv(), "data:2:3: found 'abc'; expected a number"},
      {"a missing value", "1,2,3\n0,,3\n", csv(),
       "data:2:3: found an empty field; expected a number (--missing mean or drop reads on)"},
      {"NaN", "1,2,NaN\n", csv(),
       "data:1:5: found 'NaN'; expected a number (--missing mean or drop reads on)"},
      {"infinity", "1,inf,2\n", csv(), "data:1:3: found 'inf'; expected a finite number"},
      {"fewer columns", "1,2,3\n0,2\n", csv(),
       "data:2:3: found fewer than 3 columns; expected 3 as in line 1"},
      {"more columns", "\n1,2,3\n0,2,3,4\n", csv(),
       "data:3:7: found more than 3 columns; expected 3 as in line 2"},
      {"a separator at the end", "1,2,3,\n", csv(),
       "data:1:7: found an empty field; expected a number (--missing mean or drop reads on)"},
      {"a single column", "1\n0\n", csv(),
       "data:1:1: found a single column, '1'; expected a label and at least one feature"},
      {"no separator", "123\n", csv(),
       "data:1:1: found a single column, '123'; expected a label and at least one feature"},
      {"binary", std::string("\x89PNG\r\n\x1a\n\0,", 10), csv(),
       "data: holds bytes of 0, and is no text; expected LIBSVM, CSV or TSV text, npy, npz or IDX"},
  };
  for (const Bad& bad : table) {
    INFO(bad.what);
    CHECK(error_of_bytes(bad.text, bad.options) == bad.message);
  }
}

TEST_CASE("a CSV of another width than the known one is refused", "[data][csv]") {
  ReadOptions options = csv();
  options.features = 4;
  CHECK(error_of_bytes("1,2,3\n", options) ==
        "data:1:1: found 3 columns; expected 4 features and the label");
}

}  // namespace trainyard
