// How codecs without chance round a number, once more and slowly.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "codec/vectors.hpp"

namespace trainyard::test {

using Real = long double;

/// Rounded to `bits` significant bits, ties to even, in steps of `least` at least.
inline Real rounded(Real x, int bits, Real least) {
  if (x == 0.0L) return x;
  const Real step = std::max(std::ldexp(1.0L, std::ilogb(x) + 1 - bits), least);
  return std::nearbyint(x / step) * step;  // by the mode that every program starts with
}
inline Real as_float(Real x) {
  return std::clamp(rounded(x, 24, 0x1p-149L), -largest_number(Scalar::float32),
                    largest_number(Scalar::float32));
}
inline Real as_fp16(Real x, const CodecSample&) {
  return std::clamp(rounded(as_float(x), 11, 0x1p-24L), -65504.0L, 65504.0L);
}
inline Real as_bf16(Real x, const CodecSample&) {
  return std::clamp(rounded(as_float(x), 8, 0x1p-133L), -0x1.FEp127L, 0x1.FEp127L);
}

/// Of 0 and ± the largest magnitude times 2^-j, j = 0 … 6, by looking at all of them.
inline std::vector<Real> nearest_powers(const CodecSample& x) {
  Real largest = 0.0L;
  for (const double value : x.values) largest = std::max(largest, std::abs(Real{value}));
  std::vector<Real> result;
  for (const double value : x.values) {
    Real nearest = 0.0L;
    for (int j = 6; j >= 0; --j) {
      const Real level = std::copysign(std::ldexp(largest, -j), Real{value});
      if (std::abs(value - level) <= std::abs(value - nearest)) nearest = level;
    }
    result.push_back(nearest);
  }
  return result;
}

/// The same of doubles: what e3m0 makes of them.
inline std::vector<double> as_e3m0(const std::vector<double>& x) {
  CodecSample sample;
  sample.values = x;
  const std::vector<Real> nearest = nearest_powers(sample);
  return {nearest.begin(), nearest.end()};
}

}  // namespace trainyard::test
