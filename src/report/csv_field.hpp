// A field of a CSV file.
//
// Threads: any.
#pragma once

#include <string>

namespace trainyard {

/// Quoted where a comma, a quote or a line end asks for it (RFC 4180), and without control
/// characters, which a terminal would obey: a name with ESC in it has "?" there.
inline std::string csv_field(const std::string& text) {
  std::string field;
  for (const char c : text) {
    const bool is_control =
        (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7F;
    field += c == '"' ? "\"\"" : std::string(1, is_control ? '?' : c);
  }
  return text.find_first_of(",\"\n\r") == std::string::npos ? field : "\"" + field + "\"";
}

}  // namespace trainyard
