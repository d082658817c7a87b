#include "data/label_census.hpp"

#include <string>
#include <vector>

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

std::string rows_with(const std::vector<const char*>& labels) {
  std::string text;
  for (const char* label : labels) text += std::string(label) + " 1:1\n";
  return text;
}

struct Accepted {
  std::vector<const char*> written;
  int known_classes;
  std::vector<Label> classes;
  int count;
};

}  // namespace

TEST_CASE("labels in each of the accepted forms become 0 .. k-1", "[data][labels]") {
  const std::vector<Accepted> table = {
      {{"-1", "+1", "1"}, 0, {0, 1, 1}, 2},
      {{"0", "1"}, 0, {0, 1}, 2},
      {{"1", "2"}, 0, {0, 1}, 2},
      {{"2", "0", "1"}, 0, {2, 0, 1}, 3},
      {{"3", "1", "2"}, 0, {2, 0, 1}, 3},
      {{"1.0", "2e0"}, 0, {0, 1}, 2},
      // A single label: class 1 where it is the positive one of a pair.
      {{"-1", "-1"}, 0, {0, 0}, 2},
      {{"0"}, 0, {0}, 2},
      {{"1"}, 0, {1}, 2},
      {{"2"}, 0, {1}, 2},
      // Any others are classes in increasing order.
      {{"1", "0", "-1"}, 0, {2, 1, 0}, 3},
      {{"-1", "2", "5", "2"}, 0, {0, 1, 2, 1}, 3},
      {{"4", "2", "2.0"}, 0, {1, 0, 0}, 2},
      {{"0", "2", "5"}, 0, {0, 1, 2}, 3},
      {{"8", "3", "5", "4", "6", "7"}, 0, {5, 0, 2, 1, 3, 4}, 6},
      {{"-1000000", "1000000"}, 0, {0, 1}, 2},
      // Known classes need not all occur; without k itself, labels count from 0.
      {{"7"}, 10, {7}, 10},
      {{"1", "9"}, 10, {1, 9}, 10},
      {{"1", "10"}, 10, {0, 9}, 10},
      {{"0", "3"}, 10, {0, 3}, 10},
      {{"-1"}, 2, {0}, 2},
  };
  for (const Accepted& row : table) {
    const std::string text = rows_with(row.written);
    INFO(text << "known classes: " << row.known_classes);
    ReadOptions options;
    options.classes = row.known_classes;
    const Dataset data = read_dataset_bytes(text, {}, "data", options);
    CHECK(std::vector<Label>(data.labels.begin(), data.labels.end()) == row.classes);
    CHECK(data.classes == row.count);
  }
}

TEST_CASE("labels of no accepted form are refused where they first occur", "[data][labels]") {
  struct Refused {
    std::vector<const char*> written;
    int known_classes;
    const char* message;
  };
  const std::vector<Refused> table = {
      {{"0", "1", "11"}, 10, "data:3:1: found label 11; expected 0 to 9"},
      {{"0", "10"}, 10, "data:2:1: found label 10; expected 0 to 9"},
      {{"0", "-1"}, 10, "data:2:1: found label -1; expected 0 to 9"},
  };
  for (const Refused& row : table) {
    const std::string text = rows_with(row.written);
    INFO(text);
    ReadOptions options;
    options.classes = row.known_classes;
    CHECK_THAT(error_of_bytes(text, options), ContainsSubstring(row.message));
  }
}

TEST_CASE("a test file is read with its training file's labels", "[data][labels]") {
  const CodedDataset train =
      read_coded_dataset_bytes(rows_with({"1", "2", "3", "4"}), {}, "train", {});
  CHECK(train.coding == LabelCoding::from_one);
  ReadOptions options;
  options.classes = train.data.classes;
  options.coding = train.coding;
  // Alone, these would be taken for 2 of the classes 0 .. 3.
  const Dataset test = read_dataset_bytes(rows_with({"2", "3"}), {}, "test", options);
  CHECK(test.labels[0] == 1);
  CHECK(test.labels[1] == 2);
  CHECK_THAT(error_of_bytes(rows_with({"2", "0"}), options),
             ContainsSubstring("data:2:1: found label 0; expected 1 to 4"));
}

TEST_CASE("a test file has the classes that its training file lists", "[data][labels]") {
  const CodedDataset train = read_coded_dataset_bytes(rows_with({"4", "2", "9"}), {}, "train", {});
  CHECK(train.coding == LabelCoding::listed);
  CHECK(train.class_values == std::vector<std::int32_t>{2, 4, 9});
  ReadOptions options;
  options.classes = train.data.classes;
  options.coding = train.coding;
  options.class_values = train.class_values;
  const Dataset test = read_dataset_bytes(rows_with({"9", "2"}), {}, "test", options);
  CHECK(test.labels[0] == 2);
  CHECK(test.labels[1] == 0);
  CHECK(test.classes == 3);
  CHECK_THAT(error_of_bytes(rows_with({"2", "3"}), options),
             ContainsSubstring("data:2:1: found label 3; expected 2, 4, 9"));
}

TEST_CASE("labels of a thousand values are counts, or real numbers", "[data][labels]") {
  std::string counts;
  for (int row = 0; row <= 1001; ++row) counts += std::to_string(7 * row) + " 1:1\n";
  CHECK(
      error_of_bytes(counts, {}) ==
      "data:1:1: found label 0, one of 1002 different ones; expected at most 1000, or all of 0 to "
      "k-1, or all of 1 to k; --model least-squares takes real labels");
  CHECK_THAT(error_of_bytes("0.5 1:1\n", {}),
             ContainsSubstring("; --model least-squares takes real labels"));
  // Bytes of an IDX file are classes, whichever.
  ReadOptions idx;
  idx.format = Format::idx;
  CHECK(read_dataset_bytes(idx_bytes({2, 1, 1}, "ab"), idx_bytes({2}, "\7\11"), "data", idx)
            .classes == 2);
}

}  // namespace trainyard
