// Files written through their descriptors, so that what goes wrong has a reason.
//
// Threads: any; of one file one at a time.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace trainyard {

/// The meaning of an errno, in words.
std::string reason_of(int error_number);

/// Writes all of `bytes`; 0, or the errno of what stopped it.
int write_all(int descriptor, std::string_view bytes);

/// Writes `head` and `rest` into a file. Throws RunError, and leaves none, when that fails.
void write_file(const std::filesystem::path& file, std::string_view head,
                std::string_view rest = {});

}  // namespace trainyard
