#include "data/label_census.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
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

bool has_only_signs(const FirstPlaces& first) {
  return std::ranges::all_of(
      first, [](const auto& entry) { return entry.first == -1 || entry.first == 1; });
}

/// Whether every whole number from the lowest label to the highest is one.
bool without_gaps(const FirstPlaces& first) {
  const std::int64_t range = std::int64_t{first.rbegin()->first} - first.begin()->first;
  return range + 1 == static_cast<std::int64_t>(first.size());
}

/// The coding that the labels themselves show, with nothing known of them.
LabelCoding coding_of(const FirstPlaces& first) {
  const std::int32_t lowest = first.begin()->first;
  // All rows +1: of -1/+1 or 0/1, where it is class 1 both times.
  if (first.size() == 1 && lowest == 1) return LabelCoding::from_zero;
  if (has_only_signs(first)) return LabelCoding::plus_minus;
  if (first.size() == 1 && lowest == 2) return LabelCoding::from_one;
  if (lowest == 0 && without_gaps(first)) return LabelCoding::from_zero;
  if (lowest == 1 && without_gaps(first)) return LabelCoding::from_one;
  return LabelCoding::listed;
}

/// The same with a known number of classes, which need not all occur.
LabelCoding coding_of(const FirstPlaces& first, int known_classes) {
  const std::int32_t lowest = first.begin()->first;
  if (lowest == -1 && known_classes == 2) return LabelCoding::plus_minus;
  // A label k must occur to show that labels end there.
  const bool ends_at_k = lowest > 0 && first.rbegin()->first == known_classes;
  return ends_at_k ? LabelCoding::from_one : LabelCoding::from_zero;
}

int classes_of(const FirstPlaces& first, LabelCoding coding, int known_classes) {
  if (coding == LabelCoding::plus_minus) return 2;
  if (known_classes != 0) return known_classes;
  if (coding == LabelCoding::listed) return std::max(2, static_cast<int>(first.size()));
  const std::int32_t highest = first.rbegin()->first;
  return std::max(2, coding == LabelCoding::from_zero ? highest + 1 : highest);
}

/// "-1 or +1", "0 to 9", "2, 4".
std::string expected_text(const LabelCensus::Coding& coding) {
  if (coding.coding == LabelCoding::plus_minus) return "-1 or +1";
  if (coding.coding == LabelCoding::listed)
    return fmt::format("{}", fmt::join(coding.values, ", "));
  const int lowest = coding.coding == LabelCoding::from_one ? 1 : 0;
  return fmt::format("{} to {}", lowest, lowest + coding.classes - 1);
}

bool fits(std::int32_t label, const LabelCensus::Coding& coding) {
  if (coding.coding == LabelCoding::plus_minus) return label == -1 || label == 1;
  if (coding.coding == LabelCoding::listed) {
    return std::ranges::binary_search(coding.values, label);
  }
  const Label mapped = coding.class_of(label);
  return mapped >= 0 && mapped < coding.classes;
}

void check_all_fit(const std::string& name, const FirstPlaces& first,
                   const LabelCensus::Coding& coding) {
  const FirstPlaces::value_type* earliest = nullptr;
  for (const auto& entry : first) {
    if (fits(entry.first, coding)) continue;
    if (earliest == nullptr || entry.second.line < earliest->second.line) earliest = &entry;
  }
  if (earliest == nullptr) return;
  throw_at(name, earliest->second,
           shortened(
               fmt::format("found label {}; expected {}", earliest->first, expected_text(coding))));
}

/// Some thousand different labels that do not count from 0 or 1 are counts, measures or numbers of
/// rows.
std::vector<std::int32_t> listed_values(const std::string& name, const FirstPlaces& first,
                                        Format format) {
  if (first.size() > most_listed_classes) {
    const bool has_columns = format == Format::csv || format == Format::tsv;
    const auto earliest =
        std::ranges::min_element(first, {}, [](const auto& entry) { return entry.second.line; });
    throw_at(
        name, earliest->second,
        fmt::format("found label {}, one of {} different ones; expected at most {}, or all of "
                    "0 to k-1, or all of 1 to k{}; {}",
                    earliest->first, first.size(), most_listed_classes,
                    has_columns ? "; --label-column says where labels are" : "", real_labels_hint));
  }
  std::vector<std::int32_t> values;
  for (const auto& entry : first) values.push_back(entry.first);
  return values;
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
  Coding coding;
  coding.coding = known                  ? options.coding
                  : options.classes == 0 ? coding_of(first_)
                                         : coding_of(first_, options.classes);
  if (coding.coding == LabelCoding::listed) {
    coding.values = known ? options.class_values : listed_values(name, first_, options.format);
  }
  coding.classes = classes_of(first_, coding.coding, options.classes);
  check_all_fit(name, first_, coding);
  return coding;
}

Label LabelCensus::Coding::class_of(std::int32_t label) const {
  switch (coding) {
    case LabelCoding::plus_minus:
      return label == 1 ? 1 : 0;
    case LabelCoding::from_one:
      return label - 1;
    case LabelCoding::from_zero:
    case LabelCoding::found:
      return label;
    case LabelCoding::listed:
      return static_cast<Label>(std::ranges::lower_bound(values, label) - values.begin());
  }
  throw InternalError("a label coding without a rule");
}

}  // namespace trainyard
