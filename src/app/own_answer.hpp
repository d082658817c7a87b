// What a command line of this program prints, in a process of its own: as if a reader had typed it.
//
// The process is a fork of this one, which has no thread but the calling one: it needs no path to
// the program, which an emulator or a front end of one's own may hide, and a command that ends
// badly ends by itself.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "trainyard/base/interrupt.hpp"

namespace trainyard::app {

/// A temporary folder with files, in which commands run.
class CommandFolder {
 public:
  /// Content by name. Throws RunError where it cannot be made.
  explicit CommandFolder(const std::map<std::string, std::string>& files);
  ~CommandFolder();
  CommandFolder(const CommandFolder&) = delete;
  CommandFolder& operator=(const CommandFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::optional<Unfinished> unfinished_;  // nothing of it stays behind an interrupt
};

/// Standard output of "trainyard …", which runs in `folder` (empty: here) with --json and --quiet.
/// A --data-dir is added where it names a data set. A run that diverged has an answer, too. Throws
/// DataError, Interrupted or RunError with its message where it fails. REQUIRES: no other thread.
std::string answer_of(const std::string& command, const std::filesystem::path& folder,
                      const std::filesystem::path& data_dir);

}  // namespace trainyard::app
