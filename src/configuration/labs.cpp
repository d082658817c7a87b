#include "trainyard/configuration/labs.hpp"

#include <algorithm>
#include <charconv>

#include "trainyard/base/error.hpp"
#include "trainyard/base/named_table.hpp"

#include "configuration/lab_texts.hpp"

namespace trainyard {

namespace {

/// Each begins "# QUESTION docs/labs/README.md, lab 3."
Lab lab_of(const LabText& lab) {
  constexpr std::string_view place = " docs/labs/README.md, lab ";
  const std::string_view line = lab.text.substr(0, lab.text.find('\n'));
  const std::size_t end = line.find(place);
  require(line.starts_with("# ") && end != std::string_view::npos,
          "a lab begins with its question and its number");
  Lab made{.number = 0,
           .name = std::string(lab.name),
           .question = std::string(line.substr(2, end - 2)),
           .text = lab.text};
  const std::string_view number = line.substr(end + place.size());
  std::from_chars(number.data(), number.data() + number.size(), made.number);
  return made;
}

}  // namespace

const std::vector<Lab>& labs() {
  static const std::vector<Lab> all = [] {
    std::vector<Lab> made;
    for (const LabText& lab : lab_texts()) made.push_back(lab_of(lab));
    std::ranges::sort(made, {}, &Lab::number);
    return made;
  }();
  return all;
}

std::optional<std::string_view> lab_text(std::string_view configuration) {
  constexpr std::string_view prefix = "lab:";
  if (!configuration.starts_with(prefix)) return std::nullopt;
  return find_named(labs(), configuration.substr(prefix.size()), "lab").text;
}

}  // namespace trainyard
