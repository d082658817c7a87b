#include "trainyard/collective/significance_filter.hpp"

#include <cmath>
#include <utility>

#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"

namespace trainyard {

SignificanceFilter::SignificanceFilter(Vector held, double threshold)
    : held_(held), threshold_(threshold), values_(held.scalar(), held.size()) {
  require(threshold >= 0.0, "a magnitude is no less than 0");
  places_.reserve(held.size());
}

ListedValues SignificanceFilter::pass(ConstVector update) {
  kernels::add(update, held_);
  places_.clear();
  with_scalar(held_.scalar(), [&]<typename T>(T) {
    const std::span<T> held = held_.as<T>(), values = values_.view().as<T>();
    for (std::size_t j = 0; j < held.size(); ++j) {
      // Not `< threshold`: what is not a number goes out, and ends the run as it does elsewhere.
      if (std::abs(static_cast<double>(held[j])) < threshold_) continue;
      values[places_.size()] = std::exchange(held[j], T{});
      places_.push_back(static_cast<std::uint32_t>(j));
    }
  });
  return {places_, ConstVector(values_.view()).first(places_.size())};
}

void SignificanceFilter::hold_back(ConstVector left_out) {
  require(left_out.size() == places_.size(), "what is left out of each value that was passed");
  with_scalar(held_.scalar(), [&]<typename T>(T) {
    const std::span<T> held = held_.as<T>();
    const std::span<const T> left = left_out.as<T>();
    for (std::size_t i = 0; i < left.size(); ++i) held[places_[i]] += left[i];
  });
}

}  // namespace trainyard
