// How the ways of several workers become one, with weights (Decoupled DiLoCo, Douillard et al.
// 2026; catalogue §4.1).
//
//   weighted mean               Σ w v / Σ w
//   radial-directional average  (Σ w ‖v‖ / Σ w) φ(Σ w φ(v)),  φ(v) = v / ‖v‖, φ(0) = 0
//
// The mean of n ways of length R that are orthogonal, as those of replicas nearly are, is R/√n
// long; the second keeps their length. Where the directions cancel it is the mean.
//
// Threads: these write their last argument alone.
#pragma once

#include <cmath>

#include "trainyard/base/function_ref.hpp"
#include "trainyard/base/vector.hpp"
#include "trainyard/codec/norms.hpp"
#include "trainyard/model/kernels.hpp"

namespace trainyard {

/// Takes each way in turn, with its weight > 0. The way is valid until the call returns.
using TakeWay = FunctionRef<void(double weight, ConstVector way)>;
/// Shows all ways to who takes them, in the same order whenever it is called.
using Ways = FunctionRef<void(TakeWay take)>;

inline void weighted_mean(Ways ways, Vector mean) {
  double weights = 0.0;
  kernels::set_to_zero(mean);
  ways([&](double weight, ConstVector way) {
    kernels::axpy(weight, way, mean);
    weights += weight;
  });
  kernels::scale(1.0 / weights, mean);
}

inline double length_of(ConstVector way) {
  return with_scalar(way.scalar(), [&]<typename T>(T) { return norm_of(way.as<T>()); });
}

inline void radial_directional_average(Ways ways, Vector average) {
  constexpr double cancelled = 1e-6;  // what is shorter than that is rounding of floats
  double weights = 0.0, lengths = 0.0;
  kernels::set_to_zero(average);
  ways([&](double weight, ConstVector way) {
    const double length = length_of(way);
    if (length > 0.0) kernels::axpy(weight / length, way, average);
    weights += weight;
    lengths += weight * length;
  });
  const double direction = length_of(average);
  if (direction <= cancelled * weights) return weighted_mean(ways, average);
  kernels::scale(lengths / weights / direction, average);
}

}  // namespace trainyard
