// Looking a row up in one of the visible tables.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "trainyard/base/error.hpp"

namespace trainyard {

/// The row whose `name` is `name`. Throws UsageError, "no KIND named …", with the nearest name and
/// all of them; `names` are those that would have done besides.
template <typename Row>
const Row& find_named(const std::vector<Row>& table, std::string_view name, std::string_view kind,
                      std::vector<std::string> names = {}) {
  for (const Row& row : table) {
    if (row.name == name) return row;
    names.push_back(row.name);
  }
  throw_unknown(kind, name, names);
}

}  // namespace trainyard
