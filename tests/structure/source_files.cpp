#include "structure/source_files.hpp"

#include <algorithm>
#include <cctype>
#include <regex>
#include <stdexcept>

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard::test {

namespace {

namespace fs = std::filesystem;

enum class Scope { outside, function, block };  // outside: a namespace or a class

/// Replaces [from, to) by blanks; ends of lines stay.
void blank(std::string& text, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < std::min(to, text.size()); ++i) {
    if (text[i] != '\n') text[i] = ' ';
  }
}

/// The end of what begins at `at` and is closed by `end`.
std::size_t past(std::string_view text, std::string_view end, std::size_t at) {
  const std::size_t place = text.find(end, at);
  return place == std::string_view::npos ? text.size() : place + end.size();
}

std::size_t past_quoted(std::string_view text, std::size_t at) {
  const char quote = text[at];
  for (std::size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      return i + 1;
    }
  }
  return text.size();
}

std::size_t past_directive(std::string_view text, std::size_t at) {
  std::size_t end = past(text, "\n", at);
  while (end >= 2 && end < text.size() && text[end - 2] == '\\') end = past(text, "\n", end);
  return end;
}

/// Where the comment, literal or directive that begins at `at` ends; `at` where none does.
std::size_t past_literal(std::string_view text, std::size_t at, bool line_begins) {
  const std::string_view rest = text.substr(at);
  if (line_begins && rest[0] == '#') return past_directive(text, at);
  if (rest.starts_with("//")) return past(text, "\n", at);
  if (rest.starts_with("/*")) return past(text, "*/", at + 2);
  if (rest.starts_with("R\"")) {
    const std::size_t open = text.find('(', at);
    return past(text, ")" + std::string(text.substr(at + 2, open - at - 2)) + "\"", open);
  }
  if (rest[0] == '"') return past_quoted(text, at);
  // 1'000 is a number.
  const bool in_number = at > 0 && std::isalnum(static_cast<unsigned char>(text[at - 1])) != 0;
  if (rest[0] == '\'' && !in_number) return past_quoted(text, at);
  return at;
}

/// What the brace after `head` opens; `head` begins after the last ';', '{' or '}'.
Scope scope_of(const std::string& head, Scope around) {
  if (around != Scope::outside) return Scope::block;
  static const std::regex no_function(
      R"(^\s*(template\s*<[^{}]*>\s*)?(inline\s+|typedef\s+)?(namespace|class|struct|union|enum|extern)\b)");
  if (std::regex_search(head, no_function)) return Scope::outside;
  return head.find(')') == std::string::npos ? Scope::block : Scope::function;
}

}  // namespace

std::vector<SourceFile> source_files(const std::vector<std::string>& folders,
                                     const std::vector<std::string>& endings) {
  const fs::path top = TRAINYARD_SOURCE_DIR;
  std::vector<SourceFile> files;
  for (const std::string& folder : folders) {
    REQUIRE(fs::exists(top / folder));
    for (const auto& entry : fs::recursive_directory_iterator(top / folder)) {
      const std::string ending = entry.path().extension().string();
      if (std::find(endings.begin(), endings.end(), ending) == endings.end()) continue;
      files.push_back({fs::relative(entry.path(), top).string(), read_file(entry.path())});
    }
  }
  std::sort(files.begin(), files.end(),
            [](const SourceFile& a, const SourceFile& b) { return a.name < b.name; });
  return files;
}

std::size_t line_count(std::string_view text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::string without_literals(std::string_view text) {
  std::string code(text);
  bool line_begins = true;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = past_literal(text, at, line_begins);
    if (end > at) {
      blank(code, at, end);
      line_begins = text[end - 1] == '\n';
      at = end;
      continue;
    }
    line_begins = text[at] == '\n' || (line_begins && text[at] == ' ');
    ++at;
  }
  return code;
}

std::vector<FunctionExtent> functions_in(std::string_view text) {
  struct Open {
    Scope scope;
    std::size_t head;  // where what it belongs to begins
  };
  const std::string code = without_literals(text);
  const auto line_of = [&](std::size_t at) { return 1 + line_count({code.data(), at}); };
  std::vector<FunctionExtent> functions;
  std::vector<Open> open;
  std::size_t head = 0;
  for (std::size_t at = 0; at < code.size(); ++at) {
    const char c = code[at];
    if (c != '{' && c != '}' && c != ';') continue;
    if (c == '{') {
      const Scope around = open.empty() ? Scope::outside : open.back().scope;
      const std::size_t begin = std::min(code.find_first_not_of(" \n", head), at);
      open.push_back({scope_of(code.substr(head, at - head), around), begin});
    } else if (c == '}') {
      if (open.empty()) throw std::runtime_error("a '}' without '{'");
      if (open.back().scope == Scope::function) {
        const std::size_t first = line_of(open.back().head);
        functions.push_back({first, line_of(at) - first + 1});
      }
      open.pop_back();
    }
    head = at + 1;
  }
  if (!open.empty()) throw std::runtime_error("a '{' without '}'");
  return functions;
}

}  // namespace trainyard::test
