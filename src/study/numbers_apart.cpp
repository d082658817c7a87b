#include "study/numbers_apart.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace trainyard {

namespace {

struct Unit {
  std::string_view name;
  double size;
};

/// As human_duration(), human_bytes() and human_count() write them, and their like.
constexpr std::array<Unit, 18> units{{{"ps", 1e-12},
                                      {"ns", 1e-9},
                                      {"µs", 1e-6},
                                      {"ms", 1e-3},
                                      {"s", 1.0},
                                      {"min", 60.0},
                                      {"h", 3600.0},
                                      {"days", 86400.0},
                                      {"years", 365.25 * 86400.0},
                                      {"B", 1.0},
                                      {"kB", 1e3},
                                      {"MB", 1e6},
                                      {"GB", 1e9},
                                      {"TB", 1e12},
                                      {"k", 1e3},
                                      {"M", 1e6},
                                      {"G", 1e9},
                                      {"%", 1.0}}};

/// Behind them a number is a name.
constexpr std::array<std::string_view, 26> naming{
    "worker", "workers", "server",  "servers", "rank",  "ranks",  "column",   "columns",   "line",
    "lines",  "row",     "rows",    "seed",    "seeds", "stage",  "stages",   "layer",     "layers",
    "class",  "classes", "feature", "node",    "group", "groups", "pipeline", "pipelines",
};

/// What stands between two blanks: "(about", "17", "crashes:".
struct Part {
  std::string_view before, core, after;  // "(" "about" ""
  std::optional<double> number{};        // that counts or measures, in the unit without a prefix
  std::string_view unit{};               // of it, which was the part behind it
};

std::optional<double> whole_number(std::string_view text) {
  const std::string own(text);
  if (own.empty() || own.find_first_not_of("0123456789.+-e") != std::string::npos) return {};
  char* end = nullptr;
  const double value = std::strtod(own.c_str(), &end);
  return *end == '\0' ? std::optional(value) : std::nullopt;
}

Part part_of(std::string_view word) {
  Part part;
  for (const std::string_view mark : {"(", "±", "~", "≈", "×"}) {
    if (!part.before.empty() || !word.starts_with(mark)) continue;
    part.before = mark;
    word.remove_prefix(mark.size());
  }
  const std::size_t end = word.find_last_not_of(",:;.)");
  part.core = word.substr(0, end == std::string_view::npos ? 0 : end + 1);
  part.after = word.substr(part.core.size());
  return part;
}

std::vector<std::string_view> words_of(std::string_view sentence) {
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; begin <= sentence.size();) {
    const std::size_t end = std::min(sentence.find(' ', begin), sentence.size());
    words.push_back(sentence.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

/// Whether a number behind it is a name. That of "8 workers" is none of the next number.
bool begins_naming(const Part& part, const Part* before) {
  if (!part.after.empty() || (before != nullptr && before->number)) return false;
  return part.core.starts_with("--") || std::ranges::find(naming, part.core) != naming.end();
}

/// A number of "workers 1, 3 and 5" is a name as the first of them is.
bool goes_on_naming(const Part& part) {
  return part.core == "and" || part.core == "or" || part.core == "to" ||
         whole_number(part.core).has_value();
}

std::vector<Part> parts_of(std::string_view sentence) {
  std::vector<Part> parts;
  bool names = false;
  for (const std::string_view word : words_of(sentence)) {
    Part part = part_of(word);
    if (!parts.empty() && parts.back().number && parts.back().unit.empty() &&
        parts.back().after.empty() && part.before.empty()) {
      const auto unit = std::ranges::find(units, part.core, &Unit::name);
      if (unit != units.end()) {
        parts.back().number = *parts.back().number * unit->size;
        parts.back().unit = unit->name;
        parts.back().after = part.after;
        continue;
      }
    }
    if (!names) part.number = whole_number(part.core);
    names = begins_naming(part, parts.empty() ? nullptr : &parts.back()) ||
            (names && goes_on_naming(part));
    parts.push_back(part);
  }
  return parts;
}

/// Of "crash" and "crashes", "was" and "were" one.
std::string singular(std::string_view word) {
  if (word == "were") return "was";
  if (word == "are") return "is";
  for (const std::string_view stem : {"sh", "ch", "ss", "x"}) {
    if (word.ends_with(fmt::format("{}es", stem)))
      return std::string(word.substr(0, word.size() - 2));
  }
  const bool is_plural = word.size() > 3 && word.ends_with('s') && !word.ends_with("ss");
  return std::string(is_plural ? word.substr(0, word.size() - 1) : word);
}

/// "367.6 to 922 ms", "955.9 ms to 2.035 s"; a number alone where both are the same.
std::string range(const Part& least, const Part& most) {
  const auto with_unit = [](const Part& part) {
    return part.unit.empty() ? std::string(part.core) : fmt::format("{} {}", part.core, part.unit);
  };
  if (least.number == most.number) return with_unit(most);
  return fmt::format("{} to {}",
                     least.unit == most.unit ? std::string(least.core) : with_unit(least),
                     with_unit(most));
}

using Sentences = std::vector<std::vector<Part>>;

std::pair<Part, Part> ends_at(const Sentences& all, std::size_t place) {
  const auto at = [&](const std::vector<Part>& parts) { return *parts[place].number; };
  const auto [least, most] = std::ranges::minmax_element(all, {}, at);
  return {(*least)[place], (*most)[place]};
}

/// Of a word that has a plural the one of several things.
std::string_view longest_at(const Sentences& all, std::size_t place) {
  const auto length = [&](const std::vector<Part>& parts) { return parts[place].core.size(); };
  return (*std::ranges::max_element(all, {}, length))[place].core;
}

}  // namespace

std::string kind_of_sentence(std::string_view sentence) {
  std::string kind;
  bool is_counted = false;  // the part before is a number
  for (const Part& part : parts_of(sentence)) {
    // The unit is left out: 900 ms and 2 s are the same kind. A count is none of a time.
    const bool has_unit = !part.unit.empty();
    const std::string core = part.number  ? (has_unit ? "# unit" : "#")
                             : is_counted ? singular(part.core)
                                          : std::string(part.core);
    kind += fmt::format("{}{}{} ", part.before, core, part.after);
    const bool is_verb =
        part.core == "was" || part.core == "were" || part.core == "is" || part.core == "are";
    is_counted = part.number.has_value() || (is_counted && !is_verb);
  }
  return kind;
}

std::string with_ranges(std::span<const std::string> sentences) {
  Sentences all;
  for (const std::string& sentence : sentences) all.push_back(parts_of(sentence));
  const std::vector<Part>& first = all.front();
  const auto is_number = [&](std::size_t place) {
    return place < first.size() && first[place].number.has_value();
  };
  std::string text;
  for (std::size_t place = 0; place < first.size(); ++place) {
    const Part& part = first[place];
    std::string core(longest_at(all, place));
    std::string_view after = part.after;
    if (is_number(place)) {
      auto [least, most] = ends_at(all, place);
      const bool is_range = part.after.empty() && place + 2 < first.size() &&
                            first[place + 1].core == "to" && is_number(place + 2) &&
                            first[place + 2].before.empty();
      if (is_range) {
        place += 2;
        most = ends_at(all, place).second;
        after = first[place].after;
      }
      core = range(least, most);
    }
    text += fmt::format("{}{}{}{}", text.empty() ? "" : " ", part.before, core, after);
  }
  return text;
}

}  // namespace trainyard
