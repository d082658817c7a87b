// bzip2, xz and zstd as their programs write them, one stream or several.
#include <string>
#include <vector>

#include <bzlib.h>
#include <fmt/format.h>
#include <lzma.h>
#include <zstd.h>

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

std::string gzipped_content(const std::string& content) {
  return gzipped(content);
}

std::string bzip2ed(const std::string& content) {
  auto size = static_cast<unsigned>(content.size() + content.size() / 50 + 1000);
  std::string packed(size, '\0');
  REQUIRE(BZ2_bzBuffToBuffCompress(packed.data(), &size, const_cast<char*>(content.data()),
                                   static_cast<unsigned>(content.size()), 1, 0, 0) == BZ_OK);
  packed.resize(size);
  return packed;
}

std::string xzed(const std::string& content) {
  std::string packed(lzma_stream_buffer_bound(content.size()), '\0');
  std::size_t size = 0;
  REQUIRE(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, nullptr,
                                  reinterpret_cast<const std::uint8_t*>(content.data()),
                                  content.size(), reinterpret_cast<std::uint8_t*>(packed.data()),
                                  &size, packed.size()) == LZMA_OK);
  packed.resize(size);
  return packed;
}

std::string zstded(const std::string& content) {
  std::string packed(ZSTD_compressBound(content.size()), '\0');
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), content.data(), content.size(), 3);
  REQUIRE(ZSTD_isError(size) == 0);
  packed.resize(size);
  return packed;
}

}  // namespace

TEST_CASE("compressed files are read as plain ones are", "[data][read]") {
  std::string content;
  for (int row = 0; row < 30'000; ++row) content += fmt::format("{} 1:{} 7:0.5\n", row % 2, row);
  const std::uint64_t plain = fingerprint_of(read_dataset_bytes(content, {}, "data", {}));
  const std::string half = content.substr(0, content.size() / 2);
  const std::string rest = content.substr(content.size() / 2);
  struct Way {
    const char* name;
    std::string (*pack)(const std::string&);
  };
  for (const Way& way : {Way{"gzip", gzipped_content}, Way{"bzip2", bzip2ed}, Way{"xz", xzed},
                         Way{"zstd", zstded}}) {
    INFO(way.name);
    const std::string packed = way.pack(content);
    CHECK(is_compressed(packed));
    CHECK(fingerprint_of(read_dataset_bytes(packed, {}, "data", {})) == plain);
    CHECK(fingerprint_of(read_dataset_bytes(way.pack(half) + way.pack(rest), {}, "data", {})) ==
          plain);
    CHECK_THAT(error_of_bytes(packed.substr(0, packed.size() - 5), {}),
               ContainsSubstring("the file is truncated"));
    std::string damaged = packed;
    for (std::size_t i = 6; i < 24; ++i) damaged[i] = '\x55';
    CHECK_THAT(error_of_bytes(damaged, {}), ContainsSubstring("damaged"));
  }
  CHECK_FALSE(is_compressed(content));
  CHECK(read_dataset_bytes("1 1:1\n", {}, "data", {}).rows == 1);
}

}  // namespace trainyard
