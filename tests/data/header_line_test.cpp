// Header lines of numbers, and others that are no words alone.
#include "data/header_line.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

ReadOptions table(const std::string& label_column = "0") {
  ReadOptions options;
  options.format = Format::csv;
  options.label_column = label_column;
  return options;
}

CodedDataset read(std::string_view text, const ReadOptions& options = table()) {
  return read_coded_dataset_bytes(text, {}, "data", options);
}

bool says(const CodedDataset& read, std::string_view part) {
  for (const std::string& remark : read.remarks) {
    if (remark.find(part) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("numbers that count are the names that pandas gives", "[data][table]") {
  for (const char* text :
       {"0,1,2\n0,0.5,2\n1,0.6,3\n0,0.4,2\n", "0,1\n0,0.5\n1,0.6\n0,1\n",
        ",0,1\n0,5,7\n1,6,8\n0,6,8\n", "2019,2020,2021\n0,3,4\n1,3,5\n0,1,1\n"}) {
    INFO(text);
    const CodedDataset found = read(text);
    CHECK(found.data.rows == 3);
    CHECK(found.schema->has_names);
    CHECK(says(found, "is taken for the names of columns; --header no takes it for a row"));
    ReadOptions no = table();
    no.table.header = HeaderLine::no;
    if (text[0] == '0') CHECK(read(text, no).data.rows == 4);
  }
  // Of two columns that hold whole numbers a row is as likely.
  const CodedDataset doubtful = read("0,1\n1,2\n0,3\n");
  CHECK(doubtful.data.rows == 3);
  CHECK(says(doubtful, "warning: data: line 1 ('0', '1') is taken for a row; --header yes"));
  CHECK(read("1,2,3\n0,5,6\n").data.rows == 2);
}

TEST_CASE("years beside words are names", "[data][table]") {
  const std::string text = "region,y,2019,2020\nn,0,1,2\ns,1,3,4\nn,0,1,1\n";
  const CodedDataset named = read(text, table("y"));
  CHECK(named.data.rows == 3);
  CHECK(named.schema->feature_names() ==
        std::vector<std::string>{"region=n", "region=s", "2019", "2020"});
  const CodedDataset found = read(text, table("1"));
  CHECK(found.data.rows == 3);
  CHECK(says(found, "line 1 ('region', 'y', '2019', '2020') is taken for the names"));
  CHECK(read("y,0,1,2\n0,0,1,7\n1,2,3,4\n").data.rows == 2);
}

TEST_CASE("a word above numbers that no names stand beside is asked about", "[data][table]") {
  // A number that stands below it, too, is no name.
  CHECK_THAT(error_of_bytes("1,5,x\n0,1,2\n1,3,4\n", table()),
             ContainsSubstring("--header yes takes line 1 for one"));
  CHECK(error_of_bytes("1,2.5,x\n0,1,2\n1,3,4\n", table()) ==
        "data: line 1: found 'x' above numbers; expected a number, or a header line "
        "(--header yes takes line 1 for one)");
}

TEST_CASE("a first column without a name is a column", "[data][table]") {
  CHECK(read(",a\nno,red\nyes,blue\n").data.rows == 2);
  CHECK(read(",y,a\n0,1,2\n1,0,4\n", table("y")).data.features == 2);
}

TEST_CASE("a name that two columns have means neither", "[data][table]") {
  const std::string text = "x,x,y\n1,5,0\n2,6,1\n";
  CHECK_THROWS_WITH(read(text, table("x")),
                    "--label-column x: data has several columns of this name; expected a number, "
                    "which is 0 for the first of them");
  CHECK(read(text, table("1")).data.features == 2);
  ReadOptions dropped = table("y");
  dropped.table.drop_columns = "x";
  CHECK_THROWS_WITH(read(text, dropped), ContainsSubstring("several columns of this name"));
}

TEST_CASE("a column that counts the rows is asked about, with what can be pasted",
          "[data][table]") {
  std::string text = "y,customer id,x\n";
  std::string even = "y,customer id,x\n";
  for (int row = 0; row < 12; ++row) {
    text += fmt::format("{},{},{}\n", row % 2, 1000 + row, row % 5);
    even += fmt::format("{},{},{}\n", row % 2, 2 * row, row % 5);
  }
  CHECK(says(read(text),
             "column 'customer id' counts the rows and says nothing of them; "
             "--drop-columns 'customer id' leaves it out"));
  CHECK_FALSE(says(read(even), "counts the rows"));
}

TEST_CASE("an index without a name above columns that are called by numbers can be dropped",
          "[data][table]") {
  std::string text = ",0,1,y\n";
  for (int row = 0; row < 12; ++row) {
    text += fmt::format("{},{}.5,{}.25,{}\n", row, row % 5, row % 3, row % 2);
  }
  CHECK(says(read(text, table("y")),
             "the unnamed column in place 0 counts the rows and says nothing of them; "
             "--drop-columns -4 leaves it out"));
  ReadOptions dropped = table("y");
  dropped.table.drop_columns = "-4";
  const CodedDataset kept = read(text, dropped);
  CHECK(kept.schema->feature_names() == std::vector<std::string>{"0", "1"});
  CHECK_FALSE(says(kept, "counts the rows"));
}

}  // namespace trainyard
