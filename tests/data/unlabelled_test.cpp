// Files that are to be scored need no labels.
#include <string>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/data/row_windows.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

using Values = std::vector<float>;

ReadOptions optional(Format format) {
  ReadOptions options;
  options.format = format;
  options.labels = LabelUse::if_there;
  return options;
}

Values values_of(const Dataset& data) {
  return {data.dense.begin(), data.dense.end()};
}

}  // namespace

TEST_CASE("a table without its label column is read by its training file's schema",
          "[data][table]") {
  ReadOptions training;
  training.format = Format::csv;
  training.label_column = "y";
  const CodedDataset named =
      read_coded_dataset_bytes("a,y,b\n1,no,red\n2,yes,blue\n", {}, "train", training);
  ReadOptions options = optional(Format::csv);
  options.schema = named.schema;
  options.classes = named.data.classes;
  options.coding = named.coding;
  const CodedDataset scored = read_coded_dataset_bytes("b,a\nblue,5\nred,6\n", {}, "new", options);
  CHECK_FALSE(scored.labelled);
  CHECK(values_of(scored.data) == Values{5, 1, 0, 6, 0, 1});
  CHECK(scored.data.rows == 2);
  CHECK(scored.data.classes == 2);
  CHECK(read_coded_dataset_bytes("b,a,y\nblue,5,no\n", {}, "new", options).labelled);
  // A column of features is missed all the same, and so is a label that somebody needs.
  CHECK_THAT(error_of_bytes("a\n5\n", options), ContainsSubstring("found no column 'b'"));
  options.labels = LabelUse::required;
  CHECK_THAT(error_of_bytes("b,a\nblue,5\n", options), ContainsSubstring("found no column 'y'"));

  training.label_column = "1";
  const CodedDataset numbered = read_coded_dataset_bytes("7,0,8\n9,1,6\n", {}, "train", training);
  options = optional(Format::csv);
  options.schema = numbered.schema;
  CHECK(values_of(read_dataset_bytes("1,2\n3,4\n", {}, "new", options)) == Values{1, 2, 3, 4});
  CHECK(values_of(read_dataset_bytes("1,0,2\n3,1,4\n", {}, "new", options)) == Values{1, 2, 3, 4});
  CHECK_THAT(error_of_bytes("1\n3\n", options), ContainsSubstring("found 1 column; expected 3"));
}

TEST_CASE("labels that are all empty are none", "[data][table]") {
  ReadOptions training;
  training.format = Format::csv;
  training.label_column = "y";
  for (const char* text : {"a,y\n1,no\n2,yes\n", "a,y\n1,0\n2,1\n"}) {
    INFO(text);
    const CodedDataset train = read_coded_dataset_bytes(text, {}, "train", training);
    ReadOptions options = optional(Format::csv);
    options.schema = train.schema;
    options.classes = train.data.classes;
    options.coding = train.coding;
    const CodedDataset read = read_coded_dataset_bytes("a,y\n5,\n6,\n", {}, "new", options);
    CHECK_FALSE(read.labelled);
    CHECK(values_of(read.data) == Values{5, 6});
    const std::string some = std::string(text) + "7,\n";
    CHECK(error_of_bytes(some, options) ==
          "data: 1 of 3 rows have no label; expected one in each row, or in none (--no-labels "
          "passes them over)");
    options.labels = LabelUse::none;
    CHECK(values_of(read_dataset_bytes(some, {}, "new", options)) == Values{1, 2, 7});
    options.labels = LabelUse::required;
    CHECK_THAT(error_of_bytes(some, options), ContainsSubstring("data:4:3: found"));
  }
}

TEST_CASE("all columns that a test file lacks are named", "[data][table]") {
  ReadOptions training;
  training.format = Format::csv;
  training.label_column = "y";
  ReadOptions options;
  options.format = Format::csv;
  options.schema = read_coded_dataset_bytes("Age,income,b,c,d,e,y\n1,2,3,4,5,6,0\n2,1,4,3,6,5,1\n",
                                            {}, "train", training)
                       .schema;
  CHECK(error_of_bytes("age,incone,b,c,d,e,y\n1,2,3,4,5,6,0\n", options) ==
        "data:1:1: found no columns 'Age' (did you mean 'age'?), 'income' (did you mean "
        "'incone'?); expected those of the training file");
  CHECK(error_of_bytes("Age,k,l,m,n,o,p\n1,2,3,4,5,6,0\n", options) ==
        "data:1:1: found no columns 'income', 'b', 'c', 'd', 'e' and 1 more; expected those of the "
        "training file");
}

TEST_CASE(
    "a table without the header line that its training file has is read by places, as is "
    "said",
    "[data][table]") {
  ReadOptions training;
  training.format = Format::csv;
  training.label_column = "y";
  ReadOptions options;
  options.format = Format::csv;
  options.schema = read_coded_dataset_bytes("y,a\n0,2\n1,3\n", {}, "train", training).schema;
  const CodedDataset bare = read_coded_dataset_bytes("0,5\n1,6\n", {}, "new", options);
  REQUIRE(bare.remarks.size() == 1);
  CHECK(bare.remarks[0] ==
        "note: new: has no header line, as the training file has: columns are taken by their "
        "places");
  CHECK(read_coded_dataset_bytes("y,a\n0,5\n1,6\n", {}, "new", options).remarks.empty());
  const TemporaryFolder folder;
  CHECK(RowWindows(folder.write("new.csv", "0,5\n1,6\n"), options).remarks() ==
        std::vector<std::string>{
            "note: " + (folder.path() / "new.csv").string() +
            ": has no header line, as the training file has: columns are taken by their places"});
  CHECK(RowWindows(folder.write("named.csv", "y,a\n0,5\n"), options).remarks().empty());
}

TEST_CASE("words of training rows that are left out are not unknown ones", "[data][table]") {
  ReadOptions options;
  options.format = Format::csv;
  options.table.missing = MissingFields::drop;
  const CodedDataset read =
      read_coded_dataset_bytes("y,a,w\n0,1,red\n1,2,blue\n1,,green\n", {}, "train", options);
  CHECK(read.unknown_words == 0);
  CHECK(read.remarks ==
        std::vector<std::string>{"note: train: words in 1 column, a feature for each: 'w' 2",
                                 "note: train: 1 row with missing fields was left out"});
}

TEST_CASE("a table of one feature needs no second column", "[data][table]") {
  ReadOptions training;
  training.format = Format::csv;
  training.label_column = "y";
  const CodedDataset read = read_coded_dataset_bytes("y,a\n0,2\n1,3\n", {}, "train", training);
  ReadOptions options = optional(Format::csv);
  options.schema = read.schema;
  CHECK(values_of(read_dataset_bytes("a\n5\n6\n", {}, "new", options)) == Values{5, 6});
}

TEST_CASE("LIBSVM rows and npy files without labels", "[data][libsvm][npy]") {
  const CodedDataset sparse =
      read_coded_dataset_bytes("1:5 3:7\n2:6\n", {}, "new", optional(Format::libsvm));
  CHECK_FALSE(sparse.labelled);
  CHECK(sparse.data.rows == 2);
  CHECK(sparse.data.nonzeros() == 3);
  CHECK(sparse.data.columns[1] == 2);
  CHECK(read_coded_dataset_bytes("1 1:5\n0 2:6\n", {}, "new", optional(Format::libsvm)).labelled);
  CHECK_THAT(error_of_bytes("1.5:5 3:7\n", {}), ContainsSubstring("expected a class label"));

  const TemporaryFolder folder;
  std::string header = "{'descr': '|i1', 'fortran_order': False, 'shape': (2, 2), }";
  header.resize(117, ' ');
  std::string bytes("\x93NUMPY\1\0\x76\0", 10);
  bytes += header;
  bytes += "\n\1\2\3\4";
  const auto file = folder.write("rows.npy", bytes);
  const CodedDataset arrays = read_coded_dataset(file, optional(Format::npy));
  CHECK_FALSE(arrays.labelled);
  CHECK(values_of(arrays.data) == Values{1, 2, 3, 4});
}

}  // namespace trainyard
