#include "aggregation/argument.hpp"

#include <string>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/units.hpp"

namespace trainyard {

ArgumentParts argument_parts(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return {text, {}, false};
  return {text.substr(0, colon), text.substr(colon + 1), true};
}

std::string_view next_part(std::string_view& text, char mark, bool& more) {
  const std::size_t end = text.find(mark);
  more = end != std::string_view::npos;
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(more ? end + 1 : text.size());
  return part;
}

int count_argument(std::string_view text, std::string_view letter, int low, int high) {
  return static_cast<int>(parse_integer(text, letter, low, high));
}

double length_argument(std::string_view text, std::string_view letter) {
  const double value = parse_number(text, letter);
  if (value > 0.0) return value;
  throw UsageError(fmt::format("{}: {} is not a number above 0", letter, echoed(text)));
}

}  // namespace trainyard
