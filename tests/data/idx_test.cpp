#include <string>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/data/read.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"
#include "support/memory_bound.hpp"

namespace trainyard {

namespace {

ReadOptions idx() {
  ReadOptions options;
  options.format = Format::idx;
  return options;
}

const std::string two_labels = idx_bytes({2}, std::string("\x01\x00", 2));

}  // namespace

TEST_CASE("IDX images become dense rows", "[data][idx]") {
  ReadOptions options = idx();
  options.scale = 0.5F;
  const std::string images = idx_bytes({2, 1, 3}, std::string("\x00\x01\x02\xff\x80\x04", 6));
  const Dataset data = read_dataset_bytes(images, two_labels, "data", options);
  CHECK(data.rows == 2);
  CHECK(data.features == 3);
  CHECK(data.classes == 2);
  CHECK(data.labels[0] == 1);
  CHECK(data.labels[1] == 0);
  CHECK(std::vector<float>(data.dense.begin(), data.dense.end()) ==
        std::vector<float>{0.0F, 0.5F, 1.0F, 127.5F, 64.0F, 2.0F});
  CHECK(fingerprint_of(read_dataset_bytes(gzipped(images), gzipped(two_labels), "data", options)) ==
        fingerprint_of(data));
}

TEST_CASE("bad IDX files fail before they cost memory", "[data][idx]") {
  const std::string two_images = idx_bytes({2, 1, 2}, "abcd");
  struct Bad {
    const char* what;
    std::string images, labels, message;
  };
  const std::vector<Bad> table = {
      {"an empty file", "", two_labels, "data: the file ends within its IDX header"},
      {"half a header", two_images.substr(0, 9), two_labels,
       "data: the file ends within its IDX header"},
      {"no IDX", "1 1:1 2:2\n", two_labels,
       "data: found '1 1:' at the beginning; expected an IDX header"},
      {"floats", std::string("\0\0\x0d\x03", 4), two_labels,
       "data: found IDX values of type 0x0d; expected 0x08, unsigned bytes"},
      {"labels as images", two_labels, two_labels,
       "data: found IDX data of 1 dimension(s); expected 2 or more (images)"},
      {"images as labels", two_images, two_images,
       "data labels: found IDX data of 3 dimension(s); expected 1 (labels)"},
      {"a header that promises more than the file holds", idx_bytes({2, 1, 2}, "abc"), two_labels,
       "data: the IDX header promises 2 items of 2 bytes; the file ends after 1 whole one"},
      {"a header that promises 2^60 bytes", idx_bytes({0xffffffff, 0x4000, 0x4000}, "abc"),
       idx_bytes({0xffffffff}, "abc"),
       "data labels: the IDX header promises 4294967295 items of 1 byte; the file ends after 3"},
      {"dimensions whose product overflows",
       idx_bytes({2, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, "abc"), two_labels,
       "data: the IDX header claims images of size 4294967295 in dimension 2"},
      {"images of no size", idx_bytes({2, 0, 5}, ""), two_labels,
       "data: the IDX header claims images of size 0 in dimension 2"},
      {"bytes after the last image", two_images + "e", two_labels,
       "data: found bytes after the last item that the IDX header promises"},
      {"another number of labels", two_images, idx_bytes({3}, std::string("\0\1\0", 3)),
       "data labels: found 3 labels; expected 2, one for each image of data"},
      {"no images", idx_bytes({0, 1, 2}, ""), idx_bytes({0}, ""),
       "data labels: found no rows; expected at least one"},
  };
  for (const Bad& bad : table) {
    INFO(bad.what);
    CHECK_THAT(error_of_bytes(bad.images, idx(), bad.labels), ContainsSubstring(bad.message));
  }
}

TEST_CASE("images that do not fit are refused before they are read, with both numbers",
          "[data][idx]") {
  const TemporaryFolder folder;
  const std::string images = idx_bytes({2, 1000, 1000}, std::string(2'000'000, 'x'));
  ReadOptions options = idx();
  for (const std::string& content : {images, gzipped(images)}) {
    const auto file = folder.write("images", content);
    options.labels_file = folder.write("labels", two_labels);
    const MemoryBound bound(memory_held() + 6'000'000);
    const bool plain = content == images;
    // Of what is compressed only the size on the disk is known before.
    CHECK_THROWS_WITH(
        read_dataset(file, options),
        ContainsSubstring(file.string() + ": not enough memory: ") &&
            ContainsSubstring(plain ? "its data needs 8 MB, and 6 MB are free" : " are free"));
  }
  // What a header promises and the file does not hold is another fault.
  const auto file = folder.write("images", idx_bytes({2, 1000, 1000}, "x"));
  const MemoryBound bound(memory_held() + 6'000'000);
  CHECK_THROWS_WITH(read_dataset(file, options), ContainsSubstring("the file ends after"));
}

TEST_CASE("images larger than a block of bytes arrive whole", "[data][idx]") {
  std::string pixels(2 * 1500 * 1000, '\0');
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<char>(i * 31 % 251);
  const Dataset data =
      read_dataset_bytes(idx_bytes({2, 1500, 1000}, pixels), two_labels, "data", idx());
  REQUIRE(data.dense.size() == pixels.size());
  bool same = true;
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    same = same && data.dense[i] == static_cast<float>(i * 31 % 251);
  }
  CHECK(same);
}

TEST_CASE("the file of labels is found beside its images", "[data][idx]") {
  CHECK(guess_labels_file("x/train-images-idx3-ubyte.gz") == "x/train-labels-idx1-ubyte.gz");
  CHECK(guess_labels_file("x/pictures.idx").empty());
  const TemporaryFolder folder;
  const auto images = folder.write("t-images-idx3-ubyte", idx_bytes({2, 1, 2}, "abcd"));
  ReadOptions options = idx();
  CHECK_THAT(error_of_file(images, options), ContainsSubstring("no file of labels is known"));
  options.labels_file = guess_labels_file(images);
  CHECK_THAT(error_of_file(images, options),
             ContainsSubstring("t-labels-idx1-ubyte: no such file"));
  folder.write("t-labels-idx1-ubyte", two_labels);
  CHECK(read_dataset(images, options).rows == 2);
}

}  // namespace trainyard
