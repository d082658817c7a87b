// Files made byte by byte, as numpy.lib.format documents them.
#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/data/catalog.hpp"

#include "data/files.hpp"
#include "data/npy_header.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

using Values = std::vector<float>;

/// A header of the given version, padded as NumPy does, and then `values`.
std::string npy_bytes(const std::string& type, const std::string& shape, const std::string& values,
                      bool fortran_order = false, char version = 1) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", type,
                                   fortran_order ? "True" : "False", shape);
  const std::size_t before = version == 1 ? 10 : 12;
  header.append(63 - (before + header.size()) % 64, ' ');
  header += '\n';
  std::string bytes = "\x93NUMPY";
  bytes += version;
  bytes += '\0';
  bytes += static_cast<char>(header.size() % 256);
  bytes += static_cast<char>(header.size() / 256);
  if (version != 1) bytes.append(2, '\0');
  return bytes + header + values;
}

/// The values as type T, in little- or big-endian order.
template <typename T>
std::string as(const std::vector<double>& values, bool big = false) {
  std::string bytes;
  for (const double value : values) {
    const T typed = static_cast<T>(value);
    char one[sizeof(T)];
    std::memcpy(one, &typed, sizeof(T));
    if (big) std::reverse(one, one + sizeof(T));
    bytes.append(one, sizeof(T));
  }
  return bytes;
}

ReadOptions npy() {
  ReadOptions options;
  options.format = Format::npy;
  return options;
}

const std::string two_labels = npy_bytes("|u1", "(2,)", std::string("\1\0", 2));

Values features_of(const std::string& bytes) {
  const Dataset data = read_dataset_bytes(bytes, two_labels, "data", npy());
  CHECK(data.rows == 2);
  CHECK(data.labels[0] == 1);
  CHECK(data.labels[1] == 0);
  return {data.dense.begin(), data.dense.end()};
}

std::string error_of(const std::string& features, const std::string& labels = two_labels) {
  return error_of_bytes(features, npy(), labels);
}

struct Bad {
  const char* what;
  std::string features, labels, message;
};

void check_refused(const std::vector<Bad>& table) {
  for (const Bad& bad : table) {
    INFO(bad.what);
    CHECK_THAT(error_of(bad.features, bad.labels), ContainsSubstring(bad.message));
  }
}

}  // namespace

TEST_CASE("npy values of every type, in both orders of bytes", "[data][npy]") {
  const std::vector<double> small{0, 1, 2, 100, 3, 7};
  const std::vector<double> negative{0, -1, 2, -100, 3, 7};
  const std::vector<double> fractions{0.5, -1.25, 2, 1e6, 3, 7};
  struct Case {
    std::string type;
    std::string bytes;
    std::vector<double> expected;
  };
  std::vector<Case> table{
      {"|b1", as<std::uint8_t>({0, 1, 1, 0, 1, 0}), {0, 1, 1, 0, 1, 0}},
      {"|i1", as<std::int8_t>(negative), negative},
      {"|u1", as<std::uint8_t>({0, 1, 2, 200, 3, 7}), {0, 1, 2, 200, 3, 7}},
  };
  for (const bool big : {false, true}) {
    const std::string order = big ? ">" : "<";
    table.push_back({order + "i2", as<std::int16_t>(negative, big), negative});
    table.push_back({order + "i4", as<std::int32_t>(negative, big), negative});
    table.push_back({order + "i8", as<std::int64_t>(negative, big), negative});
    table.push_back({order + "u2", as<std::uint16_t>(small, big), small});
    table.push_back({order + "u4", as<std::uint32_t>(small, big), small});
    table.push_back({order + "u8", as<std::uint64_t>(small, big), small});
    table.push_back({order + "f4", as<float>(fractions, big), fractions});
    table.push_back({order + "f8", as<double>(fractions, big), fractions});
  }
  for (const Case& c : table) {
    for (const char version : {'\1', '\2', '\3'}) {
      INFO(c.type << ", version " << int{version});
      CHECK(features_of(npy_bytes(c.type, "(2, 3)", c.bytes, false, version)) ==
            Values(c.expected.begin(), c.expected.end()));
    }
  }
}

TEST_CASE("npy arrays in Fortran order, of pictures, and compressed", "[data][npy]") {
  CHECK(features_of(npy_bytes("<f4", "(2, 3)", as<float>({1, 4, 2, 5, 3, 6}), true)) ==
        Values{1, 2, 3, 4, 5, 6});
  CHECK(features_of(npy_bytes("<f4", "(2, 2, 2)", as<float>({1, 2, 3, 4, 5, 6, 7, 8}))) ==
        Values{1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(features_of(gzipped(npy_bytes("|u1", "(2, 1)", "\1\2"))) == Values{1, 2});
  // More than one block of values.
  constexpr std::size_t columns = 200'000;
  std::vector<double> many(2 * columns);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<double>(i % 1000);
  CHECK(features_of(npy_bytes("<f8", fmt::format("(2, {})", columns), as<double>(many))) ==
        Values(many.begin(), many.end()));
}

TEST_CASE("npy labels are classes or real numbers, in one dimension or a column", "[data][npy]") {
  const std::string features = npy_bytes("|u1", "(2, 1)", "\1\2");
  const auto labels_of = [&](const std::string& labels) {
    const Dataset data = read_dataset_bytes(features, labels, "data", npy());
    return std::vector<Label>(data.labels.begin(), data.labels.end());
  };
  CHECK(labels_of(npy_bytes("<i8", "(2,)", as<std::int64_t>({-1, 1}))) == std::vector<Label>{0, 1});
  CHECK(labels_of(npy_bytes("<f8", "(2, 1)", as<double>({2, 1}))) == std::vector<Label>{1, 0});
  CHECK(labels_of(npy_bytes("|b1", "(2,)", as<std::uint8_t>({1, 0}))) == std::vector<Label>{1, 0});
  ReadOptions options = npy();
  options.real_labels = true;
  const Dataset data =
      read_dataset_bytes(features, npy_bytes("<f4", "(2,)", as<float>({0.5, -7})), "data", options);
  CHECK(Values(data.targets.begin(), data.targets.end()) == Values{0.5F, -7});
  CHECK(data.classes == 1);
  CHECK(error_of(features, npy_bytes("<f4", "(2,)", as<float>({1, 0.5}))) ==
        "data labels: row 2: found 0.5; expected a class label: a whole number from "
        "-1000000 to 1000000; --model least-squares takes real labels");
}

TEST_CASE("headers that are none of an npy file of numbers are refused", "[data][npy]") {
  const std::string good = npy_bytes("|u1", "(2, 1)", "\1\2");
  const std::string types =
      "; expected bool, whole numbers of 1 to 8 bytes (i1 to i8, u1 to u8), f2, f4 or f8";
  const auto with_header = [](const std::string& header) {
    std::string bytes("\x93NUMPY\1\0", 8);
    bytes += static_cast<char>(header.size() % 256);
    bytes += static_cast<char>(header.size() / 256);
    return bytes + header;
  };
  check_refused({
      {"an empty file", "", two_labels, "data: the file ends within its npy header"},
      {"half a header", good.substr(0, 60), two_labels,
       "data: the file ends within its npy header"},
      {"no npy", "1,2,3\n0,1,2\n", two_labels, "data: found '1,2,3\\x0a0,' at the beginning"},
      {"another version", std::string("\x93NUMPY\4\0", 8) + good.substr(8), two_labels,
       "data: found version 4 of the npy format; expected 1, 2 or 3"},
      {"a header of 4 GiB", std::string("\x93NUMPY\2\0\xff\xff\xff\xff", 12), two_labels,
       "data: found an npy header of 4294967295 bytes; expected at most 65536"},
      {"complex numbers", npy_bytes("<c8", "(2, 1)", std::string(16, 'a')), two_labels,
       "data: found values of type '<c8'" + types},
      {"objects", npy_bytes("|O", "(2, 1)", ""), two_labels,
       "data: found values of type '|O'" + types},
      {"a structure",
       with_header("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2, 1)}"),
       two_labels, "data: found values of type a structure" + types},
      {"a key that is missing", with_header("{'descr': '<f8', 'shape': (2, 1)}"), two_labels,
       "data: the npy header lacks one of 'descr', 'fortran_order' and 'shape'"},
      {"a key of its own", with_header("{'order': 'C'}"), two_labels,
       "data: found the key 'order' in the npy header"},
      {"a key that comes twice", with_header("{'shape': (2,), 'shape': (2,)}"), two_labels,
       "data: found the key 'shape' in the npy header"},
      {"no dictionary", with_header("[1, 2]"), two_labels,
       "data: found '[1, 2]' in the npy header"},
      {"a text without an end", with_header("{'descr"), two_labels,
       "data: found ''descr' in the npy header"},
      {"a header that ends early", with_header("{'shape': (2"), two_labels,
       "data: found its end in the npy header"},
      {"a negative size", with_header("{'shape': (-2, 1)}"), two_labels,
       "data: found '-2, 1)}' in the npy header"},
  });
}

TEST_CASE("npy files that do not hold what their headers promise fail before they cost memory",
          "[data][npy]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const std::string good = npy_bytes("|u1", "(2, 1)", "\1\2");
  check_refused({
      {"2^60 rows", npy_bytes("<f8", "(1152921504606846976, 1)", ""), two_labels,
       "data: found '1152921504606846976, 1)"},
      {"too many rows", npy_bytes("<f8", "(4294967296, 1)", ""), two_labels,
       "data: the npy header claims 4294967296 rows; expected at most 4294967295"},
      {"sizes whose product overflows", npy_bytes("<f8", "(2, 4294967296, 4294967296)", ""),
       two_labels,
       "data: the npy header claims 4294967296 values in dimension 2; expected at most"},
      {"more than the file holds", npy_bytes("<f8", "(4294967295, 2147483647)", "abc"),
       npy_bytes("|u1", "(4294967295,)", "abc"),
       "data labels: the npy header promises 4294967295 values of 1 byte; the file ends after "
       "3"},
      {"a file that ends within a value", npy_bytes("<f4", "(2, 1)", "abcdefg"), two_labels,
       "data: the npy header promises 2 values of 4 bytes; the file ends after 1 whole one"},
      {"bytes after the last value", good + "x", two_labels,
       "data: found bytes after the last value"},
      {"one dimension", npy_bytes("|u1", "(2,)", "ab"), two_labels,
       "data: found values of shape (2); expected rows × features"},
      {"no features", npy_bytes("|u1", "(2, 0)", ""), two_labels,
       "data: found values of shape (2, 0); expected rows × features"},
      {"no rows", npy_bytes("|u1", "(0, 2)", ""), npy_bytes("|u1", "(0,)", ""),
       "data labels: found no rows; expected at least one"},
      {"pictures in Fortran order", npy_bytes("|u1", "(2, 1, 1)", "ab", true), two_labels,
       "data: found values of shape (2, 1, 1) in Fortran order"},
      {"labels of two columns", good, npy_bytes("|u1", "(1, 2)", "ab"),
       "data labels: found labels of shape (1, 2); expected one for each row"},
      {"another number of labels", good, npy_bytes("|u1", "(3,)", "abc"),
       "data labels: found 3 labels; expected 2, one for each row of data"},
      {"not a number", npy_bytes("<f8", "(2, 2)", as<double>({1, 2, 3, nan})), two_labels,
       "data: row 2, column 2 (from 1): found nan; expected a finite number"},
      {"not a number in Fortran order",
       npy_bytes("<f8", "(2, 3)", as<double>({1, nan, 2, 3, 4, 5}), true), two_labels,
       "data: row 2, column 1 (from 1): found nan; expected a finite number"},
      {"beyond a float", npy_bytes("<f8", "(2, 1)", as<double>({1, -1e300})), two_labels,
       "data: row 2, column 1 (from 1): found -1e+300; expected a number of at most 3.403e+38"},
      {"a label that is no number", good, npy_bytes("<f8", "(2,)", as<double>({1, nan})),
       "data labels: row 2: found nan; expected a class label"},
  });
}

TEST_CASE("npy labels are found beside their features, or named", "[data][npy]") {
  CHECK(guess_labels_file("d/X.npy") == "d/y.npy");
  CHECK(guess_labels_file("d/x.npy.gz") == "d/y.npy.gz");
  CHECK(guess_labels_file("X_train.npy") == "y_train.npy");
  CHECK(guess_labels_file("train_X.npy") == "train_y.npy");
  CHECK(guess_labels_file("my-X-test.npy") == "my-y-test.npy");
  CHECK(guess_labels_file("test_features.npy") == "test_labels.npy");
  CHECK(guess_labels_file("Xylophone.npy").empty());
  CHECK(guess_labels_file("MAX.npy").empty());
  CHECK(guess_labels_file("X.csv").empty());
  const TemporaryFolder folder;
  DatasetRequest request;
  request.dataset = folder.write("X_train.npy", npy_bytes("|u1", "(2, 1)", "\1\2")).string();
  request.test = folder.write("new.npy", npy_bytes("|u1", "(1, 1)", "\3")).string();
  folder.write("y_train.npy", npy_bytes("|u1", "(2,)", "\2\1"));
  CHECK_THROWS_WITH(load_dataset(request),
                    ContainsSubstring("new.npy: no file of labels is known for these features"));
  request.test_labels = folder.write("answers.npy", npy_bytes("|u1", "(1,)", "\2")).string();
  const LoadedData loaded = load_dataset(request);
  CHECK(loaded.train.labels[0] == 1);
  CHECK(loaded.test.labels[0] == 1);
  CHECK(loaded.test.dense[0] == 3.0F);
  request.labels = request.test_labels;
  CHECK_THROWS_WITH(load_dataset(request), ContainsSubstring("found 1 label; expected 2"));
}

TEST_CASE("pixels of an IDX file run from 0 to 1, and its labels may be named",
          "[data][npy][idx]") {
  const TemporaryFolder folder;
  DatasetRequest request;
  request.dataset =
      folder.write("pictures.idx", idx_bytes({2, 1, 2}, std::string("\x00\xff\x33\x01", 4)))
          .string();
  request.labels = folder.write("answers", idx_bytes({2}, std::string("\1\0", 2))).string();
  const LoadedData loaded = load_dataset(request);
  CHECK(Values(loaded.train.dense.begin(), loaded.train.dense.end()) ==
        Values{0, 1, 51.0F * (1.0F / 255.0F), 1.0F / 255.0F});
  request.real_labels = true;
  CHECK_THROWS_WITH(load_dataset(request),
                    ContainsSubstring("the labels of IDX files are classes"));
}

TEST_CASE("half floats are read exactly", "[data][npy]") {
  // 1, -2, 65504 (the largest), 2^-24 (the smallest), 0.333251953125, 0, as numpy.float16 has them.
  const std::vector<double> bits{0x3C00, 0xC000, 0x7BFF, 0x0001, 0x3555, 0x8000};
  const Values expected{1.0F, -2.0F, 65504.0F, 5.9604645e-8F, 0.333251953125F, 0.0F};
  CHECK(features_of(npy_bytes("<f2", "(2, 3)", as<std::uint16_t>(bits))) == expected);
  CHECK(features_of(npy_bytes(">f2", "(2, 3)", as<std::uint16_t>(bits, true))) == expected);
  CHECK_THAT(error_of(npy_bytes("<f2", "(2, 1)", as<std::uint16_t>({0x3C00, 0x7C00}))),
             ContainsSubstring("expected a finite number"));
}

}  // namespace trainyard
