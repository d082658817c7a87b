#include "data/label_census.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

using FirstPlaces = std::map<std::int32_t, TextPosition>;

[[noreturn]] void throw_at(const std::string& name, TextPosition place,
                           const std::string& message) {
  if (place.column == 0) {
    throw DataError(fmt::format("{}: row {}: {}", name, place.line, message));
  }
  throw DataError(fmt::format("{}:{}:{}: {}", name, place.line, place.column, message));
}

/// The coding that the labels themselves show.
LabelCoding coding_of(const FirstPlaces& first, int known_classes) {
  const std::int32_t lowest = first.begin()->first;
  const std::int32_t highest = first.rbegin()->first;
  const bool may_be_two = known_classes == 0 || known_classes == 2;
  if (lowest == -1 && may_be_two) return LabelCoding::plus_minus;
  if (lowest <= 0) return LabelCoding::from_zero;
  // All rows +1: of -1/+1 or 0/1, where it is class 1 both times.
  if (highest == 1) return LabelCoding::from_zero;
  // With a known number of classes k, a label k must occur to show that labels end there.
  if (known_classes != 0 && highest != known_classes) return LabelCoding::from_zero;
  return LabelCoding::from_one;
}

int classes_of(const FirstPlaces& first, LabelCoding coding, int known_classes) {
  if (coding == LabelCoding::plus_minus) return 2;
  if (known_classes != 0) return known_classes;
  const std::int32_t highest = first.rbegin()->first;
  return std::max(2, coding == LabelCoding::from_zero ? highest + 1 : highest);
}

/// "-1 or +1", "0 to 9".
std::string expected_text(LabelCoding coding, int classes) {
  if (coding == LabelCoding::plus_minus) return "-1 or +1";
  const int lowest = coding == LabelCoding::from_one ? 1 : 0;
  return fmt::format("{} to {}", lowest, lowest + classes - 1);
}

bool fits(std::int32_t label, LabelCoding coding, int classes) {
  if (coding == LabelCoding::plus_minus) return label == -1 || label == 1;
  const Label mapped = LabelCensus::class_of(label, coding);
  return mapped >= 0 && mapped < classes;
}

void check_all_fit(const std::string& name, const FirstPlaces& first, LabelCoding coding,
                   int classes) {
  const FirstPlaces::value_type* earliest = nullptr;
  for (const auto& entry : first) {
    if (fits(entry.first, coding, classes)) continue;
    if (earliest == nullptr || entry.second.line < earliest->second.line) earliest = &entry;
  }
  if (earliest == nullptr) return;
  throw_at(
      name, earliest->second,
      fmt::format("found label {}; expected {}", earliest->first, expected_text(coding, classes)));
}

/// A file of which nothing is known must show every class: labels 3, 17 and 1040 are more likely
/// counts or years than three of 1,041 classes.
void check_every_class_occurs(const std::string& name, const FirstPlaces& first,
                              LabelCoding coding) {
  if (first.size() == 1 && first.begin()->first <= 2) return;
  std::int32_t expected = coding == LabelCoding::from_one ? 1 : 0;
  for (const auto& [label, place] : first) {
    if (label != expected) {
      throw_at(name, place,
               fmt::format("found label {} but no row with label {}; expected -1 and +1, or all of "
                           "0 to k-1, or all of 1 to k{}{}",
                           label, expected, place.column == 0 ? "" : "; ",
                           place.column == 0 ? "" : real_labels_hint));
    }
    ++expected;
  }
}

}  // namespace

void LabelCensus::merge(const LabelCensus& later, std::size_t lines_before) {
  for (const auto& [label, place] : later.first_) {
    first_.try_emplace(label, TextPosition{place.line + lines_before, place.column});
  }
}

LabelCensus::Coding LabelCensus::decide(const std::string& name, const ReadOptions& options) const {
  require(!first_.empty(), "labels of no rows have no coding");
  const bool known = options.coding != LabelCoding::found;
  const LabelCoding coding = known ? options.coding : coding_of(first_, options.classes);
  const int classes = classes_of(first_, coding, options.classes);
  check_all_fit(name, first_, coding, classes);
  if (!known && options.classes == 0 && coding != LabelCoding::plus_minus) {
    check_every_class_occurs(name, first_, coding);
  }
  return {coding, classes};
}

Label LabelCensus::class_of(std::int32_t label, LabelCoding coding) {
  switch (coding) {
    case LabelCoding::plus_minus:
      return label == 1 ? 1 : 0;
    case LabelCoding::from_one:
      return label - 1;
    case LabelCoding::from_zero:
    case LabelCoding::found:
      return label;
  }
  throw InternalError("a label coding without a rule");
}

}  // namespace trainyard
