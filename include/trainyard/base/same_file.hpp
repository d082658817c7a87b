// Whether two paths lead to one file.
//
// Threads: any; it is a function of its arguments and of the file system.
#pragma once

#include <filesystem>
#include <system_error>

namespace trainyard {

/// By links too; false where either is not there.
inline bool is_same_file(const std::filesystem::path& one, const std::filesystem::path& other) {
  std::error_code error;
  return std::filesystem::equivalent(one, other, error);
}

/// And by their names, as of files that are yet to be written.
inline bool names_one_file(const std::filesystem::path& one, const std::filesystem::path& other) {
  return one.lexically_normal() == other.lexically_normal() || is_same_file(one, other);
}

}  // namespace trainyard
