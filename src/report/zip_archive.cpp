#include "trainyard/report/zip_archive.hpp"

#include <limits>

#include <fmt/format.h>
#include <zlib.h>

#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

constexpr std::uint32_t version = 20;  // 2.0: deflate and folders
constexpr std::uint32_t deflated = 8;
constexpr std::uint32_t first_day = 0x21;  // 1980-01-01

void append(std::string& bytes, std::uint64_t value, int count) {
  for (int i = 0; i < count; ++i, value >>= 8U) bytes += static_cast<char>(value & 0xFFU);
}

/// Without the header and the checksum of zlib's own format, which a zip archive has elsewhere.
std::string deflated_text(std::string_view content) {
  z_stream stream{};
  constexpr int raw_window = -15, memory = 9;
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, raw_window, memory,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw RunError("zip archive: no memory to compress");
  }
  std::string packed(deflateBound(&stream, content.size()), '\0');
  // zlib takes its input as what it could write to, and does not.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int status = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw RunError("zip archive: compressing failed");
  return packed;
}

}  // namespace

void ZipArchive::add(std::string_view name, std::string_view content) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  constexpr std::uint32_t most_files = std::numeric_limits<std::uint16_t>::max();
  if (content.size() >= most / 2 || files_.size() + content.size() >= most ||
      count_ == most_files) {
    throw RunError(fmt::format("zip archive: {} does not fit into it", name));
  }
  const std::string packed = deflated_text(content);
  const auto* bytes = reinterpret_cast<const Bytef*>(content.data());
  // What the file's own header and its entry in the directory have alike.
  std::string described;
  append(described, version, 2);
  append(described, 0, 2);  // no flags
  append(described, deflated, 2);
  append(described, 0, 2);  // midnight
  append(described, first_day, 2);
  append(described, crc32(0, bytes, static_cast<uInt>(content.size())), 4);
  append(described, packed.size(), 4);
  append(described, content.size(), 4);
  append(described, name.size(), 2);
  append(described, 0, 2);  // nothing extra

  append(directory_, 0x02014B50, 4);
  append(directory_, version, 2);  // made by
  directory_ += described;
  append(directory_, 0, 10);  // no comment, on the first disk, no attributes
  append(directory_, files_.size(), 4);
  directory_ += name;

  append(files_, 0x04034B50, 4);
  files_ += described;
  files_ += name;
  files_ += packed;
  ++count_;
}

std::string ZipArchive::finished() const {
  std::string archive = files_ + directory_;
  append(archive, 0x06054B50, 4);
  append(archive, 0, 4);  // the first disk is the only one
  append(archive, count_, 2);
  append(archive, count_, 2);
  append(archive, directory_.size(), 4);
  append(archive, files_.size(), 4);
  append(archive, 0, 2);  // no comment
  return archive;
}

}  // namespace trainyard
