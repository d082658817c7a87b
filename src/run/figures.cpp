#include "trainyard/run/figures.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "trainyard/base/units.hpp"

#include "run/figure_table.hpp"
#include "run/noise_figure_table.hpp"

namespace trainyard {

namespace {

constexpr auto table = [] {
  std::array<Figure, std::size(figure_table::rows) + std::size(figure_table::noise_rows)> all{};
  std::ranges::copy(figure_table::noise_rows,
                    std::ranges::copy(figure_table::rows, all.begin()).out);
  return all;
}();

std::string_view follower(const Figure& figure, View view) {
  using enum View;
  switch (view) {
    case json:
      return figure.before.json;
    case statistics:
    case comparison_table:
      return figure.before.statistics;
    case run_table:
      return figure.before.run_table;
    default:
      return "";
  }
}

constexpr bool is_key_or_empty(std::string_view text) {
  return text.empty() ||
         std::ranges::any_of(table, [&](const Figure& figure) { return figure.key == text; });
}

constexpr bool stands_before_a_figure(const Figure& figure) {
  const auto& [json, statistics, run_table] = figure.before;
  return is_key_or_empty(json) && is_key_or_empty(statistics) && is_key_or_empty(run_table);
}

static_assert(std::ranges::all_of(table, stands_before_a_figure));

}  // namespace

std::span<const Figure> figures() {
  return table;
}

std::vector<const Figure*> figures_in(View view) {
  std::vector<const Figure*> order;
  order.reserve(table.size());
  for (const Figure& figure : table) order.push_back(&figure);
  // One after the other, so that a row may stand before one that has been moved itself.
  for (const Figure& figure : table) {
    const std::string_view next = follower(figure, view);
    if (next.empty()) continue;
    std::erase(order, &figure);
    order.insert(std::ranges::find(order, next, &Figure::key), &figure);
  }
  std::erase_if(order, [&](const Figure* figure) { return !holds(figure->shown, view); });
  return order;
}

std::string_view json_path(const Figure& figure) {
  return figure.path.empty() ? figure.key : figure.path;
}

std::optional<double> number_of(const FigureValue& value) {
  if (const auto* count = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*count);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  return std::nullopt;
}

std::string text_of(const Figure& figure, double value) {
  if (figure.text) return figure.text(value);
  if (figure.unit == "s") return human_duration(value);
  return figure.unit == "B" ? human_bytes(value) : human_count(value);
}

}  // namespace trainyard
