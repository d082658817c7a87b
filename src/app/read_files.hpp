// What a command reads is not what it writes.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/base/same_file.hpp"
#include "trainyard/configuration/configuration.hpp"

namespace trainyard::app {

/// Throws OptionError for `option` where its file is one of those that are read: --force says that
/// an answer may be replaced, and not what it is made of.
inline void check_not_read(const std::string& option, const std::filesystem::path& output,
                           const std::vector<std::filesystem::path>& read) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(output, error)) return;
  if (std::ranges::any_of(read, [&](const auto& file) { return is_same_file(output, file); })) {
    throw OptionError(option, output.string(), "is a file that is read");
  }
}

/// As above, for what a run reads.
inline void check_not_read(const std::string& option, const std::filesystem::path& output,
                           const Configuration& c) {
  check_not_read(option, output, {c.dataset, c.test, c.validation, c.labels, c.test_labels});
}

}  // namespace trainyard::app
