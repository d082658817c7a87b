#include "report/paper_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "trainyard/study/paired_ratio.hpp"
#include "trainyard/study/student.hpp"

namespace trainyard {

namespace {

enum class Better { lower, higher };

struct Direction {
  std::string_view key;
  Better better;
};

/// Of the figures of which more or less is better, whoever asks. Others are never in bold: of
/// staleness, or of the parts of a run's time, less may be worse.
constexpr std::array directions{
    Direction{"train_loss", Better::lower},
    Direction{"test_loss", Better::lower},
    Direction{"validation_loss", Better::lower},
    Direction{"test_accuracy", Better::higher},
    Direction{"validation_accuracy", Better::higher},
    Direction{"train_r_squared", Better::higher},
    Direction{"test_r_squared", Better::higher},
    Direction{"seconds_to_target", Better::lower},
    Direction{"epochs_to_target", Better::lower},
    Direction{"speed_up", Better::higher},
    Direction{"seconds", Better::lower},
    Direction{"bytes_sent", Better::lower},
    Direction{"messages", Better::lower},
    Direction{"suboptimality", Better::lower},
    Direction{"optimum_distance", Better::lower},
    Direction{"samples_per_second", Better::higher},
    Direction{"energy_j", Better::lower},
};

std::optional<Better> better_of(const Figure& figure) {
  const auto* const found = std::ranges::find(directions, figure.key, &Direction::key);
  if (found == directions.end()) return std::nullopt;
  return found->better;
}

/// What a column's numbers are divided by.
struct Scale {
  std::string_view unit;
  double size;
};

std::span<const Scale> scales_of(const Figure& figure) {
  static constexpr std::array seconds{Scale{"s", 1.0}, Scale{"ms", 1e-3}, Scale{"µs", 1e-6},
                                      Scale{"ns", 1e-9}};
  static constexpr std::array bytes{Scale{"GB", 1e9}, Scale{"MB", 1e6}, Scale{"kB", 1e3},
                                    Scale{"B", 1.0}};
  static constexpr std::array rates{Scale{"M", 1e6}, Scale{"k", 1e3}, Scale{"", 1.0}};
  if (figure.column.text != nullptr) return {};  // a share, as of the parts of a run's time
  if (figure.unit == "s") return seconds;
  if (figure.unit == "B") return bytes;
  if (figure.unit == "1/s") return rates;
  return {};
}

/// A column's values, a contestant each; nothing where it has no mean of all its seeds.
using Means = std::vector<std::optional<SampleStatistics>>;

Means means_of(const std::vector<SeedStatistics>& all, const Figure& figure) {
  Means means;
  for (const SeedStatistics& one : all) {
    std::optional<SampleStatistics> values = values_of(one, figure);
    const bool lacks =
        !values || (figure.column.lacking != nullptr && values->count < one.summaries.size());
    means.push_back(lacks ? std::nullopt : values);
  }
  return means;
}

/// The largest unit in which half of the numbers are 1 or more.
std::optional<Scale> scale_of(const Figure& figure, const Means& means) {
  const std::span<const Scale> scales = scales_of(figure);
  if (scales.empty()) return std::nullopt;
  std::vector<double> sizes;
  for (const auto& values : means) {
    if (values && values->mean != 0.0) sizes.push_back(std::abs(values->mean));
  }
  if (sizes.empty()) return scales.back();
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>((sizes.size() - 1) / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  const auto found =
      std::ranges::find_if(scales, [&](const Scale& scale) { return *middle >= scale.size; });
  return found == scales.end() ? scales.back() : *found;
}

/// So many decimals that `size` has so many digits that count.
int decimals_for(double size, int digits) {
  if (size == 0.0 || !std::isfinite(size)) return 0;
  return std::max(0, digits - 1 - static_cast<int>(std::floor(std::log10(size))));
}

std::optional<double> half_width_of(const SampleStatistics& values) {
  if (!values.deviation || *values.deviation == 0.0) return std::nullopt;
  return student_half_width(*values.deviation, values.count);
}

/// In one unit the interval has two digits, and the mean as many decimals.
std::string scaled_text(const SampleStatistics& values, const Scale& scale) {
  const double mean = values.mean / scale.size;
  const std::optional<double> half = half_width_of(values);
  if (!half) return fmt::format("{:.{}f}", mean, decimals_for(std::abs(mean), 4));
  const double width = *half / scale.size;
  const int decimals = decimals_for(width, 2);
  return with_deviation(fmt::format("{:.{}f}", mean, decimals),
                        fmt::format("{:.{}f}", width, decimals));
}

/// Without a unit or a sign behind it.
bool is_number(const std::string& text) {
  char* end = nullptr;
  (void)std::strtod(text.c_str(), &end);
  return end == text.c_str() + text.size();
}

std::string number_text(const Figure& figure, const SampleStatistics& values,
                        const std::optional<Scale>& scale) {
  if (scale) return scaled_text(values, *scale);
  const std::string mean = column_text(figure, values.mean);
  const std::optional<double> half = half_width_of(values);
  // More decimals than these are the rounding of sums in another order.
  constexpr int most_decimals = 8;
  const bool is_small = std::isfinite(values.mean) && std::abs(values.mean) < 1e9;
  if (half && std::isfinite(*half) && is_small && is_number(mean) &&
      decimals_for(*half, 2) <= most_decimals)
    return scaled_text(values, {"", 1.0});
  const std::string width = half ? column_text(figure, *half) : "";
  return width.empty() || width == column_text(figure, 0.0) ? mean : with_deviation(mean, width);
}

/// By the seeds that both have.
bool seeds_tell_apart(const SeedStatistics& a, const SeedStatistics& b, const Figure& figure) {
  const auto number = [&](const Summary& summary) {
    return figure.column.of ? figure.column.of(summary) : number_of(figure.of(summary));
  };
  std::vector<double> of_a, of_b;
  for (std::size_t i = 0; i < a.seeds.size(); ++i) {
    const auto same = std::ranges::find(b.seeds, a.seeds[i]);
    if (same == b.seeds.end()) continue;
    const auto x = number(*a.summaries[i]);
    const auto y = number(*b.summaries[static_cast<std::size_t>(same - b.seeds.begin())]);
    if (!x || !y) continue;
    of_a.push_back(*x);
    of_b.push_back(*y);
  }
  return told_apart(of_a, of_b);
}

bool at_one_point(const SeedStatistics& a, const SeedStatistics& b) {
  return a.varied == b.varied;
}

bool is_ranked(const SeedStatistics& one, const std::optional<SampleStatistics>& values) {
  return values && std::isfinite(values->mean) && one.diverged == 0 &&
         !one.summaries.front()->within;
}

/// Marks the best of the contestants at the same point as `first`, and what is not told from it.
void mark_best(const std::vector<SeedStatistics>& all, std::size_t first, const Figure& figure,
               const Means& means, std::vector<DocumentCell>& cells) {
  std::vector<std::size_t> ranked;
  for (std::size_t i = first; i < all.size(); ++i) {
    if (at_one_point(all[first], all[i]) && is_ranked(all[i], means[i])) ranked.push_back(i);
  }
  if (ranked.size() < 2) return;
  const bool low = better_of(figure) == Better::lower;
  const std::size_t best = *std::ranges::min_element(
      ranked, {}, [&](std::size_t i) { return low ? means[i]->mean : -means[i]->mean; });
  std::vector<std::size_t> in_bold;
  for (const std::size_t i : ranked) {
    const bool several = means[i]->count > 1 && means[best]->count > 1;
    const bool alike =
        several ? !seeds_tell_apart(all[best], all[i], figure) : cells[i].text == cells[best].text;
    if (i == best || alike) in_bold.push_back(i);
  }
  if (in_bold.size() == ranked.size()) return;
  for (const std::size_t i : in_bold) cells[i].bold = true;
}

void mark_differences(const std::vector<SeedStatistics>& all, const std::string& baseline,
                      const Figure& figure, const Means& means, std::vector<DocumentCell>& cells) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto base = std::ranges::find_if(all, [&](const SeedStatistics& other) {
      return other.label == baseline && at_one_point(other, all[i]);
    });
    if (base == all.end() || &*base == &all[i] || !means[i]) continue;
    cells[i].marked = seeds_tell_apart(*base, all[i], figure);
  }
}

std::vector<DocumentCell> column_cells(const std::vector<SeedStatistics>& all, const Figure& figure,
                                       const Means& means, const std::optional<Scale>& scale,
                                       const std::string& baseline) {
  std::vector<DocumentCell> cells;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::optional<SampleStatistics> values = values_of(all[i], figure);
    const std::size_t count = values ? values->count : 0;
    if (means[i]) {
      cells.push_back({number_text(figure, *means[i], scale)});
    } else if (figure.column.lacking != nullptr) {
      cells.push_back({lacking_text(all[i], figure, count)});
    } else {
      cells.push_back({"-"});
    }
  }
  if (better_of(figure)) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool is_first =
          std::none_of(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(i),
                       [&](const SeedStatistics& before) { return at_one_point(before, all[i]); });
      if (is_first) mark_best(all, i, figure, means, cells);
    }
  }
  if (!baseline.empty()) mark_differences(all, baseline, figure, means, cells);
  return cells;
}

/// What says which row it is.
std::vector<DocumentRow> named_rows(const std::vector<SeedStatistics>& all,
                                    const std::vector<std::string>& step_sizes,
                                    bool several_seeds) {
  std::vector<DocumentRow> rows{{{"scheme"}}};
  for (const OptionText& varied : all.front().varied) rows.front().push_back({varied.option});
  for (const std::string& name : step_sizes) {
    rows.front().push_back({name == "lr" ? "step size" : name});
  }
  if (several_seeds) rows.front().push_back({"seeds"});
  for (const SeedStatistics& one : all) {
    DocumentRow& row = rows.emplace_back();
    row.push_back({contestant_text(one)});
    for (const OptionText& varied : one.varied) row.push_back({varied.text});
    for (const std::string& name : step_sizes) {
      row.push_back({step_size_text(*one.summaries.front(), name)});
    }
    if (several_seeds) row.push_back({fmt::to_string(one.summaries.size())});
  }
  return rows;
}

std::vector<Note> what_marks_mean(const std::vector<DocumentRow>& rows, bool several_seeds,
                                  bool several_points, const std::string& baseline) {
  const auto any = [&](bool DocumentCell::*mark) {
    return std::ranges::any_of(rows, [&](const DocumentRow& row) {
      return std::ranges::any_of(row, [&](const DocumentCell& cell) { return cell.*mark; });
    });
  };
  std::vector<Note> notes;
  if (several_seeds) {
    notes.push_back({"",
                     "±: half of a 95 % interval of the mean over the seeds (Student); none "
                     "where it rounds to 0"});
  }
  if (any(&DocumentCell::bold)) {
    notes.push_back({"", fmt::format("bold: the best of a column{}, {}",
                                     several_points ? " at each value of what varies" : "",
                                     several_seeds ? "and what the same seeds do not tell from it "
                                                     "(95 %, paired)"
                                                   : "with one seed")});
  }
  if (any(&DocumentCell::marked)) {
    notes.push_back({"", fmt::format("*: the same seeds tell it from {} (95 %, paired; each by "
                                     "itself, so one in twenty by chance)",
                                     baseline)});
  }
  return notes;
}

}  // namespace

PaperTable paper_table(const std::vector<SeedStatistics>& all, const Columns& columns,
                       const std::vector<std::string>& step_sizes, bool several_seeds,
                       const std::string& baseline) {
  PaperTable table{named_rows(all, step_sizes, several_seeds), {}};
  for (const Figure* const figure : columns) {
    const Means means = means_of(all, *figure);
    const std::optional<Scale> scale = scale_of(*figure, means);
    const std::string heading(column_heading(*figure));
    const bool has_unit = scale && !scale->unit.empty();
    table.rows.front().push_back(
        {has_unit ? fmt::format("{} [{}]", heading, scale->unit) : heading});
    std::vector<DocumentCell> cells = column_cells(all, *figure, means, scale, baseline);
    for (std::size_t i = 0; i < cells.size(); ++i) {
      table.rows[i + 1].push_back(std::move(cells[i]));
    }
  }
  table.notes = what_marks_mean(table.rows, several_seeds, !all.front().varied.empty(), baseline);
  return table;
}

}  // namespace trainyard
