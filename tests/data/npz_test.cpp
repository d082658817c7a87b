// Archives as numpy.savez and numpy.savez_compressed write them: two files, stored or deflated.
#include <string>
#include <string_view>
#include <vector>

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

std::string little(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

/// A file's header and bytes, with its sizes behind the name as NumPy has them.
std::string entry(const std::string& name, std::string_view content, bool pack) {
  const std::string bytes = pack ? deflated(content) : std::string(content);
  const std::string extra =
      little(1, 2) + little(16, 2) + little(content.size(), 8) + little(bytes.size(), 8);
  return "PK\3\4" + little(45, 2) + little(0, 2) + little(pack ? 8 : 0, 2) + little(0, 4) +
         little(0, 4) + little(0xFFFFFFFF, 4) + little(0xFFFFFFFF, 4) + little(name.size(), 2) +
         little(extra.size(), 2) + name + extra + bytes;
}

std::string npy(const std::string& descr, const std::string& shape, std::string_view values) {
  std::string header =
      "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
  header.resize(117, ' ');
  header += '\n';
  return "\x93NUMPY" + std::string("\1\0", 2) + little(header.size(), 2) + header +
         std::string(values);
}

const std::string features = npy("|i1", "(3, 2)", "\1\2\3\4\5\6");
const std::string labels = npy("|i1", "(3,)", std::string_view("\0\1\0", 3));

ReadOptions npz() {
  ReadOptions options;
  options.format = Format::npz;
  return options;
}

}  // namespace

TEST_CASE("an npz file holds features and labels, by their names", "[data][npy]") {
  const std::string directory = "PK\1\2 and so on";
  for (const bool pack : {false, true}) {
    for (const auto& [x, y] : {std::pair{"X.npy", "y.npy"}, std::pair{"x.npy", "y.npy"},
                               std::pair{"data.npy", "target.npy"}}) {
      INFO(x << " " << pack);
      const std::string file =
          entry("more.npy", labels, pack) + entry(y, labels, pack) + entry(x, features, pack);
      const Dataset data = read_dataset_bytes(file + directory, {}, "data", npz());
      CHECK(std::vector<float>(data.dense.begin(), data.dense.end()) ==
            std::vector<float>{1, 2, 3, 4, 5, 6});
      CHECK(std::vector<Label>(data.labels.begin(), data.labels.end()) ==
            std::vector<Label>{0, 1, 0});
    }
  }
}

TEST_CASE("an npz file that is to be scored needs no labels", "[data][npy]") {
  ReadOptions options = npz();
  options.labels = LabelUse::if_there;
  const std::string file = entry("more.npy", labels, true) + entry("X.npy", features, true);
  const CodedDataset read = read_coded_dataset_bytes(file, {}, "data", options);
  CHECK_FALSE(read.labelled);
  CHECK(read.data.rows == 3);
  CHECK(
      read_coded_dataset_bytes(file + entry("y.npy", labels, true), {}, "data", options).labelled);
  CHECK_THAT(error_of_bytes(entry("a.npy", features, true), options),
             ContainsSubstring("holds the array a; expected features X"));
}

TEST_CASE("an npz file without them says what it holds", "[data][npy]") {
  CHECK(error_of_bytes(entry("a.npy", features, false) + entry("b.npy", labels, false), npz()) ==
        "data: holds the arrays a, b; expected features X and labels y, as numpy.savez(file, X=X, "
        "y=y) saves them");
  const std::string whole = entry("X.npy", features, true) + entry("y.npy", labels, true);
  for (const std::size_t size : {whole.size() - 3, whole.size() / 2, std::size_t{20}}) {
    INFO(size);
    CHECK_THAT(error_of_bytes(whole.substr(0, size), npz()), ContainsSubstring("data: "));
  }
  std::string damaged = whole;
  damaged[70] = '\x77';
  CHECK_THAT(error_of_bytes(damaged, npz()), ContainsSubstring("data: "));
}

}  // namespace trainyard
