#include "data/parsed_block.hpp"

#include <cmath>

#include <fmt/format.h>

#include "base/echoed.hpp"
#include "data/parse_number.hpp"

namespace trainyard {

bool parse_label(std::string_view token, TextPosition place, ParsedBlock& block) {
  const ParsedFloat parsed = parse_float(token.data(), token.data() + token.size());
  const bool whole_token = parsed.end == token.data() + token.size() && !token.empty();
  const float value = parsed.value;
  if (!whole_token || parsed.fault != NumberFault::none || value != std::floor(value) ||
      value < -1.0F || value > static_cast<float>(largest_label)) {
    block.fault = {place, fmt::format("found {}; expected a class label: -1 or +1, or a whole "
                                      "number from 0 to {}",
                                      echoed(token), largest_label)};
    return false;
  }
  const auto label = static_cast<std::int32_t>(value);
  block.labels.push_back(label);
  block.census.add(label, place);
  return true;
}

}  // namespace trainyard
