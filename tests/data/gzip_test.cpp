#include <fmt/format.h>

#include "trainyard/base/error.hpp"

#include "data/byte_source.hpp"
#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

/// Everything in it, read in pieces of an awkward size.
std::string content(ByteSource& source) {
  std::string all;
  std::string piece(1013, '\0');
  while (const std::size_t count = source.read(piece)) all.append(piece, 0, count);
  return all;
}

std::string content_of(const std::string& bytes) {
  return content(*open_bytes(bytes, "data"));
}

std::string long_text() {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += fmt::format("{} ", i * 7919 % 100'003);
  return text;
}

}  // namespace

TEST_CASE("plain and gzip bytes read the same, whatever the file is called", "[data]") {
  const TemporaryFolder folder;
  const std::string text = long_text();
  for (const std::string& sample : {std::string(), std::string("x"), std::string("\x1f"), text}) {
    CHECK(content_of(sample) == sample);
    CHECK(content_of(gzipped(sample)) == sample);
    CHECK(content(*open_file(folder.write("plain.gz", sample))) == sample);
    CHECK(content(*open_file(folder.write("packed.txt", gzipped(sample)))) == sample);
  }
}

TEST_CASE("a gzip file of several members is their contents in order", "[data]") {
  CHECK(content_of(gzipped("first ") + gzipped("") + gzipped("third")) == "first third");
}

TEST_CASE("zeros behind the last member of a gzip file are passed over", "[data]") {
  const std::string packed = gzipped("first ") + gzipped("second");
  for (const std::size_t count : {std::size_t{1}, std::size_t{511}, std::size_t{100'000}}) {
    CHECK(content_of(packed + std::string(count, '\0')) == "first second");
    for (const std::string& more : {std::string("x"), gzipped("third")}) {
      CHECK_THROWS_WITH(content_of(packed + std::string(count, '\0') + more),
                        "data: found more behind the zeros that follow the gzip data; expected "
                        "nothing");
    }
  }
}

TEST_CASE("a gzip file cut anywhere is said to be truncated", "[data]") {
  const std::string packed = gzipped(long_text());
  for (std::size_t kept = 2; kept < packed.size(); kept += 1 + packed.size() / 97) {
    INFO("kept " << kept << " of " << packed.size());
    CHECK_THROWS_WITH(content_of(packed.substr(0, kept)), ContainsSubstring("truncated"));
  }
  CHECK_THROWS_WITH(content_of(packed.substr(0, packed.size() - 1)),
                    ContainsSubstring("truncated"));
}

TEST_CASE("damaged gzip data is found by its checksum, length or header", "[data]") {
  const std::string packed = gzipped(long_text());
  const auto flipped = [&](std::size_t place) {
    std::string damaged = packed;
    damaged[place] = static_cast<char>(damaged[place] ^ 1);
    return damaged;
  };
  CHECK_THROWS_AS(content_of(flipped(packed.size() / 2)), DataError);
  CHECK_THROWS_WITH(content_of(flipped(packed.size() - 8)), ContainsSubstring("data check"));
  CHECK_THROWS_WITH(content_of(flipped(packed.size() - 4)), ContainsSubstring("length check"));
  CHECK_THROWS_WITH(content_of(flipped(2)), ContainsSubstring("damaged"));
  CHECK_THROWS_WITH(content_of(packed + "more"), ContainsSubstring("damaged"));
}

}  // namespace trainyard
