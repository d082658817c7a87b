// A file that is there whole or not at all.
//
// Threads: one at a time for one object; different objects share nothing.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "trainyard/base/descriptor.hpp"
#include "trainyard/base/function_ref.hpp"

namespace trainyard {

/// The file that a flag like --svg names. Whether it can be written is found out when this is made,
/// before anything is computed; it is written in one go at the end, first to a partial name of its
/// own, which is then renamed. A link to a file stays one, and the file is replaced. A character
/// device or a pipe is written to directly, and so are standard output and error by whatever name.
class OutputFile {
 public:
  /// Throws UsageError beginning with `flag` when it cannot be written, or is a file that exists
  /// and may not be overwritten, or something that is neither file, character device nor pipe.
  OutputFile(std::string flag, std::filesystem::path file, bool overwrite);

  /// Throws RunError when there is no room, say. A file that has appeared meanwhile is not
  /// overwritten unless that was asked for; what was computed is then left under its partial name.
  /// Throws Interrupted when an interrupt is noted while a pipe has no reader.
  void finish(const std::string& text) const;
  /// Writes pieces, one after another.
  void finish(std::span<const std::string_view> pieces) const;
  /// The same of a text that is longer than what should be in memory: next_piece() is called until
  /// it gives an empty one, and what it throws leaves no file.
  void finish_in_pieces(FunctionRef<std::string_view()> next_piece) const;

 private:
  enum class Target { file, device, output, errors };

  void choose_target();
  void probe() const;
  Descriptor open_device() const;
  void write_directly(FunctionRef<std::string_view()> next_piece) const;
  std::string told(const std::string& why) const;

  const std::string flag_;
  const bool overwrite_;
  std::filesystem::path file_;
  Target target_ = Target::file;
};

}  // namespace trainyard
