#include <filesystem>
#include <string>
#include <vector>

#include <unistd.h>

#include "trainyard/base/error.hpp"
#include "trainyard/data/catalog.hpp"
#include "trainyard/data/read.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

using Catch::Matchers::StartsWith;

Dataset read(std::string_view text, const ReadOptions& options = {}) {
  return read_dataset_bytes(text, {}, "data", options);
}

std::vector<float> values_of(const Dataset& data) {
  return {data.values.begin(), data.values.end()};
}
std::vector<std::uint32_t> columns_of(const Dataset& data) {
  return {data.columns.begin(), data.columns.end()};
}
std::vector<Label> labels_of(const Dataset& data) {
  return {data.labels.begin(), data.labels.end()};
}
std::vector<std::uint64_t> row_begins(const Dataset& data) {
  return {data.row_begin.begin(), data.row_begin.end()};
}

}  // namespace

TEST_CASE("LIBSVM rows become compressed sparse rows", "[data][libsvm]") {
  const Dataset data = read("+1 1:0.5 3:-2\n-1 2:1e-2\n");
  CHECK(data.sparse);
  CHECK(data.rows == 2);
  CHECK(data.features == 3);
  CHECK(data.classes == 2);
  CHECK(data.nonzeros() == 3);
  CHECK(labels_of(data) == std::vector<Label>{1, 0});
  CHECK(row_begins(data) == std::vector<std::uint64_t>{0, 2, 3});
  CHECK(columns_of(data) == std::vector<std::uint32_t>{0, 2, 1});
  CHECK(values_of(data) == std::vector<float>{0.5F, -2.0F, 0.01F});
}

TEST_CASE("the first line with the largest index is remembered", "[data][libsvm]") {
  const auto line_of = [](const std::string& text) {
    return read_coded_dataset_bytes(text, {}, "data", {}).largest_feature_line;
  };
  CHECK(line_of("1 1:2 9:1\n-1 2:3 8:1\n") == 1);
  CHECK(line_of("# a comment\n\n1 1:2\n-1 2:3 900:1\n1 900:1\n1 3:1\n") == 4);
  // Blocks begin at 16 KiB: the line is counted across them, whichever holds the largest.
  std::string rows;
  for (int row = 0; row < 20'000; ++row) rows += row % 2 == 0 ? "1 3:1\n" : "-1 5:1\n";
  CHECK(line_of(rows) == 2);
  CHECK(line_of(rows + "1 6:1\n" + rows) == 20'001);
  CHECK(line_of("1 7:1\n" + rows) == 1);

  const TemporaryFolder folder;
  DatasetRequest request;
  request.dataset = folder.write("rows.svm", "1 1:2\n-1 40:3\n1 5:1\n").string();
  CHECK(load_dataset(request).largest_feature_line == 2);
  request.dataset = "dense-logistic";
  CHECK(load_dataset(request).largest_feature_line == 0);
}

TEST_CASE("LIBSVM in all its spellings", "[data][libsvm]") {
  const std::uint64_t expected = fingerprint_of(read("1 1:2 3:4\n-1 2:3\n"));
  for (const char* text :
       {"1 1:2 3:4\n-1 2:3", "1 1:2 3:4\r\n-1 2:3\r\n", "\n\n1 1:2 3:4\n\n  \t\n-1 2:3\n\n",
        "  1\t1:2   3:4  \n\t-1 2:3\t\n", "1 1:2 3:4 # a comment 5:6\n# another\n-1 2:3#\n",
        "+1.0 1:2.0 3:+4e0\n-1.000 2:30e-1\n", "1 01:2 003:4\n-1 2:3\n"}) {
    INFO(text);
    CHECK(fingerprint_of(read(text)) == expected);
    CHECK(fingerprint_of(read(gzipped(text))) == expected);
  }
}

TEST_CASE("LIBSVM rows may be empty", "[data][libsvm]") {
  const Dataset data = read("1\n-1 1:1\n1 # nothing\n");
  CHECK(data.rows == 3);
  CHECK(row_begins(data) == std::vector<std::uint64_t>{0, 0, 1, 1});
  ReadOptions known;
  known.features = 5;
  CHECK(read("1\n-1\n", known).features == 5);
}

TEST_CASE("LIBSVM dimension: found, given, padded, strict or dropping", "[data][libsvm]") {
  CHECK(read("1 7:1\n-1 2:1\n").features == 7);
  ReadOptions options;
  options.features = 10;
  CHECK(read("1 7:1\n-1 2:1\n", options).features == 10);
  options.features = 5;
  CHECK(error_of_bytes("1 2:1\n-1 2:1 7:1\n", options) ==
        "data:2:8: found feature index 7; expected at most 5, the number of features");
  options.drop_unknown_features = true;
  const Dataset data = read("1 2:1 7:1\n-1 2:1 6:1 9:2\n", options);
  CHECK(data.features == 5);
  CHECK(row_begins(data) == std::vector<std::uint64_t>{0, 1, 2});
  CHECK(columns_of(data) == std::vector<std::uint32_t>{1, 1});
  // What is dropped is still checked.
  CHECK_THAT(error_of_bytes("1 7:x\n", options), ContainsSubstring("data:1:5: found 'x'"));
  CHECK_THAT(error_of_bytes("1 7:1 7:1\n", options), ContainsSubstring("data:1:7"));
}

TEST_CASE("LIBSVM values are scaled, the largest index is legal and costs nothing",
          "[data][libsvm]") {
  ReadOptions options;
  options.scale = 0.25F;
  CHECK(values_of(read("1 1:2\n-1 1:8\n", options)) == std::vector<float>{0.5F, 2.0F});
  CHECK(read("1 2147483647:1\n-1 1:1\n").features == 2'147'483'647);
}

struct BadInput {
  const char* what;
  std::string text;
  std::string message;  // the whole of it
};

TEST_CASE("bad LIBSVM lines are named by line and column", "[data][libsvm]") {
  const std::string label = "expected a class label: a whole number from -1000000 to 1000000";
  const std::string weight =
      "expected the row's weight, a finite number from 0 on (a row begins with its label, or "
      "label:weight)";
  const std::string real = "; --model least-squares takes real labels";
  const std::vector<BadInput> table = {
      {"decreasing indices", "1 1:1\n-1 5:1 3:1\n",
       "data:2:8: found feature index 3 after 5; expected increasing indices within a row"},
      {"the same index twice", "1 5:1 5:1\n",
       "data:1:7: found feature index 5 after 5; expected increasing indices within a row"},
      {"NaN", "1 1:1 2:nan\n", "data:1:9: found 'nan'; expected a finite number"},
      {"infinity", "1 1:-inf\n", "data:1:5: found '-inf'; expected a finite number"},
      {"too large for a float", "1 1:1e39\n",
       "data:1:5: found '1e39'; expected a number of at most 3.403e+38"},
      {"no number", "1 1:abc\n", "data:1:5: found 'abc'; expected a number"},
      {"no value", "1 1:\n", "data:1:5: found ''; expected a number"},
      {"rubbish after a number", "1 1:2x 3:4\n", "data:1:5: found '2x'; expected a number"},
      {"a comma", "1 1:2,3:4\n", "data:1:5: found '2,3:4'; expected a number"},
      {"no colon", "1 12 3:4\n", "data:1:3: found '12'; expected INDEX:VALUE"},
      {"no index", "1 :4\n", "data:1:3: found ':4'; expected INDEX:VALUE"},
      {"a negative index", "1 -3:4\n", "data:1:3: found '-3:4'; expected INDEX:VALUE"},
      {"10^12 as an index", "1 1000000000000:1\n",
       "data:1:3: found feature index '1000000000000'; expected at most 2147483647"},
      {"2^31 as an index", "1 2147483648:1\n",
       "data:1:3: found feature index '2147483648'; expected at most 2147483647"},
      {"an index beyond 64 bits", "1 99999999999999999999999:1\n",
       "data:1:3: found feature index '99999999999999999999999'; expected at most 2147483647"},
      {"no label", "1:-2 3:4\n", "data:1:3: found '-2'; " + weight},
      {"no weight", "1: 3:4\n", "data:1:3: found nothing; " + weight},
      {"a weight that is none", "1:inf 3:4\n", "data:1:3: found 'inf'; " + weight},
      {"a fraction as label", "1 1:1\n  0.5 1:1\n", "data:2:3: found '0.5'; " + label + real},
      {"NaN as label", "nan 1:1\n", "data:1:1: found 'nan'; " + label},
      {"a label below a million", "-1000001 1:1\n", "data:1:1: found '-1000001'; " + label + real},
      {"a label beyond a million", "1000001 1:1\n", "data:1:1: found '1000001'; " + label + real},
      {"several labels", "1,2 1:1\n",
       "data:1:1: found '1,2'; " + label + "; --data-format csv reads tables"},
      {"binary",
       std::string("\x7f"
                   "ELF\x02\x01\0\0\n",
                   9),
       "data: holds bytes of 0, and is no text; expected LIBSVM, CSV or TSV text, npy, npz or IDX"},
      {"an empty file", "", "data: found no rows; expected at least one"},
      {"blank lines only", "\n \n# nothing\n", "data: found no rows; expected at least one"},
      {"no feature anywhere", "1\n-1\n",
       "data: found rows without any feature; expected INDEX:VALUE in at least one of them"},
      {"a carriage return within a line", "1 1:1\r 2:1\n",
       "data:1:5: found '1\\x0d'; expected a number"},
  };
  for (const BadInput& bad : table) {
    INFO(bad.what);
    CHECK(error_of_bytes(bad.text, {}) == bad.message);
    CHECK(error_of_bytes(gzipped(bad.text), {}) == bad.message);
  }
}

TEST_CASE("a byte order mark before the first row is skipped", "[data][libsvm][csv]") {
  const std::string mark = "\xEF\xBB\xBF";
  CHECK(fingerprint_of(read(mark + "1 1:2\n-1 2:3\n")) == fingerprint_of(read("1 1:2\n-1 2:3\n")));
  CHECK(fingerprint_of(read(gzipped(mark + "1 1:2\n-1 2:3\n"))) ==
        fingerprint_of(read("1 1:2\n-1 2:3\n")));
  CHECK_THAT(error_of_bytes("1 1:2\n" + mark + "-1 2:3\n", {}), StartsWith("data:2:1: found"));
  CHECK(error_of_bytes(mark, {}) == "data: found no rows; expected at least one");
  ReadOptions commas;
  commas.format = Format::csv;
  CHECK(fingerprint_of(read(mark + "1,2\n0,3\n", commas)) ==
        fingerprint_of(read("1,2\n0,3\n", commas)));
  CHECK(error_of_bytes(mark + "1,2\n0,x\n1,3\n", commas) ==
        "data:2:3: found 'x'; expected a number");
}

TEST_CASE("files that cannot be read are named", "[data][libsvm]") {
  const TemporaryFolder folder;
  const std::string missing = (folder.path() / "missing").string();
  CHECK(error_of_file(missing, {}) == missing + ": no such file");
  const std::string directory = folder.path().string();
  CHECK(error_of_file(directory, {}) == directory + ": found a directory; expected a file");
  const std::filesystem::path cut =
      folder.write("cut.gz", gzipped("1 1:1\n-1 1:1\n").substr(0, 20));
  CHECK_THAT(error_of_file(cut, {}),
             ContainsSubstring(cut.string() + ": the gzip data ends early"));
  const std::filesystem::path secret = folder.write("secret", "1 1:1\n");
  std::filesystem::permissions(secret, std::filesystem::perms::none);
  if (geteuid() == 0) {
    WARN("skipped: root may read everything, so no permission can be denied");
  } else {
    CHECK(error_of_file(secret, {}) == secret.string() + ": cannot be read: Permission denied");
  }
}

TEST_CASE("all faults of one kind come in one message", "[data][libsvm]") {
  const std::string first = "data:1:5: found 'x'; expected a number";
  const std::string good = "-1 1:1\n1 2:1\n";
  CHECK(error_of_bytes("1 1:x\n" + good, {}) == first);
  CHECK(error_of_bytes("1 1:x\n" + good + "1 1:1 2:y\n", {}) ==
        first + "; 2 faults of this kind in the file: 1:5 'x', 4:9 'y'");
  // Those of other kinds are left for later; in a line the first counts.
  CHECK(error_of_bytes("1 1:x 2:y\n1 0:1\n", {}) == first);
  std::string seven = "1 1:x\n";
  for (int i = 0; i < 6; ++i) seven += "1 1:1 2:" + std::string(30, 'z') + "\n";
  const std::string shortened = "'zzzzzzzzzzzzzzzzzzzzzzzz'…";
  CHECK(error_of_bytes(seven, {}) == first + "; 7 faults of this kind in the file: 1:5 'x', 2:9 " +
                                         shortened + ", 3:9 " + shortened + ", 4:9 " + shortened +
                                         ", 5:9 " + shortened + ", …");
}

TEST_CASE("real LIBSVM labels become targets", "[data][libsvm]") {
  ReadOptions options;
  options.real_labels = true;
  const Dataset data = read("0.5 1:1\n-1e3 2:2\n7 1:3\n", options);
  CHECK(std::vector<float>(data.targets.begin(), data.targets.end()) ==
        std::vector<float>{0.5F, -1000, 7});
  CHECK(data.rows == 3);
  CHECK(data.classes == 1);
  CHECK(std::vector<Label>(data.labels.begin(), data.labels.end()) == std::vector<Label>{0, 0, 0});
  CHECK(error_of_bytes("1 1:1\nnan 1:1\n", options) ==
        "data:2:1: found 'nan'; expected a finite number");
  CHECK(error_of_bytes("1e40 1:1\n", options) ==
        "data:1:1: found '1e40'; expected a number of at most 3.403e+38");
}

TEST_CASE("indices count from 0 where one of them is 0", "[data][libsvm]") {
  const std::string text = "1 0:5 2:7\n0 1:6\n";
  const CodedDataset found = read_coded_dataset_bytes(text, {}, "data", {});
  CHECK(found.first_index == 0);
  CHECK(found.data.features == 3);
  CHECK(found.data.columns[0] == 0);
  CHECK(found.data.columns[1] == 2);
  CHECK(found.remarks == std::vector<std::string>{
                             "note: data: feature indices count from 0 (as with --first-index 0)"});
  // Behind a first block that shows nothing of it.
  std::string late;
  for (int row = 0; row < 9000; ++row) late += row % 2 == 0 ? "0 1:1\n" : "1 2:1\n";
  CHECK(read_dataset_bytes(late, {}, "data", {}).features == 2);
  CHECK(read_dataset_bytes(late + "1 0:1\n", {}, "data", {}).features == 3);
  ReadOptions options;
  options.first_index = 0;
  CHECK(read_dataset_bytes("1 1:1\n0 2:1\n", {}, "data", options).features == 3);
  options.first_index = 1;
  CHECK_THAT(error_of_bytes(text, options),
             ContainsSubstring("data:1:3: found feature index 0; expected indices that count from "
                               "1 (--first-index 0: from 0)"));
  // A test file counts as its training file does.
  const TemporaryFolder folder;
  DatasetRequest request;
  request.dataset = folder.write("train", text).string();
  request.test = folder.write("test", "1 1:1 3:9\n0 2:3\n").string();
  const LoadedData loaded = load_dataset(request);
  CHECK(loaded.test.columns[0] == 1);
  CHECK(loaded.test.nonzeros() == 2);
}

TEST_CASE("queries of ranking data and blanks behind a colon are passed over", "[data][libsvm]") {
  const std::string plain = "1 1:.5 2:1\n0 2:1.0\n1 1:1\n0 2:0.3\n";
  const std::uint64_t expected = fingerprint_of(read_dataset_bytes(plain, {}, "data", {}));
  for (const char* text :
       {"1 1: .5 2:1\n0 2: 1.0\n1 1:1\n0 2:0.3\n", "1 1:  .5  2:\t1\n0 2:1.0\n1 1:1\n0 2:0.3\n",
        "1 qid:1 1:.5 2:1\n0 qid:1 2:1.0\n1 qid:2 1:1\n0 qid:2 2:0.3\n"}) {
    INFO(text);
    CHECK(fingerprint_of(read_dataset_bytes(text, {}, "data", {})) == expected);
  }
  CHECK_THAT(error_of_bytes("1,1.5,2\n", {}), ContainsSubstring("--data-format csv reads tables"));
}

}  // namespace trainyard
