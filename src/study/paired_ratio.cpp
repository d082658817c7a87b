#include "trainyard/study/paired_ratio.hpp"

#include <cmath>

#include <boost/math/distributions/students_t.hpp>

#include "trainyard/base/error.hpp"

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
  const double t = boost::math::quantile(boost::math::students_t(count - 1.0), 0.975);
  const double mean = first + off_first, half_width = t * deviation / std::sqrt(count);
  return PairedRatio{.mean = std::exp(mean),
                     .low = std::exp(mean - half_width),
                     .high = std::exp(mean + half_width),
                     .pairs = x.size()};
}

}  // namespace trainyard
