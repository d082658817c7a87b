// What columns hold: categories, dates, hashed words, and what an expert would ask of them.
#include "data/table_scan.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/data/catalog.hpp"

#include "data/files.hpp"
#include "data/hashed_words.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

using Values = std::vector<float>;
using Names = std::vector<std::string>;

ReadOptions table() {
  ReadOptions options;
  options.format = Format::csv;
  options.label_column = "y";
  return options;
}

CodedDataset read(std::string_view text, const ReadOptions& options = table()) {
  return read_coded_dataset_bytes(text, {}, "data", options);
}

Values values_of(const Dataset& data) {
  return {data.dense.begin(), data.dense.end()};
}

bool says(const CodedDataset& read, std::string_view part) {
  return std::ranges::any_of(read.remarks, [&](const std::string& remark) {
    return remark.find(part) != std::string::npos;
  });
}

}  // namespace

TEST_CASE("too many words that are dates or decimal commas are told what makes numbers of them",
          "[data][table]") {
  const auto error_of = [](const std::string& first, const auto& field_of, ReadOptions options) {
    std::string text = "y;a\n" + first;
    for (int row = 0; row < 1200; ++row) text += fmt::format("{};{}\n", row % 2, field_of(row));
    options.table.delimiter = ';';
    return [text, options] { (void)read(text, options); };
  };
  ReadOptions options = table();
  const auto dates = error_of(
      "",
      [](int row) {
        return fmt::format("{}-{:02}-{:02}", 1990 + row / 336, row / 28 % 12 + 1, row % 28 + 1);
      },
      options);
  CHECK_THROWS_WITH(dates(), ContainsSubstring("different dates") && ContainsSubstring("--date a"));
  options.table.decimal = '.';
  const auto commas = error_of(
      "", [](int row) { return fmt::format("{},5", row); }, options);
  CHECK_THROWS_WITH(commas(), ContainsSubstring("'0,5'") && ContainsSubstring("--decimal ,"));
}

TEST_CASE("a label that is missing is told so", "[data][table]") {
  CHECK_THROWS_WITH(read("y,a\nno,1\nyes,2\n,3\nno,4\n"),
                    ContainsSubstring("found no label, but ''; --missing drop"));
}

TEST_CASE("the flag --categorical takes numbers for names, --numeric words for faults",
          "[data][table]") {
  ReadOptions options = table();
  options.table.categorical = "zip";
  const CodedDataset zips = read("y,zip,x\n0,10115,1\n1,24103,2\n0,10115,3\n", options);
  CHECK(zips.schema->feature_names() == Names{"zip=10115", "zip=24103", "x"});
  CHECK(values_of(zips.data) == Values{1, 0, 1, 0, 1, 2, 1, 0, 3});
  CHECK(zips.schema->scaled == std::vector<bool>{false, false, true});
  ReadOptions numeric = table();
  const std::string mostly_words = "y,x\n0,one\n1,2\n0,three\n";
  CHECK(read(mostly_words, numeric).data.features == 3);
  numeric.table.numeric = "x";
  CHECK_THROWS_WITH(read(mostly_words, numeric),
                    ContainsSubstring("data:2:3: found 'one'; expected a number"));
}

TEST_CASE("the flag --date makes days since the earliest", "[data][table]") {
  const std::string text = "y,when\n0,2024-03-01\n1,2024-02-28 12:00\n0,2024-02-28\n1,2025-02-28\n";
  ReadOptions options = table();
  options.table.date = "when";
  const CodedDataset dates = read(text, options);
  CHECK(values_of(dates.data) == Values{2, 0.5F, 0, 366});
  CHECK(dates.schema->feature_names() == Names{"when"});
  CHECK_THROWS_WITH(read(text + "0,soon\n", options),
                    ContainsSubstring("data:6:3: found 'soon'; expected a date, as 2024-01-31"));
  CHECK(says(read(text), "column 'when' holds dates, each of which is a feature; --date when"));
  // A test file counts from the training file's day.
  const TemporaryFolder folder;
  DatasetRequest request;
  request.dataset = folder.write("d.csv", text).string();
  request.label_column = "y";
  request.table.date = "when";
  request.test = folder.write("t.csv", "when,y\n2024-02-27,1\n").string();
  CHECK(values_of(load_dataset(request).test) == Values{-1});
}

TEST_CASE("words that all come once are asked about, with what can be pasted", "[data][table]") {
  const auto text = [](const std::string& name, int rows) {
    std::string all = "y," + name + ",x\n";
    for (int row = 0; row < rows; ++row) all += fmt::format("{},\"n{}, M.\",1\n", row % 2, row);
    return all;
  };
  CHECK(says(read(text("full name", 12)),
             "each of the 12 words in column 'full name' comes once, as in an identifier, and says "
             "nothing of other rows; --drop-columns 'full name' leaves it out"));
  CHECK(says(read(text("\"a,b\"", 12)), "--drop-columns '\"a,b\"' leaves it out"));
  CHECK_FALSE(says(read(text("name", 12) + "0,\"n0, M.\",1\n"), "comes once"));
  CHECK_FALSE(says(read(text("name", 9)), "comes once"));
  CHECK_THROWS_WITH(read(text("full name", 1001)),
                    "data: found more than 1000 different words in column 'full name'; expected "
                    "numbers, or fewer of them: leave an identifier out with --drop-columns 'full "
                    "name', or let words share features with --hash 2^18");
}

TEST_CASE("numbers with units are asked about, with what can be done", "[data][table]") {
  const auto text = [](const char* before, const char* behind, int rows) {
    std::string all = "y,price,x\n";
    for (int row = 0; row < rows; ++row) {
      all += fmt::format("{},\"{}1,{}{}\",1\n", row % 2, before, 200 + row % 799, behind);
    }
    return all;
  };
  for (const auto& [before, behind] :
       {std::pair("$", ""), std::pair("", " kg"), std::pair("€ ", ""), std::pair("-$", "")}) {
    CAPTURE(before, behind);
    const std::string first = fmt::format("{}1,200{}", before, behind);
    CHECK(says(read(text(before, behind, 30)),
               fmt::format("warning: data: column 'price' holds numbers with more in their fields, "
                           "as '{}', and each is a word",
                           first)));
  }
  // Categories, and names with numbers in them.
  CHECK_FALSE(says(read(text("", " doors", 9)), "more in their fields"));
  CHECK_FALSE(says(read(text("flat ", "", 30)), "more in their fields"));
  CHECK_FALSE(says(read(text("", " kg", 30) + "0,heavy,1\n"), "more in their fields"));
  ReadOptions said = table();
  said.table.categorical = "price";
  CHECK_FALSE(says(read(text("$", "", 30), said), "more in their fields"));
  ReadOptions label = table();
  label.label_column = "price";
  CHECK(says(read(text("$", "", 30), label), "the label 'price' holds numbers with more"));
  std::string many = "y,price\n";
  for (int row = 0; row < 1200; ++row) many += fmt::format("{},{} kg\n", row % 2, row);
  CHECK_THROWS_WITH(read(many),
                    ContainsSubstring("column 'price' holds numbers with more in their fields, as "
                                      "'0 kg', more than 1000 different ones"));
}

TEST_CASE("a separator at the end of all rows but the header line is none", "[data][table]") {
  for (const char separator : {';', ',', '\t'}) {
    CAPTURE(separator);
    const auto with = [&](std::string all) {
      std::ranges::replace(all, ';', separator);
      return all;
    };
    const CodedDataset plain = read(with("a;b;y\n1;2;p\n3;4;q\n"));
    const CodedDataset found = read(with("a;b;y\n1;2;p;\n3;4;q;\n"));
    CHECK(values_of(found.data) == values_of(plain.data));
    CHECK(found.data.features == 2);
    // A field that is not empty, or not there in all rows of the beginning, is still a fault.
    for (const char* bad :
         {"a;b;y\n1;2;p;9\n3;4;q;\n", "a;b;y\n1;2;p;\n3;4;q\n", "a;b;y\n1;2;p;;\n3;4;q;;\n"}) {
      CAPTURE(bad);
      ReadOptions said = table();
      said.table.delimiter = separator;
      CHECK_THROWS_WITH(read(with(bad), said), ContainsSubstring("found more than 3 columns"));
    }
  }
}

TEST_CASE("labels of a test file that end in full stops are refused with what to do",
          "[data][table]") {
  const CodedDataset training = read("x,y\n1,>50K\n2,<=50K\n");
  ReadOptions options = table();
  options.schema = training.schema;
  options.classes = training.data.classes;
  options.coding = training.coding;
  CHECK_THROWS_WITH(
      read("x,y\n1,>50K.\n", options),
      ContainsSubstring("found label '>50K.'; expected one of <=50K, >50K (sed 's/\\.$//' takes"));
  CHECK_THROWS_WITH(read("x,y\n1,more.\n", options), !ContainsSubstring("sed"));
}

TEST_CASE("words of a test file in another encoding are told from unknown ones", "[data][table]") {
  const std::string utf8 = "Köln", latin1 = "K\xF6ln";
  for (const auto& [there, here] : {std::pair(utf8, latin1), std::pair(latin1, utf8)}) {
    CAPTURE(there, here);
    const CodedDataset training = read("y,town\nno,Bern\nyes," + there + "\n");
    ReadOptions options = table();
    options.schema = training.schema;
    options.classes = training.data.classes;
    options.coding = training.coding;
    const auto rows = [](const std::string& town) { return "y,town\nno,Wien\nyes," + town + "\n"; };
    CHECK(says(read(rows(here), options),
               "warning: data: words of it are the training file's in another encoding"));
    CHECK_FALSE(says(read(rows(there), options), "encoding"));
    CHECK_FALSE(says(read(rows("Zürich"), options), "encoding"));
    CHECK_FALSE(says(read(rows("Łódź"), options), "encoding"));

    const CodedDataset labelled = read("x,y\n1,Bern\n2," + there + "\n");
    options.schema = labelled.schema;
    CHECK_THROWS_WITH(read("x,y\n1," + here + "\n", options),
                      ContainsSubstring("which is the training file's in another encoding"));
  }
}

TEST_CASE("the flag --hash lets words of many share features", "[data][table]") {
  const TemporaryFolder folder;
  std::string text = "y,x,name,colour,title\n";
  for (int row = 0; row < 1500; ++row) {
    text += fmt::format("{},{},n{},{},t{}\n", row % 2, row % 3 == 0 ? "" : "2", row,
                        row % 2 == 0 ? "red" : "blue", row);
  }
  DatasetRequest request;
  request.dataset = folder.write("h.csv", text).string();
  request.label_column = "y";
  request.table.hash = 1024;
  request.table.missing = MissingFields::mean;
  request.test = folder.write("t.csv", "y,x,name,colour,title\n1,5,n7,red,new\n").string();
  const LoadedData loaded = load_dataset(request);
  REQUIRE(loaded.train.sparse);
  CHECK(loaded.train.features == 3 + 1024);
  const auto hashed = [](std::string_view word) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char c : word) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    return 3 + static_cast<std::uint32_t>(hash % 1024);
  };
  // The missing x of row 0 is the mean of the others, which are 2.
  const Dataset::SparseRow row = loaded.train.sparse_row(0);
  std::vector<std::uint32_t> expected{0, 2, hashed("name=n0"), hashed("title=t0")};
  std::ranges::sort(expected);
  CHECK(std::vector<std::uint32_t>(row.columns.begin(), row.columns.end()) == expected);
  CHECK(row.values[0] == 2.0F);
  const Dataset::SparseRow test = loaded.test.sparse_row(0);
  CHECK(std::ranges::count(test.columns, hashed("name=n7")) == 1);
  CHECK(std::ranges::count(test.columns, hashed("title=new")) == 1);
  CHECK(feature_names(loaded.preparation).size() == loaded.train.features);
  // Two words that share a feature are two.
  request.table.hash = 2;
  request.test = "";
  const LoadedData small = load_dataset(request);
  for (std::size_t r = 0; r < small.train.rows; ++r) {
    const Dataset::SparseRow one = small.train.sparse_row(r);
    float words = 0.0F;
    for (std::size_t i = 0; i < one.columns.size(); ++i) {
      if (one.columns[i] >= 3) words += one.values[i];
      CHECK((i == 0 || one.columns[i] > one.columns[i - 1]));
    }
    CHECK(words == 2.0F);
  }
}

}  // namespace trainyard
