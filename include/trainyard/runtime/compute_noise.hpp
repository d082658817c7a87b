// Computing that does not always take the same time: what makes stragglers of workers that are
// equally fast on average.
//
// Threads: each worker's is its own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "trainyard/base/random.hpp"
#include "trainyard/base/units.hpp"

namespace trainyard {

/// Drawn anew for each minibatch. The tail is what is left of a machine's time when others use it
/// too; the pause is a garbage collection, a checkpoint, a page fault.
struct ComputeNoiseRule {
  // The compute time is multiplied by constant + exponential · Exp(1).
  double constant = 1.0, exponential = 0.0;
  double pause_probability = 0.0;  // with which it is followed by
  Duration pause{0};               // standing still for so long

  bool any() const { return exponential > 0.0 || pauses(); }
  bool pauses() const { return pause_probability > 0.0 && pause.count() > 0; }
};

/// "none", "exponential:0.3" (the mean slowdown is then 1.3), "memoryless" (all of the compute time
/// is random, Exp(1) times its mean, as queueing formulas have it). Throws UsageError, naming
/// `what`.
void parse_compute_noise(std::string_view text, std::string_view what, ComputeNoiseRule& rule);
std::string compute_noise_text(const ComputeNoiseRule& rule);

/// "none", "0.01:50ms": probability and length. Throws UsageError, naming `what`.
void parse_pause(std::string_view text, std::string_view what, ComputeNoiseRule& rule);
std::string pause_text(const ComputeNoiseRule& rule);

/// The noise of one minibatch.
struct Slowdown {
  double factor = 1.0;
  Duration pause{0};
};

/// The slowdowns of one worker's minibatches in turn: the same under either runtime, and the same
/// pauses whatever the tail.
class ComputeNoise {
 public:
  ComputeNoise(const ComputeNoiseRule& rule, std::uint64_t seed, std::uint32_t worker)
      : ComputeNoise(rule, RandomStream(seed, Purpose::compute_time, worker)) {}
  ComputeNoise(const ComputeNoiseRule& rule, const RandomStream& random)
      : rule_(rule), random_(random) {}

  Slowdown next();
  /// What is drawn from.
  const RandomStream& random() const { return random_; }

 private:
  ComputeNoiseRule rule_;
  RandomStream random_;
};

}  // namespace trainyard
