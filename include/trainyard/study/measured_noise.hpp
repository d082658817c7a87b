// The noise scale of data, from a short run: what `trainyard advise --noise-scale measured` begins
// with.
//
// Threads: any; a function of its arguments.
#pragma once

#include <string>

#include "trainyard/configuration/configuration.hpp"
#include "trainyard/data/catalog.hpp"

namespace trainyard {

/// Of one worker's pass over the data: it rises on the way to a loss, so that one number is the
/// mean over the pass, and says as much as its ends.
struct MeasuredNoise {
  double mean = 0.0, begin = 0.0, end = 0.0;  // rows
  double step_size = 0.0;                     // of that pass
};

/// `training`: advised_training(). Throws UsageError where the rows cannot tell the gradient from
/// 0, so that the noise scale is beyond their number.
MeasuredNoise measured_noise(const Configuration& training, const LoadedData& data);

/// "note: the noise scale is 12 rows at the beginning of a pass of one worker …"
std::string noise_note(const MeasuredNoise& noise);

}  // namespace trainyard
