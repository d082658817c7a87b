// Separators and numbers as people's files have them. Expected values were worked out by hand.
#include "data/table_dialect.hpp"

#include <string>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/data/catalog.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

using Values = std::vector<float>;

ReadOptions table() {
  ReadOptions options;
  options.format = Format::csv;
  return options;
}

Values values_of(std::string_view text, const ReadOptions& options = table()) {
  const Dataset data = read_dataset_bytes(text, {}, "data", options);
  return {data.dense.begin(), data.dense.end()};
}

}  // namespace

TEST_CASE("the separator of a table shows in its first lines", "[data][table]") {
  struct Case {
    const char* text;
    char separator;
  };
  for (const Case& c : std::vector<Case>{
           {"0;1,5\n1;2,5\n0;1,7\n", ';'},
           {"0;1,5;2,5\n1;2,5;3,5\n", ';'},
           {"1,5;2,5;3\n2,5;3,5;4\n", ';'},
           {"y;name\n0;a, b\n1;c, d\n", ';'},
           {"y|x\n0|1\n1|2\n", '|'},
           {"0\t1\n1\t2\n", '\t'},
           {"0 1.5  2\n1 2.5  3\n", ' '},
           {"0  3  1.5\t\"a b\"\n1  4  2.5\t\"c d\"\n", ' '},
           {"red wine,good taste\nwhite wine,bad taste\n", ','},
           {"0,1\n1,2\n", ','},
           {"0,1,a;b\n1,2,c;d\n", ','},
           {"0,1,5|7\n1,2,8|9\n", ','},
           {"0,\"a;b;c\",1\n1,\"d;e;f\",2\n", ','},
           {"y,note\n0,good wine\n1,bad wine\n", ','},
           {"alone\nalso\n", '!'},
       }) {
    INFO(c.text);
    CHECK(find_separator(c.text, '!') == c.separator);
  }
}

TEST_CASE("the separators of a header line count more than those of many rows", "[data][table]") {
  const auto separator_of = [](std::string text, const char* row) {
    for (int rows = 0; rows < 20; ++rows) text += row;
    return find_separator(text, ',');
  };
  CHECK(separator_of("Preis;Kunde;Kauf\n", "98,20;Maier, Hans 3;ja\n") == ';');
  CHECK(separator_of("a;b;y\n", "5.016,36;13,1%;ja\n") == ';');
  CHECK(separator_of("a;b;y\n", "5.016,36 EUR;2614;ja\n") == ';');
  CHECK(separator_of("a;b;y\n", "5,36;2614;ja;\n") == ';');
  CHECK(separator_of("a,b,y\n", "1;2,5;6,3\n") == ',');
  // A line above the header line, and numbers, say nothing.
  CHECK(separator_of("Sales; by region\n", "1,5,7\n") == ',');
  CHECK(separator_of("1;2\n", "1;2,5\n") == ';');
}

TEST_CASE("semicolons, bars, tabs and blanks separate fields, decimal commas decimals",
          "[data][table]") {
  CHECK(values_of("0;1,5\n1;2,5\n0;1,7\n1;2,9\n") == Values{1.5F, 2.5F, 1.7F, 2.9F});
  CHECK(values_of("y|x|z\n0|1|2\n1|3|4\n") == Values{1, 2, 3, 4});
  CHECK(values_of("0\t1\n1\t2\n") == Values{1, 2});
  CHECK(values_of("  0  1.5 2\n  1 2.5\t3  \n") == Values{1.5F, 2, 2.5F, 3});
  CHECK(values_of("0;1.234,5;1.000\n1;2,5;3\n") == Values{1234.5F, 1000, 2.5F, 3});
  CHECK(values_of("0,\"1,234.5\",\"1,000\"\n1,2.5,3\n") == Values{1234.5F, 1000, 2.5F, 3});
}

TEST_CASE("a number that may be read in two ways is refused with the flag", "[data][table]") {
  CHECK(error_of_bytes("0;1,234\n1;2,345\n", table()) ==
        "data: found '1,234', whose comma may stand before decimals or between thousands; "
        "--decimal , or --decimal . says which");
  CHECK_THAT(error_of_bytes("0;1,5;1.5\n1;2,5;2.5\n", table()),
             ContainsSubstring("decimal point ('1.5') and with a decimal comma ('1,5')"));
  ReadOptions options = table();
  options.table.decimal = ',';
  CHECK(values_of("0;1,234\n1;2,345\n", options) == Values{1.234F, 2.345F});
  options.table.decimal = '.';
  CHECK(values_of("0;1,234\n1;2,345\n", options) == Values{1234, 2345});
  // Behind the first rows, which show nothing of it.
  std::string late;
  for (int row = 0; row < 9000; ++row) late += row % 2 == 0 ? "0;1\n" : "1;2\n";
  CHECK_THAT(error_of_bytes(late + "0;1,5\n", table()),
             ContainsSubstring("data:9001:3: found '1,5'; expected a number (--decimal , or "
                               "--decimal . says what its comma is)"));
}

TEST_CASE("a single column is quoted, with what makes more of it", "[data][table]") {
  CHECK(error_of_bytes("|1x3 Cross validator\n0,1,2\n1,2,3\n", table()) ==
        "data:1:1: found a single column, '|1x3 Cross validator', above a row of 3 (a line that is "
        "no row has to be deleted); expected a label and at least one feature");
  CHECK(error_of_bytes("a;b;c\nno row\nnor this\n", table()) ==
        "data:1:1: found a single column, 'a;b;c' (--delimiter ';' makes 3 of it); expected a "
        "label and at least one feature");
  CHECK(error_of_bytes("sep=;\r\ny;x\r\n0;1\r\n1;2\r\n", table()) ==
        "data:1:1: found 'sep=;', which tells spreadsheets the separator and is no row; it has to "
        "be deleted (--delimiter ';' says the same)");
}

TEST_CASE("a point that may stand between thousands is refused with the flag", "[data][table]") {
  const std::string text = "Umsatz;Menge;Kauf\n5.016;814;1\n7.250;90;0\n";
  CHECK(error_of_bytes(text, table()) ==
        "data: found '5.016', whose point may stand before decimals or between thousands; "
        "--decimal . or --decimal , says which");
  CHECK_THAT(error_of_bytes("a;Jahr;y\n5.016;2024;1\n7.250;2023;0\n", table()),
             ContainsSubstring("found '5.016', whose point"));
  CHECK(error_of_bytes("a;b;y\n1.234.567;1;1\n2.345.678;2;0\n", table()) ==
        "data: found '1.234.567', which is a number where its points stand between thousands; "
        "--decimal , takes it so, and --decimal . for a word");
  ReadOptions options = table();
  options.label_column = "Kauf";
  options.table.decimal = ',';
  CHECK(values_of(text, options) == Values{5016, 814, 7250, 90});
  options.table.decimal = '.';
  CHECK(values_of(text, options) == Values{5.016F, 814, 7.25F, 90});
  // Points before decimals: a zero before one, other decimals, thousands without a mark.
  CHECK(values_of("1;0.125;5.016\n0;0.250;7.250\n") == Values{0.125F, 5.016F, 0.25F, 7.25F});
  CHECK(values_of("1;1.5;5.016\n0;2.5;7.250\n") == Values{1.5F, 5.016F, 2.5F, 7.25F});
  CHECK(values_of("1;26140;5.016\n0;3;7.250\n") == Values{26140, 5.016F, 3, 7.25F});
  CHECK(values_of("1,814,5.016\n0,3,7.250\n") == Values{814, 5.016F, 3, 7.25F});
}

TEST_CASE("the flag --delimiter wins over what is seen", "[data][table]") {
  ReadOptions options = table();
  options.table.delimiter = ';';
  CHECK(values_of("0;1\n1;2\n", options) == Values{1, 2});
  options.table.delimiter = '|';
  CHECK_THAT(error_of_bytes("0;1\n1;2\n", options), ContainsSubstring("found a single column"));
  CHECK(parse_delimiter("tab", "--delimiter") == '\t');
  CHECK(parse_delimiter(delimiter_text(' '), "--delimiter") == ' ');
  CHECK_THROWS_AS(parse_delimiter("/", "--delimiter"), UsageError);
  CHECK(parse_decimal(decimal_text(','), "--decimal") == ',');
  CHECK(parse_hash_size("2^18", "--hash") == 262144);
  CHECK(parse_hash_size(hash_size_text(1000), "--hash") == 1000);
  CHECK(parse_hash_size("off", "--hash") == 0);
  for (const char* none : {"0", "2^31", "2^", "x", "-4"}) {
    INFO(none);
    CHECK_THROWS_AS(parse_hash_size(none, "--hash"), UsageError);
  }
}

TEST_CASE("what stands for a missing field is the user's to say", "[data][table]") {
  ReadOptions options = table();
  options.table.missing = MissingFields::drop;
  for (const char* word : {"None", "\\N", "NA", "?", ""}) {
    INFO(word);
    CHECK(values_of("0,1\n1," + std::string(word) + "\n1,3\n", options) == Values{1, 3});
  }
  CHECK_THAT(
      error_of_bytes("0,a\n1,None\n1,b\n", table()),
      ContainsSubstring("data:2:3: found 'None'; expected a word (--missing mean or drop reads "
                        "on; --missing-words says which words stand for nothing)"));
  options.table.missing_words = "-999,unknown";
  CHECK(values_of("0,1\n1,-999\n1,3\n0,unknown\n0,\n", options) == Values{1, 3});
  // None is then a word as any other: of a column of three features.
  const Dataset words = read_dataset_bytes("0,None\n1,a\n1,NA\n", {}, "data", options);
  CHECK(words.rows == 3);
  CHECK(words.features == 3);
}

TEST_CASE("quotes may hold line breaks", "[data][table]") {
  const std::string text =
      "y,\"a\nname\",note\n0,1,\"two\nlines, of it\"\n1,2,\"one \"\"line\"\"\"\n";
  const CodedDataset read = read_coded_dataset_bytes(text, {}, "data", table());
  CHECK(read.data.rows == 2);
  REQUIRE(read.schema != nullptr);
  CHECK(read.schema->columns[0].name == "a\nname");
  CHECK(read.schema->columns[1].categories ==
        std::vector<std::string>{"one \"line\"", "two\nlines, of it"});
  // Blocks of 16 and 128 KiB end anywhere.
  std::string large = "y,note,x\n";
  for (int row = 0; row < 20'000; ++row) {
    large += row % 2 == 0 ? "0,\"a\r\nb,c\",1.5\r\n" : "1,\"d\",2\r\n";
  }
  const Dataset many = read_dataset_bytes(large, {}, "data", table());
  CHECK(many.rows == 20'000);
  CHECK(many.features == 3);
  // Lines are counted as an editor does.
  CHECK_THAT(error_of_bytes(text + "0,x,\"a\nb\"\n", table()), ContainsSubstring("data:6:3: "));
  // A quote that does not end is a fault of its line, and does not swallow the rest.
  CHECK_THAT(error_of_bytes("0,1,2\n0,\"1,2\n1,3,4\n", table()),
             ContainsSubstring("data:2:3: found '\"1,2'; expected quotes around the whole field"));
}

}  // namespace trainyard
