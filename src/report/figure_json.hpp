// A figure's value as JSON.
//
// Threads: any; this is a function of its argument.
#pragma once

#include <type_traits>
#include <variant>

#include <nlohmann/json.hpp>

#include "trainyard/run/figures.hpp"

namespace trainyard {

/// null where the figure does not apply.
inline nlohmann::ordered_json figure_json(const FigureValue& figure) {
  return std::visit(
      []<typename T>(const T& value) -> nlohmann::ordered_json {
        if constexpr (std::is_same_v<T, std::monostate>) {
          return nullptr;
        } else {
          return value;
        }
      },
      figure);
}

}  // namespace trainyard
