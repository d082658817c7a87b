#include "trainyard/base/error.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"

namespace trainyard {

namespace {

constexpr std::size_t longest_word = 80;

/// Levenshtein distance, two rows at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> above(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(above.begin(), above.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, replaced});
    }
    std::swap(above, row);
  }
  return above[b.size()];
}

// More names are no help: the nearest ones are said.
constexpr std::size_t most_listed = 30;
constexpr std::size_t nearest_listed = 5;

/// The nearest first; of those as near, as they come.
std::vector<std::string> nearest_names(std::string_view word, std::span<const std::string> known) {
  const std::string_view compared = word.substr(0, longest_word);
  std::vector<std::pair<std::size_t, std::string>> ranked;
  for (const std::string& name : known) ranked.emplace_back(edit_distance(compared, name), name);
  std::ranges::stable_sort(ranked, {}, &std::pair<std::size_t, std::string>::first);
  std::vector<std::string> names;
  for (const auto& [distance, name] : ranked) {
    if (names.size() < nearest_listed) names.push_back(name);
  }
  return names;
}

}  // namespace

OptionError::OptionError(std::string_view option, std::string_view explanation)
    : UsageError(fmt::format("--{}: {}", option, explanation)),
      option_(option),
      explanation_(explanation) {}

OptionError::OptionError(std::string_view option, std::string_view found,
                         std::string_view explanation)
    : UsageError(fmt::format("--{} {}: {}", option, found, explanation)),
      option_(option),
      found_(found),
      explanation_(explanation) {}

std::string nearest_name(std::string_view word, std::span<const std::string> known) {
  std::string best;
  if (word.size() > longest_word) return best;  // the distance takes |word|·|name| steps
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string& name : known) {
    const std::size_t longer = std::max(word.size(), name.size());
    const std::size_t least = longer - std::min(word.size(), name.size());
    if (least >= best_distance) continue;
    const std::size_t distance = edit_distance(word, name);
    if (distance < best_distance) {
      best_distance = distance;
      best = name;
    }
  }
  return best;
}

std::string joined(std::span<const std::string> names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

std::size_t chosen(std::string_view text, std::string_view what,
                   std::span<const std::string> names) {
  const auto found = std::ranges::find(names, text);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const std::string nearest = nearest_name(text, names);
  const std::string guess = nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
  throw UsageError(
      fmt::format("{}: {} is not one of {}{}", what, echoed(text), joined(names), guess));
}

void throw_unknown(std::string_view kind, std::string_view word,
                   std::span<const std::string> known) {
  const std::string nearest = nearest_name(word, known);
  const std::string guess = nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest);
  if (known.size() > most_listed) {
    throw UsageError(fmt::format("no {} named {}{} (of {}, the nearest are {})", kind, echoed(word),
                                 guess, known.size(), joined(nearest_names(word, known))));
  }
  throw UsageError(
      fmt::format("no {} named {}{} (known: {})", kind, echoed(word), guess, joined(known)));
}

}  // namespace trainyard
