// The files in a zip archive, one after another as they lie there (PKWARE's APPNOTE, 4.3).
//
// Threads: one at a time for one source.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "data/byte_source.hpp"

namespace trainyard {

struct ZipEntry {
  std::string name;
  unsigned method = 0;         // 0: stored; 8: deflated
  std::uint64_t bytes = 0;     // as they lie in the archive
  std::uint32_t checksum = 0;  // CRC-32 of the content
};

/// The file whose header is next; empty where there is none more. Its bytes follow, all of which
/// have to be taken before the next call. Throws DataError, naming `archive`, where the header is
/// cut off or the size of the file stands behind it.
std::optional<ZipEntry> next_zip_entry(ByteSource& source, const std::string& archive);

void skip_zip_entry(ByteSource& source, const ZipEntry& entry, const std::string& archive);

/// The content of the file whose bytes are next in `source`. Throws DataError where they are packed
/// in another way than by deflate.
std::unique_ptr<ByteSource> open_zip_entry(std::unique_ptr<ByteSource> source,
                                           const ZipEntry& entry, const std::string& archive);

}  // namespace trainyard
