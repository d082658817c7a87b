// Numbers that the system writes into text files, below /proc and /sys.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace trainyard {

/// The one number in a file; empty: no such file, or a word ("max"), or a negative number.
std::optional<std::size_t> number_in(const std::filesystem::path& file);

/// The number after `key` in a file of lines "key number"; empty: no such file or line.
std::optional<std::size_t> value_of(const std::filesystem::path& file, const std::string& key);

}  // namespace trainyard
