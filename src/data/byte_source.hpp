// The decompressed bytes of a file, in order. Whether a file is compressed, by gzip, bzip2, xz or
// zstd, is told from its first bytes, not from its name.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace trainyard {

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  /// Fills `buffer` from its beginning and says how much; less than all of it only at the end.
  /// Throws DataError when the file cannot be read or its compressed data is damaged.
  virtual std::size_t read(std::span<char> buffer) = 0;
};

/// A file, plain or compressed. Throws DataError when it cannot be opened.
std::unique_ptr<ByteSource> open_file(const std::filesystem::path& file);

/// Bytes in memory, plain or compressed. `bytes` is kept by reference; `name` stands for the file.
std::unique_ptr<ByteSource> open_bytes(std::string_view bytes, const std::string& name);

/// Bytes in memory as they are, whatever they begin with. `bytes` is kept by reference.
std::unique_ptr<ByteSource> open_plain_bytes(std::string_view bytes);

/// The decompressed content of a gzip file of one or more members. Checks every member's checksum
/// and length, and that the file does not end within one.
std::unique_ptr<ByteSource> open_gzip(std::unique_ptr<ByteSource> compressed, std::string name);

/// The same of bzip2, xz and zstd, of one or more streams or frames.
std::unique_ptr<ByteSource> open_bzip2(std::unique_ptr<ByteSource> compressed, std::string name);
std::unique_ptr<ByteSource> open_xz(std::unique_ptr<ByteSource> compressed, std::string name);
std::unique_ptr<ByteSource> open_zstd(std::unique_ptr<ByteSource> compressed, std::string name);

/// So much of a compressed file is taken at once.
inline constexpr std::size_t compressed_input_bytes = std::size_t{32} * 1024;

/// Throw DataError: the file ends within its compressed data, or these are none.
[[noreturn]] void throw_truncated(const std::string& name, std::string_view compression);
[[noreturn]] void throw_damaged(const std::string& name, std::string_view compression);

}  // namespace trainyard
