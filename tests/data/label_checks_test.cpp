#include "data/label_checks.hpp"

#include <string>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/data/catalog.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

DatasetRequest request_for(const std::filesystem::path& file, const std::string& label_column) {
  DatasetRequest request;
  request.dataset = file.string();
  request.label_column = label_column;
  return request;
}

/// Rows "id,x,y": a number of the row, and two classes.
std::string numbered(int rows, const std::string& prefix) {
  std::string text = "id,x,y\n";
  for (int row = 0; row < rows; ++row) {
    text += fmt::format("{}{},{}.5,{}\n", prefix, 7 * row + 3, row % 4, row % 2);
  }
  return text;
}

}  // namespace

TEST_CASE("a label that differs in every row is none", "[data][labels]") {
  const TemporaryFolder folder;
  for (const char* prefix : {"", "n"}) {
    INFO(prefix);
    const auto file = folder.write("id.csv", numbered(12, prefix));
    CHECK_THROWS_WITH(
        load_dataset(request_for(file, "0")),
        file.string() +
            ": column 'id', the label, differs in every row, as a number of the row does; expected "
            "classes that have several rows; --label-column says which column is the label, -1 the "
            "last; --model least-squares takes real labels");
    CHECK(load_dataset(request_for(file, "y")).train.classes == 2);
  }
  // Of nine rows nobody can tell.
  CHECK(load_dataset(request_for(folder.write("few.csv", numbered(9, "")), "0")).train.rows == 9);
  std::string sparse;
  for (int row = 0; row < 12; ++row) sparse += fmt::format("{} 1:1\n", row);
  const auto rows = folder.write("rows.svm", sparse);
  CHECK_THROWS_WITH(load_dataset(request_for(rows, "0")),
                    ContainsSubstring(": the label differs in every row"));
  // Nearly all differ: a warning.
  sparse += "0 1:1\n";
  const LoadedData loaded = load_dataset(request_for(folder.write("nearly.svm", sparse), "0"));
  REQUIRE_FALSE(loaded.remarks.empty());
  CHECK_THAT(loaded.remarks[0], ContainsSubstring("the label is of 12 classes in 13 rows"));
}

TEST_CASE("a single class is nothing to learn", "[data][labels]") {
  const TemporaryFolder folder;
  for (const char* text :
       {"1 1:0.5\n1 2:1\n", "0 1:0.5\n0 2:1\n", "-1 1:0.5\n-1 2:1\n", "7 1:0.5\n7 2:1\n"}) {
    INFO(text);
    const auto file = folder.write("one.svm", text);
    CHECK_THROWS_WITH(load_dataset(request_for(file, "0")),
                      file.string() +
                          ": the label is the same in all 2 rows, of which nothing can be learned; "
                          "expected two classes or more");
  }
  CHECK_THROWS_WITH(load_dataset(request_for(folder.write("one.csv", "y,x\n1,2\n1,3\n"), "y")),
                    ContainsSubstring("column 'y', the label, is the same in all 2 rows") &&
                        ContainsSubstring("--label-column says which column"));
}

TEST_CASE("numbers of any values are classes in sorted order", "[data][labels]") {
  const TemporaryFolder folder;
  DatasetRequest request =
      request_for(folder.write("wine.csv", "x,quality\n1,5\n8,3\n2,8\n9,5\n"), "quality");
  request.test = folder.write("t.csv", "x,quality\n1,8\n1,3\n").string();
  const LoadedData loaded = load_dataset(request);
  CHECK(std::vector<Label>(loaded.train.labels.begin(), loaded.train.labels.end()) ==
        std::vector<Label>{1, 0, 2, 1});
  CHECK(loaded.train.classes == 3);
  CHECK(std::vector<Label>(loaded.test.labels.begin(), loaded.test.labels.end()) ==
        std::vector<Label>{2, 0});
  CHECK(class_texts(loaded.preparation) == std::vector<std::string>{"3", "5", "8"});
  CHECK(loaded.remarks.front() ==
        "note: " + request.dataset +
            ": the labels 3, 5, 8 are taken for classes in this order; --model least-squares takes "
            "them for numbers");
  request.test = folder.write("u.csv", "x,quality\n1,4\n").string();
  CHECK_THROWS_WITH(load_dataset(request), ContainsSubstring("found label 4; expected 3, 5, 8"));
}

TEST_CASE("whole numbers of many classes in a column that nobody named", "[data][labels]") {
  const TemporaryFolder folder;
  std::string text = "age,x,left\n";
  for (int row = 0; row < 100; ++row) text += fmt::format("{},{}.5,{}\n", row % 25, row, row % 2);
  const auto file = folder.write("people.csv", text);
  const auto notes = [&](const std::string& column) {
    std::vector<std::string> remarks = load_dataset(request_for(file, column)).remarks;
    std::erase_if(remarks, [](const std::string& remark) {
      return remark.find("--label-column") == std::string::npos;
    });
    return remarks;
  };
  CHECK(notes("0") ==
        std::vector<std::string>{
            "note: " + file.string() +
            ": column 'age', the label, has 25 classes; --label-column says which column is the "
            "label, -1 the last; --model least-squares takes real labels"});
  CHECK(notes("age").empty());
  CHECK(notes("left").empty());
}

TEST_CASE("labels that say nothing to a model may be all alike", "[data]") {
  const TemporaryFolder folder;
  DatasetRequest request;
  request.dataset = folder.write("rows.csv", "0,7.5,9\n0,3,4\n0,5,6\n").string();
  CHECK_THROWS_AS(load_dataset(request), DataError);
  request.labels_used = false;
  CHECK(load_dataset(request).train.rows == 3);
}

}  // namespace trainyard
