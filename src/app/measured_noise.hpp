// The noise scale of a file's data, from a short run: what `trainyard advise --noise-scale
// measured` begins with.
//
// Threads: the main one.
#pragma once

#include "trainyard/configuration/configuration.hpp"

namespace trainyard::app {

/// Of one worker's pass over the data: it rises on the way to a loss, so that one number is the
/// mean over the pass, and says as much as its ends.
struct MeasuredNoise {
  double mean = 0.0, begin = 0.0, end = 0.0;  // rows
  double step_size = 0.0;                     // of that pass
};

/// `training`: advised_training(). Throws UsageError where the rows cannot tell the gradient from
/// 0, so that the noise scale is beyond their number.
MeasuredNoise measured_noise(const Configuration& training);

}  // namespace trainyard::app
