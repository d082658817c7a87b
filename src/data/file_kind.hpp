// Which kind of file it is, from its first bytes.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "trainyard/data/read.hpp"

namespace trainyard {

/// So many bytes show it.
inline constexpr std::size_t shown_bytes = std::size_t{16} * 1024;

/// The format of a file, decompressed, that begins with `head`. Empty: it may be several, or none.
std::optional<Format> shown_format(std::string_view head);

/// Throws DataError where a text that begins so is none that is read here, and says what it is and
/// what to do: an Excel sheet, Parquet, ARFF, UTF-16, line ends of old Macs, ….
void refuse_other_kinds(const std::string& file, std::string_view head);

/// Whether refuse_other_kinds() refuses it.
bool is_other_kind(std::string_view head);

}  // namespace trainyard
