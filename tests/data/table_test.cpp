// Tables as people have them: header lines, words, missing fields, chosen columns. What is expected
// was worked out by hand.
#include "trainyard/data/table.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "trainyard/base/error.hpp"
#include "trainyard/data/catalog.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

using Names = std::vector<std::string>;
using Values = std::vector<float>;

ReadOptions table(const std::string& label_column = "0",
                  MissingFields missing = MissingFields::error) {
  ReadOptions options;
  options.format = Format::csv;
  options.label_column = label_column;
  options.table.missing = missing;
  return options;
}

Dataset read(std::string_view text, const ReadOptions& options) {
  return read_dataset_bytes(text, {}, "data", options);
}

Values values_of(const Dataset& data) {
  return {data.dense.begin(), data.dense.end()};
}

std::vector<Label> labels_of(const Dataset& data) {
  return {data.labels.begin(), data.labels.end()};
}

DatasetRequest request_for(const std::filesystem::path& file, const std::string& label_column) {
  DatasetRequest request;
  request.dataset = file.string();
  request.label_column = label_column;
  return request;
}

template <typename Error>
std::string error_of(const std::string& text, const ReadOptions& options) {
  try {
    read(text, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// As csv.writer of Python writes them with QUOTE_MINIMAL, line ends included.
const std::string passengers =
    "id,class,age,\"city, state\",note\r\n"
    "1,first,30,\"Kiel, SH\",plain\r\n"
    "2,second,,\"New \"\"York\"\"\",plain\r\n"
    "3,first,50,\"Kiel, SH\",fancy\r\n"
    "4,third,22,Rome,plain\r\n";

}  // namespace

TEST_CASE("a table of people's own becomes features, classes and their names", "[data][table]") {
  const TemporaryFolder folder;
  DatasetRequest request = request_for(folder.write("p.csv", passengers), "class");
  request.table.missing = MissingFields::mean;
  request.table.drop_columns = "id";
  const LoadedData loaded = load_dataset(request);
  CHECK(feature_names(loaded.preparation) == Names{"age", "city, state=Kiel, SH",
                                                   "city, state=New \"York\"", "city, state=Rome",
                                                   "note=fancy", "note=plain"});
  CHECK(class_texts(loaded.preparation) == Names{"first", "second", "third"});
  CHECK(labels_of(loaded.train) == std::vector<Label>{0, 1, 0, 2});
  CHECK(loaded.train.classes == 3);
  CHECK(values_of(loaded.train) == Values{30, 1, 0, 0, 0, 1,    // 34 is the mean of 30, 50, 22
                                          34, 0, 1, 0, 0, 1,    //
                                          50, 1, 0, 0, 1, 0,    //
                                          22, 0, 0, 1, 0, 1});  //
  const std::string name = request.dataset;
  CHECK(
      loaded.remarks ==
      Names{"note: " + name + ": words in 2 columns, a feature for each: 'city, state' 3, 'note' 2",
            "note: " + name + ": 1 missing field is filled from the other rows of its column"});
}

TEST_CASE("a test file is read by its training file's columns, whatever their order",
          "[data][table]") {
  const TemporaryFolder folder;
  DatasetRequest request = request_for(folder.write("p.csv", passengers), "class");
  request.table.missing = MissingFields::mean;
  request.table.drop_columns = "id";
  request.test = folder
                     .write("t.csv",
                            "note,class,\"city, state\",extra,age\n"
                            "fancy,third,Rome,9,70\n"
                            "gilt,first,,9,\n")
                     .string();
  const LoadedData loaded = load_dataset(request);
  CHECK(labels_of(loaded.test) == std::vector<Label>{2, 0});
  CHECK(loaded.test.classes == 3);
  // The training mean, the training set's most frequent city, and a note it has never seen.
  CHECK(values_of(loaded.test) == Values{70, 0, 0, 1, 1, 0,  //
                                         34, 1, 0, 0, 0, 0});
  REQUIRE(loaded.remarks.size() == 4);
  CHECK(loaded.remarks[3] ==
        "note: " + request.test + ": 1 word is none of the training file's: its features are 0");

  request.test =
      folder.write("u.csv", "note,class,\"city, state\",age\nplain,fourth,Rome,1\n").string();
  CHECK_THROWS_WITH(load_dataset(request), request.test +
                                               ":2:7: found label 'fourth'; expected one of first, "
                                               "second, third");
  request.test = folder.write("v.csv", "note,class,age\nplain,first,1\n").string();
  CHECK_THROWS_WITH(
      load_dataset(request),
      request.test + ":1:1: found no column 'city, state'; expected those of the training file");
}

TEST_CASE("without names a test file's columns go by their places", "[data][table]") {
  const TemporaryFolder folder;
  DatasetRequest request = request_for(folder.write("p.csv", "a,1,x\nb,2,y\na,3,x\n"), "0");
  request.test = folder.write("t.csv", "b,5,y\nb,6,x\n").string();
  const LoadedData loaded = load_dataset(request);
  CHECK(feature_names(loaded.preparation) == Names{"1", "2=x", "2=y"});
  CHECK(values_of(loaded.test) == Values{5, 0, 1, 6, 1, 0});
  CHECK(labels_of(loaded.test) == std::vector<Label>{1, 1});
  request.test = folder.write("w.csv", "b,5,y,1\n").string();
  CHECK_THROWS_WITH(load_dataset(request),
                    request.test + ":1:1: found 4 columns; expected 3 as in the training file");
}

TEST_CASE("means are those of the rows that are left for training", "[data][table]") {
  const TemporaryFolder folder;
  // Rows 4 and 9 are test rows.
  DatasetRequest request = request_for(
      folder.write("m.csv", "0,1\n1,\n0,3\n1,5\n0,1000\n1,7\n0,4\n1,4\n0,4\n1,nan\n"), "0");
  request.test = "every-fifth";
  request.table.missing = MissingFields::mean;
  const LoadedData loaded = load_dataset(request);
  CHECK(values_of(loaded.train) == Values{1, 4, 3, 5, 7, 4, 4, 4});
  CHECK(values_of(loaded.test) == Values{1000, 4});
}

TEST_CASE("the first row is a header line where it looks like one", "[data][table]") {
  struct Case {
    const char* what;
    const char* text;
    std::size_t rows;  // without the header line
  };
  for (const Case& c : std::vector<Case>{
           {"words above numbers", "y,a,b\n0,1,2\n1,3,4\n", 2},
           {"numbers alone", "0,5,2\n1,3,4\n", 2},
           {"words above words", "y,a\nno,red\nyes,blue\nno,red\n", 3},
           {"a word that comes again", "no,red\nyes,blue\nno,red\n", 3},
           {"words above one number", "y,a,b\nno,red,1\nyes,blue,2\n", 2},
           {"a single row of words is none", "no,red\n", 1},
           {"row numbers without a name", ",y,a\n0,1,2\n1,0,4\n", 2},
           {"a first name that is empty", ",a\nno,red\nyes,blue\n", 2},
       }) {
    INFO(c.what);
    ReadOptions options = table("0", MissingFields::mean);
    const std::string error = error_of<DataError>(c.text, options);
    if (error == "no error") {
      CHECK(read(c.text, options).rows == c.rows);
    } else {
      REQUIRE(c.rows == 1);
      CHECK_THAT(error, ContainsSubstring("found no label but 'no'"));
    }
  }
}

TEST_CASE("a header line is what the user says it is", "[data][table]") {
  ReadOptions options = table();
  options.table.header = HeaderLine::yes;
  CHECK(read("0,1,2\n1,3,4\n", options).rows == 1);
  CHECK(read("\n\"0\",1,2\n\n1,3,4\n0,5,6\n", options).rows == 2);
  CHECK(error_of<DataError>("y,a\n", options) == "data: found no rows; expected at least one");
  options.table.header = HeaderLine::no;
  CHECK(error_of<DataError>("y,1,2\n1,3,4\n0,3,4\n", options) ==
        "data:1:1: found 'y'; expected a class label: a whole number from -1000000 to "
        "1000000; --label-column says which column is the label, -1 the last");
  CHECK(read("\xEF\xBB\xBFy,a\n1,2\n0,3\n", table("y")).rows == 2);
}

TEST_CASE("a header line may fill the first block of the file, and more", "[data][table]") {
  // A first block has 16 KiB, and ends with its last whole line.
  for (const std::size_t name_bytes : {std::size_t{16'300}, std::size_t{50'000}}) {
    const std::string text = "label," + std::string(name_bytes, 'a') + "\n0," +
                             std::string(300, '0') + "1\n1," + std::string(300, '0') + "2\n";
    const Dataset data = read(text, table("label"));
    CHECK(data.rows == 2);
    CHECK(values_of(data) == Values{1, 2});
  }
}

TEST_CASE("a column is meant by its name, or by its number from either end", "[data][table]") {
  const std::string text = "a,2,class\n7,8,0\n9,10,1\n";
  for (const char* label : {"class", "-1"}) {
    INFO(label);
    ReadOptions options = table(label);
    options.table.header = HeaderLine::yes;
    CHECK(values_of(read(text, options)) == Values{7, 8, 9, 10});
    // The name wins.
    options.table.columns = "2";
    CHECK(values_of(read(text, options)) == Values{8, 10});
    options.table.columns = "";
    options.table.drop_columns = "2";
    CHECK(values_of(read(text, options)) == Values{7, 9});
  }
  CHECK(values_of(read("7,8,0\n9,10,1\n", table("2"))) == Values{7, 8, 9, 10});
  CHECK(values_of(read("0,8,7\n1,10,9\n", table("-3"))) == Values{8, 7, 10, 9});
}

TEST_CASE("columns that are not there, or none that is left", "[data][table]") {
  const std::string text = "age,size,class\n7,8,0\n9,10,1\n";
  CHECK(
      error_of<OptionError>(text, table("clas")) ==
      "--label-column clas: data has no such column; did you mean 'class'? Expected a number from "
      "0 to 2, or -1 for the last column, or one of age, size, class");
  CHECK(error_of<OptionError>("1,2\n0,3\n", table("-3")) ==
        "--label-column -3: data has 2 columns and no header line; expected a number from 0 to 1, "
        "or -1 for the last column (--header yes takes its first row for names)");
  ReadOptions options = table("class");
  options.table.drop_columns = "age,class";
  CHECK(error_of<OptionError>(text, options) ==
        "--drop-columns age,class: column 'class' holds the label (--label-column)");
  options.table.drop_columns = "age,1";
  CHECK(error_of<OptionError>(text, options) ==
        "--drop-columns age,1: no column is left for a feature");
  options.table.drop_columns = "ages";
  CHECK_THAT(
      error_of<OptionError>(text, options),
      ContainsSubstring("--drop-columns ages: data has no such column; did you mean 'age'?"));
}

TEST_CASE("fields in quotes are as RFC 4180 has them", "[data][table]") {
  const Dataset data = read("y,a\n0,\"x,1\"\n1,\"x\"\"1\"\n0,\"x,1\" \n1, \"x\"\"1\"\n", table());
  CHECK(values_of(data) == Values{0, 1, 1, 0, 0, 1, 1, 0});  // x"1 sorts before x,1
  const std::string first = "\"l\"\"1\",\"f\"\"2\"\n";
  const CodedDataset both =
      read_coded_dataset_bytes(first + "\"l\"\"2\",\"f\"\"1\"\n" + first, {}, "data", table());
  CHECK(both.schema->class_names == Names{"l\"1", "l\"2"});
  CHECK(labels_of(both.data) == std::vector<Label>{0, 1, 0});
  CHECK(values_of(both.data) == Values{0, 1, 1, 0, 0, 1});
  CHECK(values_of(read("\"0\",\"1.5\"\n\"1\",2\n", table())) == Values{1.5F, 2});
  const std::string expected =
      "; expected quotes around the whole field, which are doubled within it and end after 64 KiB "
      "at "
      "most";
  CHECK(error_of<DataError>("0,1,2\n0,\"1,2\n", table()) == "data:2:3: found '\"1,2'" + expected);
  CHECK(error_of<DataError>("0,1,2\n0,\"1\"x,2\n", table()) ==
        "data:2:3: found '\"1\"x'" + expected);
}

TEST_CASE("labels are words, or numbers as ever", "[data][table]") {
  const Dataset words = read("b,1\na,2\nc,3\na,4\n", table());
  CHECK(words.classes == 3);
  CHECK(labels_of(words) == std::vector<Label>{1, 0, 2, 0});
  CHECK(labels_of(read("-1,1\n1,2\n", table())) == std::vector<Label>{0, 1});
  CHECK_THAT(error_of<DataError>("a,1\na,2\n", table()),
             ContainsSubstring("data: found no label but 'a'; expected two or more"));
  CHECK_THAT(error_of<DataError>("1,1\n1,2\nx,3\n", table()),
             ContainsSubstring("data:3:1: found 'x'; expected a class label"));
}

TEST_CASE("missing fields: refused, filled, or their rows left out", "[data][table]") {
  const std::string text = "y,a,b\n0,1,red\n1,NA,blue\n0,3,\n1,?,red\n,5,red\n";
  CHECK(error_of<DataError>(text, table()) ==
        "data:3:3: found 'NA'; expected a number (--missing mean or drop reads on); 3 faults of "
        "this kind in the file: 3:3 'NA', 4:5 empty, 5:3 '?'");
  CHECK_THAT(error_of<DataError>(text, table("0", MissingFields::mean)),
             ContainsSubstring("data:6:1: found ''; expected a class label"));
  const CodedDataset left =
      read_coded_dataset_bytes(text, {}, "data", table("0", MissingFields::drop));
  // Blue is in no row that is left.
  CHECK(values_of(left.data) == Values{1, 1});
  CHECK(left.remarks[1] == "note: data: 4 rows with missing fields were left out");
  for (const char* word :
       {"", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null"}) {
    INFO(word);
    const std::string one = fmt::format("0,1\n1,{}\n0,3\n", word);
    CHECK(read(one, table("0", MissingFields::drop)).rows == 2);
  }
  CHECK(error_of<DataError>("0,\n1,?\n", table("0", MissingFields::drop)) ==
        "data: found no rows (2 had missing fields); expected at least one");
}

TEST_CASE("of words the most frequent fills in, wherever it is sorted", "[data][table]") {
  const TemporaryFolder folder;
  DatasetRequest request = request_for(folder.write("w.csv", "y,a\n0,x\n1,y\n0,\n1,y\n0,z\n"), "0");
  request.table.missing = MissingFields::mean;
  CHECK(values_of(load_dataset(request).train) ==
        Values{1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1});
}

TEST_CASE("a column of numbers without any value has no mean", "[data][table]") {
  const TemporaryFolder folder;
  DatasetRequest request = request_for(folder.write("m.csv", "y,a,b\n0,1,\n1,2,\n"), "0");
  request.table.missing = MissingFields::mean;
  CHECK_THROWS_WITH(
      load_dataset(request),
      "column 'b' has no value in any training row, and so no mean; leave it out with "
      "--drop-columns b");
}

TEST_CASE("more words than categories are an identifier", "[data][table]") {
  const auto text = [](int rows) {
    std::string all = "y,name\n";
    for (int row = 0; row < rows; ++row) all += fmt::format("{},n{}\n", row % 2, row);
    return all;
  };
  CHECK(read(text(1000), table()).features == 1000);
  CHECK(
      error_of<DataError>(text(1001), table()) ==
      "data: found more than 1000 different words in column 'name'; expected numbers, or fewer of "
      "them: leave an identifier out with --drop-columns name, or let words share features with "
      "--hash 2^18");
}

TEST_CASE("a word among numbers is a fault, and numbers among few values are words",
          "[data][table]") {
  std::string doors = "y,doors\n";
  for (int row = 0; row < 40; ++row)
    doors += fmt::format("{},{}\n", row % 2, row % 4 == 3 ? "more" : std::to_string(row % 4));
  CHECK(read(doors, table()).features == 4);
  CHECK(error_of<DataError>("0,1\n1,2\n0,x\n1,3\n0,y\n", table()) ==
        "data:3:3: found 'x'; expected a number; 2 faults of this kind in the file: 3:3 'x', 5:3 "
        "'y'");
  // Words that begin as nan and inf do.
  CHECK(read("0,north\n1,iris\n0,north\n", table()).features == 2);
  CHECK(error_of<DataError>("0,1\n1,inf\n", table()) ==
        "data:2:3: found 'inf'; expected a finite number");
}

TEST_CASE("real labels become targets", "[data][table]") {
  ReadOptions options = table("price");
  options.real_labels = true;
  const std::string text = "price,a\n1.5,2\n-3e2,4\n";
  const Dataset data = read(text, options);
  CHECK(Values(data.targets.begin(), data.targets.end()) == Values{1.5F, -300});
  CHECK(labels_of(data) == std::vector<Label>{0, 0});
  CHECK(data.classes == 1);
  CHECK(error_of<DataError>("price,a\n1,2\nx,4\n", options) ==
        "data:3:1: found 'x'; expected a number");
  options.real_labels = false;
  CHECK(error_of<DataError>(text, options) ==
        "data:2:1: found '1.5'; expected a class label: a whole number from -1000000 to 1000000; "
        "--label-column says which column is the label, -1 the last; --model least-squares takes "
        "real labels");
}

TEST_CASE("a pipe is read once: it may hold numbers, and fields that are missing",
          "[data][table]") {
  const auto through_pipe = [](std::string_view text, const ReadOptions& options) {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    REQUIRE(write(ends[1], text.data(), text.size()) == std::ssize(text));
    close(ends[1]);
    const std::string name = fmt::format("/proc/self/fd/{}", ends[0]);
    std::string error = error_of_file(name, options);
    close(ends[0]);
    return error.starts_with(name) ? error.substr(name.size()) : error;
  };
  CHECK(through_pipe("y,a\n0,1\n1,2\n", table("y")) == "no error");
  CHECK(through_pipe("0,1\n1,\n", table("0", MissingFields::drop)) == "no error");
  CHECK(through_pipe("0,red\n1,blue\n", table()) ==
        ":1:3: found 'red'; expected a number; 2 faults of this kind in the file: 1:3 'red', 2:3 "
        "'blue' (words can be read from a file only, and not from a pipe)");
}

TEST_CASE("what is done about header lines and missing fields has names", "[data][table]") {
  for (const char* text : {"auto", "yes", "no"}) {
    CHECK(header_line_text(parse_header_line(text, "--header")) == text);
  }
  for (const char* text : {"error", "mean", "drop"}) {
    CHECK(missing_fields_text(parse_missing_fields(text, "--missing")) == text);
  }
  CHECK_THROWS_AS(parse_header_line("maybe", "--header"), UsageError);
  CHECK_THROWS_AS(parse_missing_fields("none", "--missing"), UsageError);
}

}  // namespace trainyard
