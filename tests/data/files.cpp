#include "data/files.hpp"

#include <fstream>
#include <iterator>

#include <stdlib.h>
#include <zlib.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/hash.hpp"

#include "support/catch.hpp"

namespace trainyard {

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "trainyard-XXXXXX").string();
  REQUIRE(mkdtemp(name.data()) != nullptr);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path TemporaryFolder::write(const std::string& name,
                                             std::string_view content) const {
  const std::filesystem::path file = path_ / name;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary).write(content.data(), std::ssize(content));
  return file;
}

namespace {

/// `window`: deflateInit2()'s windowBits.
std::string packed_by(int window, std::string_view content) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 6, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string packed(deflateBound(&stream, content.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

}  // namespace

std::string gzipped(std::string_view content) {
  return packed_by(16 + MAX_WBITS, content);
}

std::string deflated(std::string_view content) {
  return packed_by(-MAX_WBITS, content);
}

std::string read_file(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::uint64_t fingerprint_of(const Dataset& data) {
  const std::uint64_t parts[] = {data.rows,
                                 data.features,
                                 static_cast<std::uint64_t>(data.classes),
                                 data.intercept ? 1U : 0U,
                                 fingerprint(std::as_bytes(data.labels.span())),
                                 fingerprint(std::as_bytes(data.targets.span())),
                                 fingerprint(std::as_bytes(data.weights.span())),
                                 fingerprint(std::as_bytes(data.dense.span())),
                                 fingerprint(std::as_bytes(data.row_begin.span())),
                                 fingerprint(std::as_bytes(data.columns.span())),
                                 fingerprint(std::as_bytes(data.values.span()))};
  return fingerprint(std::as_bytes(std::span(parts)));
}

std::string error_of_bytes(std::string_view bytes, const ReadOptions& options,
                           std::string_view labels) {
  try {
    read_dataset_bytes(bytes, labels, "data", options);
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

std::string error_of_file(const std::filesystem::path& file, const ReadOptions& options) {
  try {
    read_dataset(file, options);
  } catch (const DataError& error) {
    return error.what();
  }
  return "no error";
}

std::string idx_bytes(std::initializer_list<std::uint32_t> sizes, std::string_view values) {
  std::string bytes("\0\0\x08", 3);
  bytes += static_cast<char>(sizes.size());
  for (const std::uint32_t size : sizes) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(size >> shift);
  }
  return bytes.append(values);
}

}  // namespace trainyard
