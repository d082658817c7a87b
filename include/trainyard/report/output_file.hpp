// A file that is there whole or not at all.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace trainyard {

/// Claims `file` when it is made, so that a name that cannot be written is refused before anything
/// is computed, and writes it in one go: first to `file`.partial, which is then renamed.
class OutputFile {
 public:
  /// Throws UsageError beginning with `flag` when it cannot be written, or exists and may not be
  /// overwritten.
  OutputFile(std::string flag, std::filesystem::path file, bool overwrite);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  /// Leaves nothing behind unless finish() was called.
  ~OutputFile();

  void finish(const std::string& text);

 private:
  [[noreturn]] void refuse(const std::string& why) const;

  const std::string flag_;
  const std::filesystem::path file_, partial_;
  std::ofstream stream_;
};

}  // namespace trainyard
