#include "codec/argument.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "trainyard/base/echoed.hpp"
#include "trainyard/base/error.hpp"
#include "trainyard/base/units.hpp"

namespace trainyard {

std::uint64_t whole_argument(std::string_view text, std::uint64_t low, std::uint64_t high) {
  return static_cast<std::uint64_t>(parse_integer(
      text, "its argument", static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)));
}

double positive_argument(std::string_view text) {
  const double value = parse_number(text, "its argument");
  if (value > 0.0) return value;
  throw UsageError(fmt::format("its argument: {} is not a number above 0", echoed(text)));
}

KeptShare::KeptShare(std::string_view text) {
  if (text.starts_with("k=")) {
    count_ = whole_argument(text.substr(2), 1, std::uint64_t{1} << 32);
    return;
  }
  if (text.ends_with("%")) {
    percent_ = parse_number(text.substr(0, text.size() - 1), "its argument");
    if (percent_ > 0.0 && percent_ <= 100.0) return;
  }
  throw UsageError(
      fmt::format("its argument: {} is neither a share above 0% and up to 100%, like 1%, nor a "
                  "count, like k=100",
                  echoed(text)));
}

std::size_t KeptShare::of(std::size_t d) const {
  if (count_ > 0) return static_cast<std::size_t>(std::min<std::uint64_t>(count_, d));
  // A hundredth of 300 is 3, and not 4 for the rounding of 0.01.
  const double kept = std::ceil(percent_ * static_cast<double>(d) / 100.0 * (1.0 - 1e-12));
  return std::clamp<std::size_t>(static_cast<std::size_t>(kept), 1, d);
}

}  // namespace trainyard
