// Files of many blocks (a block is 128 KiB): whatever the blocks and the number of cores, the
// result is that of reading line by line.
#include "data/text_pipeline.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include "trainyard/data/read.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

constexpr std::size_t line_count = 200'000;

/// About 5 MB; line `line` (from 1) is `text`.
std::string libsvm_with(std::size_t line, const std::string& text) {
  std::string all;
  for (std::size_t i = 1; i <= line_count; ++i) {
    all +=
        i == line ? text : fmt::format("{} {}:{} {}:1", i % 2, i % 97 + 1, i * 0.001, i % 50 + 200);
    all += '\n';
  }
  return all;
}

/// Runs body as on a machine of `cores` cores.
template <typename Body>
auto on_cores(int cores, Body body) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                  static_cast<std::size_t>(cores));
  tbb::task_arena arena(cores);
  return arena.execute(body);
}

}  // namespace

TEST_CASE("what is read does not depend on the number of cores", "[data][pipeline]") {
  const std::string text = libsvm_with(0, "");
  const std::string packed = gzipped(text);
  const std::uint64_t expected =
      on_cores(1, [&] { return fingerprint_of(read_dataset_bytes(text, {}, "data", {})); });
  for (const int cores : {2, 3, 8}) {
    INFO(cores << " cores");
    for (const std::string& bytes : {text, packed}) {
      CHECK(on_cores(cores, [&] {
              return fingerprint_of(read_dataset_bytes(bytes, {}, "data", {}));
            }) == expected);
    }
  }
}

TEST_CASE("every row of a large file arrives in its place", "[data][pipeline]") {
  const Dataset data = read_dataset_bytes(libsvm_with(0, ""), {}, "data", {});
  REQUIRE(data.rows == line_count);
  bool right = true;
  for (std::size_t i = 1; i <= line_count; ++i) {
    const Dataset::SparseRow row = data.sparse_row(i - 1);
    right = right && data.labels[i - 1] == static_cast<Label>(i % 2) && row.columns.size() == 2 &&
            row.columns[0] == i % 97 && row.values[0] == static_cast<float>(i * 0.001);
  }
  CHECK(right);
}

TEST_CASE("of several bad lines the first in the file is reported", "[data][pipeline]") {
  std::string text = libsvm_with(60'001, "0 2:1 1:1");
  for (std::size_t place = text.size() * 3 / 4; place < text.size(); place += 1000)
    text[place] = '!';
  for (const int cores : {1, 2, 8}) {
    for (int repetition = 0; repetition < 3; ++repetition) {
      CHECK(
          on_cores(cores, [&] { return error_of_bytes(text, {}); }) ==
          "data:60001:7: found feature index 1 after 2; expected increasing indices within a row");
    }
  }
}

TEST_CASE("a bad line is reported before a truncation that follows it", "[data][pipeline]") {
  // Line 150,000 lies in one of the last blocks, still being parsed when the reader finds the end
  // missing.
  const std::string packed = gzipped(libsvm_with(150'000, "0 x"));
  const std::string cut = packed.substr(0, packed.size() - 100);
  for (const int cores : {1, 2, 8}) {
    for (int repetition = 0; repetition < 3; ++repetition) {
      CHECK(on_cores(cores, [&] { return error_of_bytes(cut, {}); }) ==
            "data:150000:3: found 'x'; expected INDEX:VALUE");
    }
  }
  const std::string good = gzipped(libsvm_with(0, ""));
  CHECK_THAT(error_of_bytes(good.substr(0, good.size() - 100), {}), ContainsSubstring("truncated"));
}

TEST_CASE("labels are held against each other across blocks", "[data][pipeline]") {
  CHECK(error_of_bytes(libsvm_with(150'000, "2 1:1"), {}) == "no error");
  for (const char* row : {" -1 1:1", "  7 1:1"}) {
    CHECK(read_dataset_bytes(libsvm_with(150'000, row), {}, "data", {}).classes == 3);
  }
  ReadOptions two;
  two.coding = LabelCoding::from_zero;
  two.classes = 2;
  CHECK(error_of_bytes(libsvm_with(150'000, "  7 1:1"), two) ==
        "data:150000:3: found label 7; expected 0 to 1");
}

TEST_CASE("CSV columns are counted against the first row across blocks", "[data][pipeline]") {
  std::string text;
  for (int i = 1; i <= 300'000; ++i) {
    text += i == 299'000 ? "0,1.5,2.5,3.5\n" : fmt::format("{},{},2.5\n", i % 2, i);
  }
  ReadOptions options;
  options.format = Format::csv;
  CHECK(error_of_bytes(text, options) ==
        "data:299000:11: found more than 3 columns; expected 3 as in line 1");
}

TEST_CASE("a line longer than a block is one line", "[data][pipeline]") {
  std::string text = "1";
  for (int i = 1; i <= 400'000; ++i) text += fmt::format(" {}:1", i);
  text += "\n-1 5:2\n";
  const Dataset data = read_dataset_bytes(text, {}, "data", {});
  CHECK(data.rows == 2);
  CHECK(data.sparse_row(0).columns.size() == 400'000);
  CHECK(data.sparse_row(1).columns[0] == 4);
}

TEST_CASE("faults are counted over all blocks, and only the first places named",
          "[data][pipeline]") {
  // Line 1 is the header; lines 30,000, 60,000, … lie in different blocks.
  std::string text = "y,a,b\n";
  for (int line = 2; line <= 200'000; ++line) {
    text +=
        line % 30'000 == 0 ? fmt::format("0,1.5,w{}\n", line) : fmt::format("{},2.5,3\n", line % 2);
  }
  ReadOptions options;
  options.format = Format::csv;
  for (const int cores : {1, 2, 8}) {
    INFO(cores << " cores");
    CHECK(on_cores(cores, [&] { return error_of_bytes(text, options); }) ==
          "data:30000:7: found 'w30000'; expected a number; 6 faults of this kind in the file: "
          "30000:7 'w30000', 60000:7 'w60000', 90000:7 'w90000', 120000:7 'w120000', 150000:7 "
          "'w150000', …");
  }
}

TEST_CASE("a table of words over many blocks is the same on any number of cores",
          "[data][pipeline]") {
  std::string text = "y,colour,size\n";
  for (int row = 0; row < 300'000; ++row) {
    text += fmt::format("{},{},{}\n", row % 2 == 0 ? "no" : "yes", row < 290'000 ? "red" : "blue",
                        row % 100);
  }
  ReadOptions options;
  options.format = Format::csv;
  for (const int cores : {1, 2, 8}) {
    INFO(cores << " cores");
    const Dataset data =
        on_cores(cores, [&] { return read_dataset_bytes(text, {}, "data", options); });
    REQUIRE(data.rows == 300'000);
    REQUIRE(data.features == 3);
    bool right = true;
    for (std::size_t row = 0; row < data.rows; ++row) {
      const auto values = data.dense_row(row);
      const bool blue = row >= 290'000;
      right = right && data.labels[row] == static_cast<Label>(row % 2) &&
              values[0] == (blue ? 1.0F : 0.0F) && values[1] == (blue ? 0.0F : 1.0F) &&
              values[2] == static_cast<float>(row % 100);
    }
    CHECK(right);
  }
}

}  // namespace trainyard
