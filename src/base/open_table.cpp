#include "trainyard/base/open_table.hpp"

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"

namespace trainyard {

void check_own_name(std::string_view kind, std::string_view name) {
  const auto accepted = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  if (!name.empty() && name.front() != '-' && std::all_of(name.begin(), name.end(), accepted)) {
    return;
  }
  throw UsageError(
      fmt::format("{} {}: it cannot be typed; expected lower-case letters, digits and hyphens",
                  kind, echoed(name)));
}

void throw_published(std::string_view kind, std::string_view name) {
  throw UsageError(fmt::format("{} '{}': there is one of this name already", kind, name));
}

void throw_no_room(std::string_view kind, std::string_view name) {
  throw UsageError(fmt::format("{} '{}': {} of one's own were added; there is room for no more",
                               kind, name, most_own_rows));
}

}  // namespace trainyard
