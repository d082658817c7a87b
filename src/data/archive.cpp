#include "trainyard/data/archive.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include "trainyard/base/descriptor.hpp"
#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/file_writing.hpp"
#include "trainyard/data/npy.hpp"

#include "data/byte_source.hpp"
#include "data/npy_header.hpp"
#include "data/zip.hpp"

namespace trainyard {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_of_short = 0xFFFFFFFFU;  // a size or place beyond it stands in zip64's

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::uint32_t checksum_of(std::string_view bytes, std::uint32_t before = 0) {
  if (bytes.empty()) return before;  // of a null pointer zlib gives the checksum of nothing
  return static_cast<std::uint32_t>(
      crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

void append(std::string& text, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xFFU);
}

/// A file in the archive, as its header and its entry in the directory have it.
struct Written {
  std::string name, head;  // head: of the npy file
  std::string_view content;
  std::uint64_t place = 0;  // of the header in the archive
  std::uint32_t checksum = 0;

  std::uint64_t bytes() const { return head.size() + content.size(); }
  bool is_long() const { return bytes() >= most_of_short || place >= most_of_short; }
};

/// What the header and the entry have alike (PKWARE's APPNOTE 4.3.7, 4.3.12).
void append_common(std::string& text, const Written& file, std::size_t extra) {
  constexpr std::uint64_t first_of_1980 = 0x21;
  append(text, file.is_long() ? 45 : 20, 2);  // the version that is needed
  append(text, 0, 4);                         // no flags; stored
  append(text, 0, 2);
  append(text, first_of_1980, 2);
  append(text, file.checksum, 4);
  const std::uint64_t size = file.is_long() ? most_of_short : file.bytes();
  append(text, size, 4);
  append(text, size, 4);
  append(text, file.name.size(), 2);
  append(text, extra, 2);
}

/// Zip64's sizes (4.5.3), of so many bytes with what follows them.
void append_long(std::string& text, const Written& file, std::uint64_t bytes) {
  constexpr std::uint64_t mark = 1;
  append(text, mark, 2);
  append(text, bytes, 2);
  append(text, file.bytes(), 8);
  append(text, file.bytes(), 8);
}

std::string header_of(const Written& file) {
  std::string text = "PK\x03\x04";
  append_common(text, file, file.is_long() ? 20 : 0);
  text += file.name;
  if (file.is_long()) append_long(text, file, 16);
  return text;
}

std::string entry_of(const Written& file) {
  std::string text = "PK\x01\x02";
  append(text, 45, 2);
  append_common(text, file, file.is_long() ? 28 : 0);
  append(text, 0, 2);  // no comment
  append(text, 0, 2);  // disk
  append(text, 0, 6);  // attributes
  append(text, file.is_long() ? most_of_short : file.place, 4);
  text += file.name;
  if (!file.is_long()) return text;
  append_long(text, file, 24);
  append(text, file.place, 8);
  return text;
}

/// The directory, which lies at `place`, and what an archive ends with.
std::string directory_of(const std::vector<Written>& files, std::uint64_t place) {
  std::string text;
  for (const Written& file : files) text += entry_of(file);
  const std::uint64_t bytes = text.size(), end = place + bytes;
  text += "PK\x06\x06";  // zip64's, which is right for any size
  append(text, 44, 8);
  append(text, 45, 2);
  append(text, 45, 2);
  append(text, 0, 8);
  append(text, files.size(), 8);
  append(text, files.size(), 8);
  append(text, bytes, 8);
  append(text, place, 8);
  text += "PK\x06\x07";
  append(text, 0, 4);
  append(text, end, 8);
  append(text, 1, 4);
  text += "PK\x05\x06";
  append(text, 0, 4);
  const std::uint64_t count = std::min<std::uint64_t>(files.size(), 0xFFFF);
  append(text, count, 2);
  append(text, count, 2);
  append(text, std::min(bytes, most_of_short), 4);
  append(text, std::min(place, most_of_short), 4);
  append(text, 0, 2);
  return text;
}

/// Writes the content of a file that begins at `place`, and completes its checksum. By pieces that
/// stay in the cache between the two, while the disk has begun with those before: 1.2 GB took 1.25
/// s one after the other, and take 0.85 s so, as long as `dd` needs.
int write_content(int descriptor, Written& file, std::uint64_t place) {
  constexpr std::size_t piece = std::size_t{1} << 20U, begun = std::size_t{64} << 20U;
  for (std::size_t at = 0; at < file.content.size(); at += piece) {
    const std::string_view part = file.content.substr(at, piece);
    file.checksum = checksum_of(part, file.checksum);
    if (const int error = write_all(descriptor, part)) return error;
    const std::size_t end = at + part.size();
    // It asks the kernel to begin, and waits for nothing; fsync() is what makes sure.
    if (end % begun == 0) {
      (void)sync_file_range(descriptor, static_cast<off64_t>(place + end - begun), begun,
                            SYNC_FILE_RANGE_WRITE);
    }
  }
  return 0;
}

int write_at(int descriptor, std::string_view bytes, std::uint64_t place) {
  const ssize_t written = pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(place));
  if (written < 0) return errno;
  return static_cast<std::size_t>(written) == bytes.size() ? 0 : EIO;
}

int write_files(int descriptor, std::vector<Written>& files) {
  std::uint64_t place = 0;
  for (Written& file : files) {
    file.place = place;
    file.checksum = checksum_of(file.head);
    const std::string without_checksum = header_of(file) + file.head;
    if (const int error = write_all(descriptor, without_checksum)) return error;
    const std::uint64_t begin = place + without_checksum.size();
    if (const int error = write_content(descriptor, file, begin)) return error;
    // A header stands before what its checksum is of.
    if (const int error = write_at(descriptor, header_of(file), place)) return error;
    place = begin + file.content.size();
  }
  return write_all(descriptor, directory_of(files, place));
}

/// What is read of an archive is checked byte by byte.
class CheckedSource {
 public:
  CheckedSource(ByteSource& source, std::string name) : source_(source), name_(std::move(name)) {}

  void read(std::span<char> into) {
    if (source_.read(into) < into.size()) {
      throw DataError(fmt::format("{}: ends early; the file is truncated", name_));
    }
    checksum_ = checksum_of({into.data(), into.size()}, checksum_);
  }
  std::string text(std::size_t bytes) {
    std::string read_text(bytes, '\0');
    read(read_text);
    return read_text;
  }
  void require_checksum(std::uint32_t expected) const {
    if (checksum_ == expected) return;
    throw DataError(fmt::format("{}: its checksum is {:08x} and not {:08x}; the file is damaged",
                                name_, checksum_, expected));
  }

 private:
  ByteSource& source_;
  std::string name_;
  std::uint32_t checksum_ = 0;
};

}  // namespace

std::span<const std::byte> Archive::Entry::content() const {
  if (!borrowed.empty()) return borrowed;
  return kind == 'f' && bytes.empty() ? vector.view().bytes() : std::span<const std::byte>(bytes);
}

Archive Archive::read_back() const {
  Archive archive;
  archive.is_read_ = true;
  archive.file_ = "the archive in memory";
  for (const auto& [name, entry] : entries_) {
    const std::span<const std::byte> content = entry.content();
    Entry copy;
    copy.kind = entry.kind;
    copy.width = entry.width;
    if (entry.kind == 'f') {
      const Scalar scalar = entry.width == sizeof(float) ? Scalar::float32 : Scalar::float64;
      copy.vector = VectorBuffer(scalar, content.size() / entry.width);
      if (!content.empty()) {
        std::memcpy(copy.vector.view().bytes().data(), content.data(), content.size());
      }
    } else {
      copy.bytes.assign(content.begin(), content.end());
    }
    archive.entries_.emplace(name, std::move(copy));
  }
  return archive;
}

Archive Archive::read(const fs::path& file) {
  Archive archive;
  archive.file_ = file.string();
  archive.is_read_ = true;
  const std::unique_ptr<ByteSource> source = open_file(file);
  while (const auto found = next_zip_entry(*source, archive.file_)) {
    std::string name = found->name;
    CheckedSource content(*source, fmt::format("{}: {}", archive.file_, echoed(name)));
    if (!name.ends_with(".npy") || found->method != 0 || found->bytes < 10) {
      throw DataError(
          fmt::format("{}: {} is no array that is stored as it is", archive.file_, echoed(name)));
    }
    name.resize(name.size() - 4);
    const std::string mark = content.text(10);
    const std::size_t length = static_cast<unsigned char>(mark[8]) +
                               std::size_t{static_cast<unsigned char>(mark[9])} * 256;
    if (found->bytes < 10 + length) {
      throw DataError(fmt::format("{}: {} ends early", archive.file_, echoed(name)));
    }
    const NpyHeader header = parse_npy_dictionary(content.text(length), archive.file_);
    const std::uint64_t bytes = found->bytes - 10 - length;
    Entry entry;
    entry.kind = header.kind;
    entry.width = header.value_bytes;
    std::span<std::byte> place;
    if (header.kind == 'f' && header.value_bytes >= 4) {
      entry.vector = VectorBuffer(header.value_bytes == 4 ? Scalar::float32 : Scalar::float64,
                                  bytes / header.value_bytes);
      place = entry.vector.view().bytes();
    } else {
      entry.bytes.resize(bytes);
      place = entry.bytes;
    }
    if (place.size() != bytes || header.swapped) {
      throw DataError(fmt::format("{}: {} is not as it was written", archive.file_, echoed(name)));
    }
    content.read({reinterpret_cast<char*>(place.data()), place.size()});
    content.require_checksum(found->checksum);
    archive.entries_.insert_or_assign(std::move(name), std::move(entry));
  }
  if (archive.entries_.empty()) {
    throw DataError(fmt::format("{}: found no array in it; expected an npz file", archive.file_));
  }
  return archive;
}

void Archive::write(const fs::path& file) const {
  std::vector<Written> files;
  for (const auto& [name, entry] : entries_) {
    const std::span<const std::byte> content = entry.content();
    const std::array shape{content.size() / entry.width};
    files.push_back({.name = name + ".npy",
                     .head = npy_head(fmt::format("{}{}", entry.kind, entry.width), shape),
                     .content = as_text(content)});
  }
  Descriptor descriptor(open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  int error = descriptor.is_open() ? 0 : errno;
  if (!error) error = write_files(descriptor.number(), files);
  if (!error && fsync(descriptor.number()) != 0) error = errno;
  if (!error) error = descriptor.close();
  if (!error) return;
  std::error_code ignored;
  fs::remove(file, ignored);
  throw RunError(fmt::format("cannot write {}: {}", file.string(), reason_of(error)));
}

void Archive::exchange(const std::string& name, Duration& value) {
  std::int64_t ticks = value.count();
  exchange(name, ticks);
  value = Duration{ticks};
}

void Archive::exchange(const std::string& name, std::string& text) {
  std::vector<std::uint8_t> bytes(text.begin(), text.end());
  exchange(name, bytes);
  text.assign(bytes.begin(), bytes.end());
}

void Archive::exchange(const std::string& name, std::optional<double>& value) {
  std::vector<double> values;
  if (value) values.push_back(*value);
  exchange(name, values);
  value = values.empty() ? std::nullopt : std::optional(values.front());
}

void Archive::exchange(const std::string& name, std::vector<std::string>& texts) {
  std::uint64_t count = texts.size();
  exchange(name + "/count", count);
  texts.resize(count);
  for (std::size_t i = 0; i < count; ++i) exchange(fmt::format("{}/{}", name, i), texts[i]);
}

void Archive::exchange(const std::string& name, VectorBuffer& values) {
  if (is_filled()) {
    Entry entry;
    entry.width = bytes_of(values.scalar());
    entry.borrowed = std::as_const(values).view().bytes();
    entries_.insert_or_assign(name, std::move(entry));
    return;
  }
  Entry& entry = found(name);
  if (entry.kind != 'f' || entry.width < 4) throw_unlike(name);
  values = std::move(entry.vector);
}

void Archive::put(const std::string& name, char kind, std::size_t width,
                  std::span<const std::byte> bytes) {
  Entry entry;
  entry.kind = kind;
  entry.width = width;
  entry.bytes.assign(bytes.begin(), bytes.end());
  entries_.insert_or_assign(name, std::move(entry));
}

std::span<const std::byte> Archive::taken(const std::string& name, char kind,
                                          std::size_t width) const {
  const Entry& entry = found(name);
  if (entry.kind != kind || entry.width != width) throw_unlike(name);
  return entry.content();
}

const Archive::Entry& Archive::found(const std::string& name) const {
  const auto place = entries_.find(name);
  if (place == entries_.end()) {
    throw DataError(fmt::format("{}: has no array {}", file_, echoed(name)));
  }
  return place->second;
}

Archive::Entry& Archive::found(const std::string& name) {
  return const_cast<Entry&>(std::as_const(*this).found(name));
}

void Archive::throw_unlike(const std::string& name) const {
  throw DataError(fmt::format("{}: {} is an array of other numbers", file_, echoed(name)));
}

std::vector<std::string> Archive::names_behind(std::string_view prefix) const {
  std::vector<std::string> names;
  for (auto place = entries_.lower_bound(std::string(prefix));
       place != entries_.end() && place->first.starts_with(prefix); ++place) {
    names.push_back(place->first.substr(prefix.size()));
  }
  return names;
}

}  // namespace trainyard
