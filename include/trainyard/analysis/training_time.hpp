// How long a language model trains: arithmetic alone, on devices that are kept so and so busy
// (Narayanan et al. 2021, §5.1).
//
//   time = 8 T P / (N F U)
//
// for T tokens, P parameters, N devices of F floating-point operations a second each at their peak,
// and U, the share of that peak which they reach. A token takes 2 P operations forward and 4 P
// backward; the 2 P more of the 8 P are the forward pass that is done once again for the
// activations that were not kept. What communication takes is in U.
//
// Threads: any; these are functions of their arguments.
#pragma once

#include <string>
#include <vector>

namespace trainyard {

struct TrainingTask {
  double tokens = 0.0;       // T > 0
  double parameters = 0.0;   // P > 0
  double devices = 0.0;      // N > 0
  double peak_flops = 0.0;   // F > 0, FLOP/s of a device
  double utilisation = 0.0;  // 0 < U ≤ 1
};

/// Seconds.
double training_time(const TrainingTask& task);

/// The U with which the task, whatever its own, takes so long. REQUIRES: seconds > 0. More than 1
/// where it cannot be.
double utilisation_for(const TrainingTask& task, double seconds);

/// A training whose length, or that of a like one, was published.
struct PublishedTraining {
  std::string name;
  TrainingTask task;  // U as the source has it
  double published_days = 0.0;
  std::string source;  // of the task, then, if it is another one, of the days
};

/// The visible table: the examples of the paper, and those of the lectures.
const std::vector<PublishedTraining>& published_trainings();

}  // namespace trainyard
