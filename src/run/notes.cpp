#include "trainyard/run/notes.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace trainyard {

namespace {

constexpr std::array<std::string_view, 2> beginnings{"warning: ", "note: "};

/// 0 if the text is not a note.
std::size_t length_of_beginning(std::string_view said) {
  for (const std::string_view beginning : beginnings) {
    if (said.starts_with(beginning)) return beginning.size();
  }
  return 0;
}

}  // namespace

bool is_note(std::string_view said) {
  return length_of_beginning(said) > 0;
}

Remark noting(std::vector<Note>& kept, Remark listener) {
  return [&kept, listener = std::move(listener)](const std::string& said) {
    if (is_note(said)) kept.push_back({.about = "", .text = said});
    if (listener) listener(said);
  };
}

std::string with_name(std::string_view text, std::string_view name) {
  const std::size_t length = length_of_beginning(text);
  return fmt::format("{}{}: {}", text.substr(0, length), name, text.substr(length));
}

}  // namespace trainyard
