// A column of a table that says which worker has a row: what is read of it, and what it divides.
#include <algorithm>
#include <string>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/data/catalog.hpp"
#include "trainyard/data/partition.hpp"
#include "trainyard/data/preparation.hpp"
#include "trainyard/data/shared_data.hpp"
#include "trainyard/data/split_file.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

using Groups = std::vector<std::uint32_t>;
using Names = std::vector<std::string>;
using Parts = std::vector<std::vector<std::uint32_t>>;

constexpr const char* table =
    "age,user,town,left\n"
    "30,u7,Kiel,no\n"
    "41,u3,Ulm,yes\n"
    "28,u7,Kiel,yes\n"
    "25,\"u, 9\",Ulm,no\n"
    "52,u7,Kiel,no\n"
    "38,u3,Ulm,no\n";

Groups groups_of(const Dataset& data) {
  return {data.groups.begin(), data.groups.end()};
}

DatasetRequest request_for(const std::filesystem::path& file, const std::string& column = "user") {
  DatasetRequest request;
  request.dataset = file.string();
  request.label_column = "left";
  request.group_column = column;
  return request;
}

template <typename Error>
std::string error_of(const DatasetRequest& request) {
  try {
    (void)load_dataset(request);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

Parts divided(const Dataset& train, std::size_t workers) {
  Parts parts = divide_rows(train, parse_partition("by:user", "--partition"), workers, 1);
  for (auto& part : parts) std::ranges::sort(part);
  return parts;
}

}  // namespace

TEST_CASE("a column that divides rows is no feature", "[data][partition]") {
  const TemporaryFolder folder;
  const auto file = folder.write("rows.csv", table);
  const LoadedData loaded = load_dataset(request_for(file));
  CHECK(feature_names(loaded.preparation) == Names{"age", "town=Kiel", "town=Ulm"});
  CHECK(groups_of(loaded.train) == Groups{0, 1, 0, 2, 0, 1});
  CHECK(divided(loaded.train, 3) == Parts{{0, 2, 4}, {1, 5}, {3}});
  CHECK(divided(loaded.train, 2) == Parts{{0, 2, 4}, {1, 3, 5}});
  CHECK(std::ranges::count(loaded.remarks,
                           "note: " + file.string() +
                               ": column 'user' divides the rows among the workers, and is no "
                               "feature (--columns makes features of what it names)") == 1);
  for (const char* column : {"1", "-3"}) {
    CAPTURE(column);
    CHECK(fingerprint_of(load_dataset(request_for(file, column)).train) ==
          fingerprint_of(loaded.train));
    CHECK(groups_of(load_dataset(request_for(file, column)).train) == groups_of(loaded.train));
  }
  // Nobody asked: a feature as any other.
  const LoadedData plain = load_dataset(request_for(file, ""));
  CHECK(plain.train.groups.empty());
  CHECK(plain.train.features == 6);
}

TEST_CASE("a column that divides rows is a feature where --columns names it", "[data][partition]") {
  const TemporaryFolder folder;
  DatasetRequest request = request_for(folder.write("rows.csv", table), "age");
  request.table.columns = "age,town";
  const LoadedData both = load_dataset(request);
  CHECK(feature_names(both.preparation) == Names{"age", "town=Kiel", "town=Ulm"});
  CHECK(groups_of(both.train) == Groups{0, 1, 2, 3, 4, 5});
  CHECK(both.train.dense_row(1)[0] == 41.0F);
  request.group_column = "town";
  const LoadedData words = load_dataset(request);
  CHECK(groups_of(words.train) == Groups{0, 1, 0, 1, 0, 1});
  CHECK(words.train.features == 3);
  // The label, and a column that is left out, divide rows as well.
  CHECK(groups_of(load_dataset(request_for(request.dataset, "left")).train) ==
        Groups{0, 1, 1, 0, 0, 0});
  request.table = {};
  request.table.drop_columns = "town";
  const LoadedData dropped = load_dataset(request);
  CHECK(groups_of(dropped.train) == Groups{0, 1, 0, 1, 0, 1});
  CHECK(std::ranges::none_of(dropped.remarks, [](const std::string& remark) {
    return remark.find("divides the rows") != std::string::npos;
  }));
}

TEST_CASE("plain numbers divide rows by their texts, in all blocks of a file",
          "[data][partition]") {
  const TemporaryFolder folder;
  constexpr std::size_t rows = 200'000;  // some megabytes
  std::string text = "user,x,y,left\n";
  for (std::size_t row = 0; row < rows; ++row) {
    text += std::to_string((row * row) % 1009) + ",1.5," + std::to_string(row) + "," +
            std::to_string(row % 2) + "\n";
  }
  const LoadedData loaded = load_dataset(request_for(folder.write("rows.csv", text)));
  CHECK(loaded.train.features == 2);
  REQUIRE(loaded.train.groups.size() == rows);
  // Numbered as they first occur.
  std::vector<std::uint32_t> numbers(1009, 2000);
  std::uint32_t next = 0;
  bool right = true;
  for (std::size_t row = 0; row < rows; ++row) {
    std::uint32_t& number = numbers[(row * row) % 1009];
    if (number == 2000) number = next++;
    right = right && loaded.train.groups[row] == number;
  }
  CHECK(right);
  CHECK(next == 505);
  const auto texts =
      load_dataset(request_for(folder.write("t.csv", "user,x,left\n1,1,0\n1.0,2,1\n1,3,1\n")));
  CHECK(groups_of(texts.train) == Groups{0, 1, 0});
}

TEST_CASE("rows that are taken out take their values with them", "[data][partition]") {
  const TemporaryFolder folder;
  DatasetRequest request = request_for(folder.write("rows.csv", table));
  request.test = "every-fifth";
  CHECK(groups_of(load_dataset(request).train) == Groups{0, 1, 0, 2, 1});
  // A test file need not have the column where columns have names.
  request.test = folder.write("test.csv", "town,age,left\nKiel,30,no\n").string();
  const LoadedData named = load_dataset(request);
  CHECK(named.test.rows == 1);
  CHECK(named.test.groups.empty());
  CHECK(named.train.groups.size() == 6);
}

TEST_CASE("a file that is read as another one was may be divided by any column",
          "[data][partition]") {
  const TemporaryFolder folder;
  const auto file = folder.write("rows.csv", table);
  const LoadedData loaded = load_dataset(request_for(file));
  const Preparation stored = parse_preparation(preparation_json(loaded.preparation), "model.json");
  ReadOptions options = reading_of(stored, file, Format::csv);
  const auto read_by = [&](const char* column) {
    options.group_column = column;
    return read_coded_dataset(file, options).data;
  };
  CHECK(groups_of(read_by("user")) == Groups{0, 1, 0, 2, 0, 1});
  CHECK(groups_of(read_by("town")) == Groups{0, 1, 0, 1, 0, 1});
  CHECK(fingerprint_of(read_by("age")) == fingerprint_of(loaded.train));
  CHECK(groups_of(read_by("age")) == Groups{0, 1, 2, 3, 4, 5});
  CHECK(read_by("").groups.empty());
}

TEST_CASE("a row without a value to be divided by is a fault, or left out", "[data][partition]") {
  const TemporaryFolder folder;
  DatasetRequest request = request_for(
      folder.write("rows.csv", "age,user,left\n1,a,no\n2,,yes\n3,NA,yes\n4,b,yes\n5,a,no\n"));
  CHECK_THAT(error_of<DataError>(request),
             ContainsSubstring("rows.csv:3:3: found an empty field; expected a value by which rows "
                               "are divided (--partition); --missing drop leaves such rows out"));
  request.table.missing = MissingFields::mean;
  CHECK_THAT(error_of<DataError>(request), ContainsSubstring("--missing drop leaves"));
  request.table.missing = MissingFields::drop;
  const LoadedData dropped = load_dataset(request);
  CHECK(dropped.train.rows == 3);
  CHECK(groups_of(dropped.train) == Groups{0, 1, 0});
}

TEST_CASE("a column to divide rows by has to be there", "[data][partition]") {
  const TemporaryFolder folder;
  CHECK_THAT(error_of<OptionError>(request_for(folder.write("rows.csv", table), "users")),
             ContainsSubstring("--partition by:users: ") &&
                 ContainsSubstring("has no such column; did you mean 'user'?"));
  CHECK_THAT(error_of<OptionError>(request_for(folder.write("rows.csv", table), "4")),
             ContainsSubstring("--partition by:4: "));
  CHECK_THAT(
      error_of<OptionError>(request_for(folder.write("two.csv", "user,left\na,no\nb,yes\n"))),
      ContainsSubstring("--partition by:user: no column is left for a feature"));
  // Other data sets have no columns, which is said when rows are divided.
  DatasetRequest generated;
  generated.dataset = "blobs:100";
  generated.group_column = "user";
  CHECK_THROWS_WITH(divided(load_dataset(generated).train, 2),
                    ContainsSubstring("come from no CSV or TSV file of yours"));
}

TEST_CASE("processes that share a data set divide it alike by a column", "[data][partition]") {
  const TemporaryFolder folder;
  LoadedData loaded = load_dataset(request_for(folder.write("rows.csv", table)));
  const std::uint64_t rows = fingerprint_of(loaded.train);
  const SharedData shared(loaded);
  const LoadedData other = described_data(shared.description());
  for (const LoadedData* one : {static_cast<const LoadedData*>(&loaded), &other}) {
    CHECK(fingerprint_of(one->train) == rows);
    CHECK(groups_of(one->train) == Groups{0, 1, 0, 2, 0, 1});
    CHECK(divided(one->train, 2) == Parts{{0, 2, 4}, {1, 3, 5}});
  }
}

TEST_CASE("a split file has the parts of a column, and not the column", "[data][partition]") {
  const TemporaryFolder folder;
  LoadedData loaded = load_dataset(request_for(folder.write("rows.csv", table)));
  const Parts parts = divided(loaded.train, 3);
  const LoadedData ordered = in_order_of_parts(std::move(loaded), parts);
  const std::string head = split_file_head(ordered, {"by:user", 1});
  std::string bytes;
  for (const std::string_view piece : split_file_pieces(ordered, head)) bytes += piece;
  const LoadedData opened = open_split_file(folder.write("rows.split", bytes), RowCheck::all);
  const auto written = divide_rows(opened.train, parse_partition("split", "--partition"), 3, 1);
  CHECK(written == Parts{{0, 1, 2}, {3, 4}, {5}});
  CHECK_THROWS_WITH(divided(opened.train, 3),
                    "--partition by:user: a file that 'trainyard split' has written does not keep "
                    "the column; split the table by it, and then --partition split has these "
                    "parts");
}

}  // namespace trainyard
