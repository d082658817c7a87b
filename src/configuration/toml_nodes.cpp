#include "configuration/toml_nodes.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

/// Counts the dots outside of strings and comments in each statement: a header, or a key and its
/// value over as many lines as its brackets span. toml::parse makes a table of every part of a
/// dotted key and reads and destroys them by recursion, so that a key of 60000 parts overflows the
/// stack. Brackets, the other way to nest, it bounds at 256 itself.
class DotCounter {
 public:
  explicit DotCounter(std::string_view text) : rest_(text) {}

  /// The line where a statement has more than most_dots; empty: none has.
  std::optional<std::size_t> line_of_too_many() {
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (c == '"' || c == '\'') {
        skip_string();
        continue;
      }
      if (c == '#') {
        skip(std::min(rest_.find('\n'), rest_.size()));
        continue;
      }
      if (c == '[' || c == '{') ++depth_;
      if ((c == ']' || c == '}') && depth_ > 0) --depth_;
      if (c == '\n' && depth_ == 0) dots_ = 0;
      if (c == '.' && ++dots_ > most_dots) return line_;
      skip(1);
    }
    return {};
  }

  static constexpr int most_dots = 64;

 private:
  void skip(std::size_t bytes) {
    line_ += static_cast<std::size_t>(std::ranges::count(rest_.substr(0, bytes), '\n'));
    rest_.remove_prefix(std::min(bytes, rest_.size()));
  }

  /// One that does not end, ends with its line or, in three quotes, with the text: toml::parse
  /// refuses it.
  void skip_string() {
    const char quote = rest_.front();
    const std::string three(3, quote);
    const bool has_three = rest_.starts_with(three);
    skip(has_three ? 3 : 1);
    while (!rest_.empty()) {
      if (quote == '"' && rest_.front() == '\\') {
        skip(2);
      } else if (has_three && rest_.starts_with(three)) {
        skip(3);
        // Up to two quotes before the closing three are of the string.
        for (int more = 0; more < 2 && rest_.starts_with(quote); ++more) skip(1);
        return;
      } else if (!has_three && (rest_.front() == quote || rest_.front() == '\n')) {
        skip(1);
        return;
      } else {
        skip(1);
      }
    }
  }

  std::string_view rest_;
  std::size_t line_ = 1;
  int depth_ = 0, dots_ = 0;
};

/// The bytes of a text in which %NN stands for one; empty: it is no such text.
std::optional<std::string> bytes_spelt(std::string_view text) {
  std::string bytes;
  while (!text.empty()) {
    if (text.front() != '%') {
      bytes += text.front();
      text.remove_prefix(1);
      continue;
    }
    unsigned value = 0;
    const std::string_view digits = text.substr(1, 2);
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, value, 16);
    if (digits.size() < 2 || error != std::errc() || stop != end) return std::nullopt;
    bytes += static_cast<char>(value);
    text.remove_prefix(3);
  }
  return bytes;
}

/// The path in { bytes = "data/%FF.csv" }; empty: it is something else.
std::optional<std::string> bytes_of(const toml::node& node) {
  const toml::table* table = node.as_table();
  if (table == nullptr || table->size() != 1) return std::nullopt;
  const toml::node* bytes = table->get("bytes");
  if (bytes == nullptr || !bytes->is_string()) return std::nullopt;
  return bytes_spelt(bytes->as_string()->get());
}

}  // namespace

toml::table parsed_toml(std::string_view text, const std::string& file) {
  if (const auto line = DotCounter(text).line_of_too_many()) {
    throw UsageError(fmt::format(
        "{}:{}: found more than {} dots outside of quotes; expected [SECTION] or KEY = VALUE", file,
        *line, DotCounter::most_dots));
  }
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    throw UsageError(
        fmt::format("{}:{}: {}", file, error.source().begin.line, error.description()));
  }
}

std::string place(const std::string& file, const toml::node& node) {
  return fmt::format("{}:{}", file, node.source().begin.line);
}

std::string value_text(const toml::node& node, const std::string& where) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto bytes = bytes_of(node)) return *bytes;
  if (const auto* number = node.as_integer()) return fmt::to_string(number->get());
  if (const auto* number = node.as_floating_point()) return fmt::to_string(number->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  throw UsageError(
      where +
      ": found a list, table or date; expected text in quotes, a number, true or false, or "
      "{ bytes = \"a%FF.csv\" } for a file's name that is not UTF-8");
}

void refuse_name(const std::string& where, std::string_view kind, std::string_view word,
                 const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(word, known);
  const std::string guess = nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
  throw UsageError(fmt::format("{}: no {} named {}{} (known: {})", where, kind, echoed(word), guess,
                               joined(known)));
}

}  // namespace trainyard
