#include "structure/declarations.hpp"

#include <algorithm>
#include <regex>
#include <stdexcept>

#include "structure/source_files.hpp"

namespace trainyard::test {

namespace {

/// What is between the braces that open at or after `at`, with the bodies of functions left out and
/// an end of declaration in their place.
std::string body_at(std::string_view text, std::size_t at) {
  std::string body;
  int braces = 0, parentheses = 0;
  for (std::size_t i = text.find('{', at); i < text.size(); ++i) {
    const char c = text[i];
    const bool in_parentheses = parentheses > 0;
    if (c == '(') ++parentheses;
    if (c == ')') --parentheses;
    if (c == '{' && !in_parentheses && braces++ > 0) continue;
    if (c == '}' && !in_parentheses) {
      if (--braces == 0) return body;
      if (braces == 1 && text.substr(i + 1, 1) != ";") body += ';';
      continue;
    }
    if (braces == 1 && c != '{') body += c;
  }
  throw std::runtime_error("a class has no end");
}

/// The part of a class's body that all may see.
std::string public_part(const std::string& body, bool is_class) {
  static const std::regex access(R"((public|protected|private):)");
  std::string seen;
  bool is_public = !is_class;
  std::size_t from = 0;
  for (std::sregex_iterator at(body.begin(), body.end(), access), end; at != end; ++at) {
    const auto place = static_cast<std::size_t>(at->position());
    if (is_public) seen += body.substr(from, place - from);
    is_public = (*at)[1] == "public";
    from = place + static_cast<std::size_t>(at->length());
  }
  if (is_public) seen += body.substr(from);
  return seen;
}

/// The name that a declaration declares; empty where it is none that counts.
std::string name_in(const std::string& declaration, const std::string& class_name) {
  static const std::regex other(R"(^\s*(?:friend|using|struct|class|enum)\b|\boperator\b)");
  static const std::regex pointer(R"(\(\*(\w+)\))");  // to a function
  static const std::regex function(R"((~?\w+)\s*\()");
  static const std::regex variable(R"((\w+)\s*(?:=|$))");
  std::smatch found;
  if (std::regex_search(declaration, other)) return "";
  if (!std::regex_search(declaration, found, pointer) &&
      !std::regex_search(declaration, found, function) &&
      !std::regex_search(declaration, found, variable)) {
    return "";
  }
  const std::string name = found[1];
  return name == class_name || name.starts_with("~") ? "" : name;
}

}  // namespace

std::vector<std::string> public_names_of(std::string_view text, std::string_view head) {
  const std::string bare = without_literals(text);
  const std::size_t at = bare.find(std::string(head) + " {");
  if (at == std::string::npos) throw std::runtime_error("no " + std::string(head));
  const std::string part = public_part(body_at(bare, at), head.starts_with("class "));
  const std::string class_name(head.substr(head.find(' ') + 1));
  std::vector<std::string> names;
  for (std::size_t from = 0; from < part.size();) {
    const std::size_t end = std::min(part.find(';', from), part.size());
    const std::string name = name_in(part.substr(from, end - from), class_name);
    if (!name.empty()) names.push_back(name);
    from = end + 1;
  }
  return names;
}

}  // namespace trainyard::test
