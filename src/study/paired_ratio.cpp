#include "trainyard/study/paired_ratio.hpp"

#include <algorithm>
#include <cmath>

#include "trainyard/base/error.hpp"
#include "trainyard/study/student.hpp"

namespace trainyard {

std::optional<PairedRatio> paired_ratio(std::span<const double> x, std::span<const double> y) {
  require(x.size() == y.size(), "values come in pairs");
  if (x.size() < 2) return std::nullopt;
  const auto count = static_cast<double>(x.size());
  // From the first one, so that equal ratios have no spread at all.
  const double first = std::log(y[0] / x[0]);
  double off_first = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) off_first += (std::log(y[i] / x[i]) - first) / count;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double off = std::log(y[i] / x[i]) - first - off_first;
    squares += off * off;
  }
  const double deviation = std::sqrt(squares / (count - 1.0));
  const double mean = first + off_first, half_width = student_half_width(deviation, x.size());
  return PairedRatio{.mean = std::exp(mean),
                     .low = std::exp(mean - half_width),
                     .high = std::exp(mean + half_width),
                     .pairs = x.size()};
}

namespace {

bool differ(std::span<const double> x, std::span<const double> y) {
  const std::size_t count = x.size();
  if (count < 2) return false;
  double mean = 0.0, squares = 0.0;
  for (std::size_t i = 0; i < count; ++i) mean += (y[i] - x[i]) / static_cast<double>(count);
  for (std::size_t i = 0; i < count; ++i) squares += (y[i] - x[i] - mean) * (y[i] - x[i] - mean);
  const double deviation = std::sqrt(squares / static_cast<double>(count - 1));
  return std::abs(mean) > student_half_width(deviation, count);
}

}  // namespace

bool told_apart(std::span<const double> x, std::span<const double> y) {
  const auto above_zero = [](double value) { return value > 0.0; };
  if (!std::ranges::all_of(x, above_zero) || !std::ranges::all_of(y, above_zero)) {
    return differ(x, y);
  }
  const auto ratio = paired_ratio(x, y);
  return ratio && ratio->is_borne_out();
}

}  // namespace trainyard
