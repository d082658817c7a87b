#include "data/byte_source.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/data/read.hpp"

namespace trainyard {

namespace {

[[noreturn]] void throw_unreadable(const std::string& name, int error_number) {
  throw DataError(
      fmt::format("{}: cannot be read: {}", name, std::generic_category().message(error_number)));
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

class FileSource : public ByteSource {
 public:
  explicit FileSource(const std::filesystem::path& path)
      : name_(path.string()), file_(std::fopen(path.c_str(), "rb")) {
    if (file_ == nullptr) throw_unreadable(name_, errno);
  }

  std::size_t read(std::span<char> buffer) override {
    const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file_.get());
    if (count < buffer.size() && std::ferror(file_.get()) != 0) throw_unreadable(name_, errno);
    return count;
  }

 private:
  std::string name_;
  std::unique_ptr<std::FILE, CloseFile> file_;
};

class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : rest_(bytes) {}

  std::size_t read(std::span<char> buffer) override {
    const std::size_t count = std::min(buffer.size(), rest_.size());
    std::copy_n(rest_.begin(), count, buffer.begin());
    rest_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view rest_;
};

/// Gives back the bytes that were looked at to tell compressed from plain. A file need not be able
/// to seek: it may be a pipe.
class ResumedSource : public ByteSource {
 public:
  ResumedSource(std::string head, std::unique_ptr<ByteSource> rest)
      : head_(std::move(head)), rest_(std::move(rest)) {}

  std::size_t read(std::span<char> buffer) override {
    const std::size_t count = std::min(buffer.size(), head_.size() - position_);
    std::copy_n(head_.begin() + static_cast<std::ptrdiff_t>(position_), count, buffer.begin());
    position_ += count;
    return count + rest_->read(buffer.subspan(count));
  }

 private:
  std::string head_;
  std::size_t position_ = 0;
  std::unique_ptr<ByteSource> rest_;
};

struct Compression {
  std::string_view magic;
  std::unique_ptr<ByteSource> (*open)(std::unique_ptr<ByteSource>, std::string);
};
constexpr std::array<Compression, 4> compressions{{{"\x1f\x8b", open_gzip},
                                                   {"BZh", open_bzip2},
                                                   {"\xFD"
                                                    "7zXZ",
                                                    open_xz},
                                                   {"\x28\xB5\x2F\xFD", open_zstd}}};

const Compression* compression_of(std::string_view head) {
  const auto found = std::ranges::find_if(
      compressions, [&](const Compression& one) { return head.starts_with(one.magic); });
  return found == compressions.end() ? nullptr : &*found;
}

std::unique_ptr<ByteSource> decompressed(std::unique_ptr<ByteSource> source,
                                         const std::string& name) {
  std::string head(5, '\0');
  head.resize(source->read(head));
  const Compression* const compression = compression_of(head);
  auto whole = std::make_unique<ResumedSource>(std::move(head), std::move(source));
  if (compression == nullptr) return whole;
  return compression->open(std::move(whole), name);
}

}  // namespace

bool is_compressed(std::string_view bytes) {
  return compression_of(bytes) != nullptr;
}

void throw_truncated(const std::string& name, std::string_view compression) {
  throw DataError(
      fmt::format("{}: the {} data end early; the file is truncated", name, compression));
}

void throw_damaged(const std::string& name, std::string_view compression) {
  throw DataError(fmt::format("{}: the {} data are damaged", name, compression));
}

std::unique_ptr<ByteSource> open_file(const std::filesystem::path& file) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(file, error);
  if (status.type() == std::filesystem::file_type::not_found) {
    throw DataError(fmt::format("{}: no such file", file.string()));
  }
  if (std::filesystem::is_directory(status)) {
    throw DataError(fmt::format("{}: found a directory; expected a file", file.string()));
  }
  return decompressed(std::make_unique<FileSource>(file), file.string());
}

std::unique_ptr<ByteSource> open_plain_bytes(std::string_view bytes) {
  return std::make_unique<MemorySource>(bytes);
}

std::unique_ptr<ByteSource> open_bytes(std::string_view bytes, const std::string& name) {
  return decompressed(std::make_unique<MemorySource>(bytes), name);
}

}  // namespace trainyard
