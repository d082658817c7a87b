// Numbers of things in sentences: "1 row", "3 rows".
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <concepts>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace trainyard {

/// `number` as it is printed, and the thing: "1 row", "0.5 epochs", "3 rows". `things`: of a word
/// that does not take an s, "classes".
inline std::string counted(std::string_view number, std::string_view thing,
                           std::string_view things = "") {
  if (number == "1") return fmt::format("{} {}", number, thing);
  return things.empty() ? fmt::format("{} {}s", number, thing)
                        : fmt::format("{} {}", number, things);
}
inline std::string counted(std::integral auto number, std::string_view thing,
                           std::string_view things = "") {
  return counted(fmt::to_string(number), thing, things);
}

}  // namespace trainyard
