// Archives on their way from one process to another.
#include <algorithm>
#include <array>
#include <utility>

#include "trainyard/base/error.hpp"
#include "trainyard/data/archive.hpp"

namespace trainyard {

namespace {

/// Ahead of each array: how long its name and its content are, and the width and kind of its
/// numbers.
using Form = std::array<std::uint64_t, 4>;
constexpr std::size_t length_of_form = sizeof(Form);

void append(std::vector<std::byte>& bytes, std::span<const std::byte> more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

/// The first of the bytes, which are then those behind.
std::span<const std::byte> take_off(std::span<const std::byte>& bytes, std::size_t length) {
  require(bytes.size() >= length, "a packed archive is whole");
  const auto part = bytes.first(length);
  bytes = bytes.subspan(length);
  return part;
}

}  // namespace

std::vector<std::byte> Archive::packed(
    const std::function<bool(std::string_view)>& is_wanted) const {
  std::vector<std::byte> bytes;
  std::size_t length = 0;
  for (const auto& [name, entry] : entries_) {
    if (is_wanted(name)) length += length_of_form + name.size() + entry.content().size();
  }
  bytes.reserve(length);
  for (const auto& [name, entry] : entries_) {
    if (!is_wanted(name)) continue;
    const Form form{name.size(), entry.content().size(), entry.width,
                    static_cast<std::uint64_t>(entry.kind)};
    append(bytes, std::as_bytes(std::span(form)));
    append(bytes, std::as_bytes(std::span(name)));
    append(bytes, entry.content());
  }
  return bytes;
}

Archive Archive::unpacked(std::span<const std::byte> bytes) {
  Archive archive;
  archive.take_over(bytes);
  return archive.read_back();
}

void Archive::take_over(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    Form form{};
    std::ranges::copy(take_off(bytes, length_of_form),
                      std::as_writable_bytes(std::span(form)).begin());
    const auto [of_name, of_content, width, kind] = form;
    const auto name = take_off(bytes, of_name);
    Entry entry;
    entry.kind = static_cast<char>(kind);
    entry.width = width;
    entry.borrowed = take_off(bytes, of_content);
    entries_.insert_or_assign(std::string(reinterpret_cast<const char*>(name.data()), name.size()),
                              std::move(entry));
  }
}

void Archive::drop(const std::function<bool(std::string_view)>& is_unwanted) {
  std::erase_if(entries_, [&](const auto& one) { return is_unwanted(one.first); });
}

}  // namespace trainyard
