#include "trainyard/data/row_windows.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

/// Every value and label of a file, read in windows of so many bytes.
std::vector<float> all_of(const std::filesystem::path& file, const ReadOptions& options,
                          std::size_t bytes) {
  RowWindows windows(file, options, bytes);
  std::vector<float> all;
  while (const auto rows = windows.next()) {
    for (std::size_t row = 0; row < rows->data.rows; ++row) {
      all.push_back(static_cast<float>(rows->data.labels[row]));
      if (!rows->data.sparse) {
        all.insert(all.end(), rows->data.dense_row(row).begin(), rows->data.dense_row(row).end());
        continue;
      }
      const auto one = rows->data.sparse_row(row);
      for (std::size_t i = 0; i < one.columns.size(); ++i) {
        all.push_back(static_cast<float>(one.columns[i]));
        all.push_back(one.values[i]);
      }
    }
  }
  CHECK_FALSE(windows.next());
  return all;
}

ReadOptions sparse_options() {
  ReadOptions options;
  options.features = 500;
  options.classes = 2;
  options.coding = LabelCoding::plus_minus;
  return options;
}

std::string sparse_text(std::size_t rows) {
  std::string text;
  for (std::size_t row = 0; row < rows; ++row) {
    text += fmt::format("{} {}:{} {}:0.5\n", row % 3 == 0 ? "+1" : "-1", 1 + row % 200, row,
                        300 + row % 150);
  }
  return text;
}

/// The same columns that read_coded_dataset() finds in the whole file.
ReadOptions table_options(const std::filesystem::path& file) {
  ReadOptions options;
  options.format = Format::csv;
  const CodedDataset whole = read_coded_dataset(file, options);
  options.schema = whole.schema;
  options.coding = whole.coding;
  options.classes = whole.data.classes;
  options.features = whole.data.features;
  return options;
}

constexpr std::size_t whole_file = std::size_t{1} << 30U;

}  // namespace

TEST_CASE("the rows of windows are those of the file", "[data][windows]") {
  const TemporaryFolder folder;
  const auto file = folder.write("rows.svm", sparse_text(20000));
  const auto whole = all_of(file, sparse_options(), whole_file);
  RowWindows windows(file, sparse_options(), 1);
  CHECK(windows.next()->data.rows < 5000);
  for (const std::size_t bytes : {1, 100'000, 200'001}) {
    CHECK(all_of(file, sparse_options(), bytes) == whole);
  }
}

TEST_CASE("windows of a table have its header line and its words", "[data][windows]") {
  const TemporaryFolder folder;
  std::string text = "\xEF\xBB\xBFlabel,size,town\n";
  for (int row = 0; row < 20000; ++row) {
    text += fmt::format("{},{},{}\n", row % 2 == 0 ? "yes" : "no", row,
                        row % 3 == 0 ? "\"Bonn, am \"\"Rhein\"\"\"" : "Kiel");
  }
  const auto file = folder.write("rows.csv", text + "\n\n");
  const ReadOptions options = table_options(file);
  const auto whole = all_of(file, options, whole_file);
  CHECK(whole.size() == 20000 * 4);
  for (const std::size_t bytes : {1, 100'000, 200'001}) {
    CAPTURE(bytes);
    CHECK(all_of(file, options, bytes) == whole);
  }
}

TEST_CASE("a fault's line is that of the file, whatever the window", "[data][windows]") {
  const TemporaryFolder folder;
  const auto sparse = folder.write("rows.svm", sparse_text(15000) + "+1 3:x\n" + sparse_text(10));
  std::string text = "label,size\n";
  for (int row = 0; row < 12000; ++row) text += fmt::format("{},{}\n", row % 2, row);
  const auto right = folder.write("right.csv", text);
  const auto table = folder.write("rows.csv", text + "1,x\n0,1\n");
  for (const std::size_t bytes : {1, 50'000, 10'000'000}) {
    CHECK_THROWS_WITH(all_of(sparse, sparse_options(), bytes), ContainsSubstring(":15001:6: "));
    CHECK_THROWS_WITH(all_of(table, table_options(right), bytes), ContainsSubstring(":12002:3: "));
  }
}

TEST_CASE("windows of nothing say so", "[data][windows]") {
  const TemporaryFolder folder;
  const auto empty = folder.write("empty.svm", "");
  CHECK_THROWS_WITH(all_of(empty, sparse_options(), 100), ContainsSubstring("found no rows"));
  CHECK_THROWS_WITH(all_of(folder.path() / "none.svm", sparse_options(), 100),
                    ContainsSubstring("no such file"));
}

TEST_CASE("a quote that nobody closes is said, and not the end of memory", "[data][windows]") {
  const TemporaryFolder folder;
  std::string text = "label,town\n";
  for (int row = 0; row < 20000; ++row) text += row % 2 == 0 ? "1,Kiel\n" : "0,Ulm\n";
  const auto right = folder.write("right.csv", text);
  const auto file =
      folder.write("rows.csv", text + "1,\"Kiel\n" + text.substr(text.find('\n') + 1));
  CHECK_THROWS_AS(all_of(file, table_options(right), 1), DataError);
}

TEST_CASE("what a later window begins with is a row like others", "[data][windows]") {
  const TemporaryFolder folder;
  std::string text = "label,town\n";
  for (int row = 0; row < 30'000; ++row) text += row % 2 == 0 ? "1,Kiel\n" : "0,Ulm\n";
  const auto right = folder.write("right.csv", text);
  const ReadOptions options = table_options(right);
  ReadOptions by_place = options;
  TableSchema schema = *options.schema;
  schema.label_column = 1;
  schema.columns.front().column = 0;
  schema.label_name = "town";
  schema.columns.front().name = "label";
  schema.columns.front().kind = ColumnKind::words;
  schema.columns.front().categories = {"0", "1"};
  schema.class_names = {"Kiel", "Ulm"};
  by_place.schema = std::make_shared<const TableSchema>(schema);
  // Each of these is another kind of file where a file begins with it.
  std::string rows = "label,town\n1,Kiel\n";
  for (const char* word : {"PAR1", "BZh9", "@relation x", "\xEF\xBB\xBFx"}) {
    for (int row = 0; row < 30'000; ++row) rows += std::string(word) + ",Ulm\n";
  }
  const auto file = folder.write("rows.csv", rows);
  CHECK(all_of(file, by_place, 1).size() == all_of(file, by_place, whole_file).size());
}

TEST_CASE("a file has labels in all of its windows, or in none", "[data][windows]") {
  const TemporaryFolder folder;
  ReadOptions options = sparse_options();
  options.labels = LabelUse::if_there;
  const std::string labelled = sparse_text(20'000);
  std::string bare;
  for (int row = 0; row < 20'000; ++row) bare += "1:0.5 300:1\n";
  const std::string in_none = "expected one in each row, or in none";
  CHECK_THROWS_WITH(all_of(folder.write("later.svm", labelled + bare), options, 1),
                    ContainsSubstring(in_none));
  CHECK_THROWS_WITH(all_of(folder.write("first.svm", bare + labelled), options, 1),
                    ContainsSubstring(in_none));
  options.labels = LabelUse::none;
  CHECK_FALSE(all_of(folder.path() / "first.svm", options, 1).empty());
}

}  // namespace trainyard
