// JSON documents as text.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace trainyard {

/// Two-space indented, a member or element a line; an array of numbers and words alone is one line.
/// What is not UTF-8 (a file name need not be) becomes U+FFFD.
std::string json_text(const nlohmann::ordered_json& json);

/// The document in one line.
std::string json_line(const nlohmann::ordered_json& json);

}  // namespace trainyard
