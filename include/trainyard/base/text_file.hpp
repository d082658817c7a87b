// Text files that people write by hand: a configuration, a graph, links, messages, values. They are
// small, and are read whole before a line of them is looked at.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// No more than this is read of a file of lines, and no line of it is longer. A graph of a million
/// links takes some 12 MB; a value for each of 32,000 workers fits in one line.
inline constexpr std::size_t most_text_bytes = std::size_t{64} * 1024 * 1024;
inline constexpr std::size_t most_line_bytes = std::size_t{1024} * 1024;

/// The content of `file` without a byte order mark. It may be a pipe: it is read once, from its
/// beginning, and no further than it takes to see that it is too large.
/// Throws UsageError: "NAME: what was found; expected EXPECTED".
std::string read_text_file(const std::filesystem::path& file, const std::string& name,
                           std::string_view expected, std::size_t most_bytes = most_text_bytes);

/// `text` without the byte order mark of UTF-8 that some editors put at its beginning.
inline std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (text.starts_with(mark)) text.remove_prefix(mark.size());
  return text;
}

/// Calls handle(line_number, line) for every line of `text`, line numbers from 1, lines without
/// their "\n" or "\r\n"; stops early when handle returns false. Says how many lines there were.
template <typename Handle>
std::size_t for_each_line(std::string_view text, Handle&& handle) {
  std::size_t line_number = 0;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    std::string_view line = text.substr(0, newline);
    text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    ++line_number;
    if (!handle(line_number, line)) break;
  }
  return line_number;
}

/// The words of `line` between blanks, before a '#'.
std::vector<std::string_view> words_of(std::string_view line);

}  // namespace trainyard
