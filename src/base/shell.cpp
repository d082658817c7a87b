#include "trainyard/base/shell.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("%+,-./:=@_").find(c) != std::string_view::npos;
}

/// What cannot be printed would be lost wherever the command is shown: printf, which every shell
/// has, spells it out.
std::string spelt_for_shell(const std::string& word) {
  std::string format;
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte >= 0x20 && byte < 0x7F && c != '\'' && c != '\\' && c != '%';
    // In octal, which takes three digits at most: a digit that follows is no part of it.
    format += plain ? std::string(1, c) : fmt::format("\\{:03o}", byte);
  }
  return fmt::format("\"$(printf '{}')\"", format);
}

}  // namespace

std::string quoted_for_shell(const std::string& word) {
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return word;
  if (printable(word) != word) return spelt_for_shell(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::vector<std::string> shell_words(std::string_view line) {
  std::vector<std::string> words;
  bool quoted = false, in_word = false;
  for (const char c : line) {
    if (c == '\'') {
      quoted = !quoted;
    } else if (c == ' ' && !quoted) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (c != '\'') words.back() += c;
  }
  if (quoted) throw UsageError(fmt::format("{}: a quote is not closed", echoed(std::string(line))));
  return words;
}

}  // namespace trainyard
