// Chooses the numbers of an update that are worth sending (Li et al., OSDI 2014, §5.1, the
// significantly modified filter): those smaller than a threshold wait, add up with later ones, and
// are sent when they have become significant. So nothing is lost: what has been sent and what is
// held back make the sum of all updates. Where values are compressed on their way, hold_back()
// keeps that true.
//
// Threads: a filter is its rank's own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trainyard/base/aligned_buffer.hpp"
#include "trainyard/base/vector.hpp"

namespace trainyard {

/// Some numbers of a vector, in the order of their places.
struct ListedValues {
  std::span<const std::uint32_t> places;
  ConstVector values;
};

class SignificanceFilter {
 public:
  /// `held`: what waits, as many numbers as an update has, of its precision. REQUIRES: threshold ≥
  /// 0.
  SignificanceFilter(Vector held, double threshold);

  /// held ← held + update, and those of it whose magnitude is the threshold at least are taken out.
  /// Valid until the next call.
  ListedValues pass(ConstVector update);

  /// Those of the values that pass() gave out last which were not sent after all wait as well.
  /// REQUIRES: as many numbers as these.
  void hold_back(ConstVector left_out);

 private:
  Vector held_;
  double threshold_;
  std::vector<std::uint32_t> places_;
  VectorBuffer values_;
};

}  // namespace trainyard
