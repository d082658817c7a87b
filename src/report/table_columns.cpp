#include "trainyard/report/table_columns.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/run/figures.hpp"

namespace trainyard {

std::vector<std::string> parse_table_columns(std::string_view text) {
  std::vector<std::string> known;
  for (const Figure* figure : figures_in(View::statistics)) known.emplace_back(figure->key);
  std::vector<std::string> keys;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string key(text.substr(begin, end - begin));
    begin = end + 1;
    if (std::ranges::find(keys, key) != keys.end()) {
      throw OptionError("table-columns", key, "it is there twice");
    }
    if (std::ranges::find(known, key) == known.end()) {
      throw OptionError("table-columns", key,
                        fmt::format("it is no number of a run; known: {}", fmt::join(known, ", ")));
    }
    keys.push_back(key);
  }
  return keys;
}

}  // namespace trainyard
