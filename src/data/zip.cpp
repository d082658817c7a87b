#include "data/zip.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

constexpr unsigned stored = 0;
constexpr unsigned deflated = 8;

[[noreturn]] void throw_cut_off(const std::string& archive) {
  throw DataError(fmt::format("{}: the zip archive ends early; the file is truncated", archive));
}

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i > 0; --i) {
    value = value << 8U | static_cast<unsigned char>(bytes[i - 1]);
  }
  return value;
}

std::string take_bytes(ByteSource& source, std::size_t bytes, const std::string& archive) {
  std::string taken(bytes, '\0');
  if (source.read(taken) < bytes) throw_cut_off(archive);
  return taken;
}

/// The size in the archive, of a file that may have 4 GiB and more: behind that of the content.
std::uint64_t long_size(std::string_view extra) {
  constexpr std::uint64_t zip64 = 1;
  while (extra.size() >= 4) {
    const std::uint64_t size = little_endian(extra.substr(2, 2));
    if (little_endian(extra.substr(0, 2)) == zip64 && size >= 16 && extra.size() >= 20) {
      return little_endian(extra.substr(12, 8));
    }
    extra.remove_prefix(std::min<std::size_t>(extra.size(), 4 + size));
  }
  return 0;
}

/// The next bytes of another source.
class PartSource : public ByteSource {
 public:
  PartSource(std::unique_ptr<ByteSource> whole, std::uint64_t bytes, std::string archive)
      : whole_(std::move(whole)), left_(bytes), archive_(std::move(archive)) {}

  std::size_t read(std::span<char> buffer) override {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(left_, buffer.size()));
    const std::size_t count = whole_->read(buffer.first(wanted));
    if (count < wanted) throw_cut_off(archive_);
    left_ -= count;
    return count;
  }

 private:
  std::unique_ptr<ByteSource> whole_;
  std::uint64_t left_;
  std::string archive_;
};

class DeflatedSource : public ByteSource {
 public:
  DeflatedSource(std::unique_ptr<ByteSource> packed, std::string archive)
      : packed_(std::move(packed)), archive_(std::move(archive)), input_(std::size_t{32} * 1024) {
    if (inflateInit2(&stream_, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  }
  ~DeflatedSource() override { inflateEnd(&stream_); }
  DeflatedSource(const DeflatedSource&) = delete;
  DeflatedSource& operator=(const DeflatedSource&) = delete;

  std::size_t read(std::span<char> buffer) override {
    std::size_t filled = 0;
    while (filled < buffer.size() && !ended_) filled += inflate_some(buffer.subspan(filled));
    return filled;
  }

 private:
  std::size_t inflate_some(std::span<char> buffer) {
    if (stream_.avail_in == 0) {
      stream_.avail_in = static_cast<uInt>(packed_->read(input_));
      stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    }
    const auto space = static_cast<uInt>(std::min<std::size_t>(buffer.size(), 1U << 30));
    stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream_.avail_out = space;
    const uInt before = stream_.avail_in;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    const std::size_t made = space - stream_.avail_out;
    ended_ = status == Z_STREAM_END;
    const bool stuck = made == 0 && stream_.avail_in == before && !ended_;
    if ((status != Z_OK && status != Z_BUF_ERROR && !ended_) || stuck) {
      throw DataError(fmt::format("{}: the packed data in the zip archive are damaged", archive_));
    }
    return made;
  }

  std::unique_ptr<ByteSource> packed_;
  std::string archive_;
  std::vector<char> input_;
  z_stream stream_{};
  bool ended_ = false;
};

}  // namespace

std::optional<ZipEntry> next_zip_entry(ByteSource& source, const std::string& archive) {
  constexpr std::string_view header_mark = "PK\x03\x04";
  std::string mark(header_mark.size(), '\0');
  mark.resize(source.read(mark));
  if (mark != header_mark) return {};  // the directory, which says the same once more
  const std::string header = take_bytes(source, 26, archive);
  const auto field = [&](std::size_t at, std::size_t bytes) {
    return little_endian(std::string_view(header).substr(at, bytes));
  };
  ZipEntry entry;
  entry.method = static_cast<unsigned>(field(4, 2));
  entry.checksum = static_cast<std::uint32_t>(field(10, 4));
  entry.bytes = field(14, 4);
  entry.name = take_bytes(source, static_cast<std::size_t>(field(22, 2)), archive);
  const std::string extra = take_bytes(source, static_cast<std::size_t>(field(24, 2)), archive);
  constexpr std::uint64_t in_extra = 0xFFFFFFFF;
  if (entry.bytes == in_extra) entry.bytes = long_size(extra);
  constexpr std::uint64_t size_behind = 8;
  if ((field(2, 2) & size_behind) != 0) {
    throw DataError(fmt::format(
        "{}: the zip archive was written into a pipe, with the size of {} behind it; write it into "
        "a file, or save X and y each by numpy.save()",
        archive, echoed(entry.name)));
  }
  return entry;
}

void skip_zip_entry(ByteSource& source, const ZipEntry& entry, const std::string& archive) {
  std::vector<char> buffer(std::size_t{64} * 1024);
  for (std::uint64_t left = entry.bytes; left > 0;) {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(left, buffer.size()));
    if (source.read({buffer.data(), wanted}) < wanted) throw_cut_off(archive);
    left -= wanted;
  }
}

std::unique_ptr<ByteSource> open_zip_entry(std::unique_ptr<ByteSource> source,
                                           const ZipEntry& entry, const std::string& archive) {
  auto part = std::make_unique<PartSource>(std::move(source), entry.bytes, archive);
  if (entry.method == stored) return part;
  if (entry.method == deflated) return std::make_unique<DeflatedSource>(std::move(part), archive);
  throw DataError(fmt::format("{}: {} is packed in way {}; expected stored or deflated", archive,
                              echoed(entry.name), entry.method));
}

}  // namespace trainyard
