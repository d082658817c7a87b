#include "data/parsed_block.hpp"

#include <cmath>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

/// Says what was expected in place of `token`. A number that is no class may well be meant as one.
std::string no_class_text(std::string_view token, bool is_number, std::string_view hint) {
  std::string text = fmt::format("found {}; expected a class label: a whole number from {} to {}",
                                 echoed(token), -largest_label, largest_label);
  if (!hint.empty()) text += fmt::format("; {}", hint);
  if (is_number) text += fmt::format("; {}", real_labels_hint);
  return text;
}

}  // namespace

FaultKind kind_of(NumberFault fault) {
  switch (fault) {
    case NumberFault::none:
    case NumberFault::not_a_number:
      return FaultKind::not_a_number;
    case NumberFault::not_finite:
      return FaultKind::not_finite;
    case NumberFault::too_large:
      return FaultKind::too_large;
  }
  throw InternalError("a number's fault without a kind");
}

bool parse_label(std::string_view token, TextPosition place, bool real, LabelHint hint,
                 ParsedBlock& block) {
  const ParsedFloat parsed = parse_float(token.data(), token.data() + token.size());
  const bool whole_token = parsed.end == token.data() + token.size() && !token.empty();
  const bool is_number = whole_token && parsed.fault == NumberFault::none;
  const float value = parsed.value;
  if (real && is_number) {
    block.targets.push_back(value);
    return true;
  }
  if (real) {
    block.faults.add(kind_of(parsed.fault), place, token,
                     [&] { return fault_text(parsed.fault, token); });
    return false;
  }
  if (!is_number || value != std::floor(value) ||
      std::abs(value) > static_cast<float>(largest_label)) {
    block.faults.add(FaultKind::label, place, token,
                     [&] { return no_class_text(token, is_number, hint(token)); });
    return false;
  }
  const auto label = static_cast<std::int32_t>(value);
  block.labels.push_back(label);
  block.census.add(label, place);
  return true;
}

bool parse_weight(std::string_view token, TextPosition place, std::string_view hint,
                  ParsedBlock& block) {
  const ParsedFloat parsed = parse_float(token.data(), token.data() + token.size());
  const bool whole_token = parsed.end == token.data() + token.size() && !token.empty();
  if (!whole_token || parsed.fault != NumberFault::none || parsed.value < 0.0F) {
    block.faults.add(FaultKind::weight, place, token, [&] {
      return fmt::format("found {}; expected the row's weight, a finite number from 0 on{}",
                         token.empty() ? "nothing" : echoed(token), hint);
    });
    return false;
  }
  const std::size_t rows = block.labels.size() + block.targets.size();
  block.weights.resize(rows - 1, 1.0F);
  block.weights.push_back(parsed.value);
  return true;
}

void add_no_label(bool real, ParsedBlock& block) {
  ++block.rows_without_label;
  if (real) {
    block.targets.push_back(0.0F);
  } else {
    block.labels.push_back(0);
  }
}

}  // namespace trainyard
