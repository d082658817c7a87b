#include "report/svg_text.hpp"

#include "trainyard/base/echoed.hpp"

namespace trainyard {

std::string svg_escaped(const std::string& text) {
  std::string result;
  // Control characters and bytes that are not UTF-8, which XML does not allow, are spelt out.
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c == '\n' || c == '\t' ? ' ' : c;
    }
  }
  return result;
}

}  // namespace trainyard
