// A field of a CSV file.
//
// Threads: any.
#pragma once

#include <string>

namespace trainyard {

/// Quoted where a comma, a quote or a line end asks for it (RFC 4180).
inline std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

}  // namespace trainyard
