// A zip archive of texts, in memory (PKWARE's APPNOTE 6.3, sections 4.3.7, 4.3.12 and 4.3.16): what
// Windows, macOS and Linux open without a program of their own.
//
// Threads: one at a time for one archive.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace trainyard {

/// The same files in the same order give the same bytes: each has the first day that a zip archive
/// knows, 1980-01-01.
class ZipArchive {
 public:
  /// `name`: of ASCII letters, with '/' between folders. Throws RunError where file or archive
  /// would have 4 GiB and more, or the archive more than 65,535 files.
  void add(std::string_view name, std::string_view content);

  /// The archive of all that was added.
  std::string finished() const;

 private:
  std::string files_, directory_;
  std::uint32_t count_ = 0;
};

}  // namespace trainyard
