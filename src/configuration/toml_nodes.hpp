// A configuration's TOML as it is read: safely parsed, with values as they would be typed.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <toml++/toml.h>

namespace trainyard {

/// Throws UsageError: "FILE:LINE: what is wrong".
toml::table parsed_toml(std::string_view text, const std::string& file);

/// "FILE:LINE", for messages.
std::string place(const std::string& file, const toml::node& node);

/// A value as it would be typed on the command line. Throws UsageError, beginning with `where`, for
/// what is none.
std::string value_text(const toml::node& node, const std::string& where);

/// Throws UsageError: "WHERE: no KIND named 'word'; did you mean …? (known: …)".
[[noreturn]] void refuse_name(const std::string& where, std::string_view kind,
                              std::string_view word, const std::vector<std::string>& known);

}  // namespace trainyard
