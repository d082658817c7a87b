// When the fragments of a model have their turns (Streaming DiLoCo, Douillard et al. 2025,
// Algorithm 2): of P, each has its own once in a period of H steps, H/P after the one before it,
// and is sent τ steps earlier.
//
// Threads: a value like any other.
#pragma once

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/even_split.hpp"
#include "trainyard/runtime/worker.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

inline const HyperparameterInfo fragments_info{
    .name = "fragments",
    .argument = "P",
    .help = "parts of the model that take turns in a period; 2, of periods of a single step 1",
    .fallback = 2,
    .low = 1,
    .high = 1e6,
    .whole = true,
    .run_fallback = [](int /*workers*/, const Hyperparameters& before) -> double {
      return std::min(2.0, hyperparameter(before, "period"));
    }};

inline const HyperparameterInfo fragment_delay_info{
    .name = "fragment-delay",
    .argument = "STEPS",
    .help =
        "steps for which workers go on while a fragment is summed; 1, if it has its turn in more",
    .fallback = 1,
    .low = 0,
    .high = 1e12,
    .whole = true,
    .run_fallback = [](int /*workers*/, const Hyperparameters& before) -> double {
      const bool has_two =
          hyperparameter(before, "period") >= 2 * hyperparameter(before, "fragments");
      return has_two ? 1.0 : 0.0;
    }};

inline const HyperparameterInfo local_share_info{
    .name = "local-share",
    .argument = "ALPHA",
    .help = "share of a worker's own fragment in what it goes on with",
    .fallback = 0.5,
    .low = 0.0,
    .high = 1.0};

class FragmentSchedule {
 public:
  /// Throws OptionError for fragments and a delay that do not fit into the period.
  explicit FragmentSchedule(const Hyperparameters& hyperparameters)
      : period_(steps(hyperparameters, "period")),
        delay_(steps(hyperparameters, "fragment-delay")),
        fragments_(static_cast<int>(steps(hyperparameters, "fragments"))) {
    const std::uint64_t least = period_ / static_cast<std::uint64_t>(fragments_);
    if (least == 0) {
      throw OptionError(
          "fragments", fmt::to_string(fragments_),
          fmt::format("each has its turn once in --period {}; expected at most that", period_));
    }
    if (delay_ >= least) {
      throw OptionError("fragment-delay", fmt::to_string(delay_),
                        fmt::format("{} fragments in {} steps have a turn every {}; expected fewer",
                                    fragments_, period_, least));
    }
  }

  /// Of a run whose row has the three.
  static FragmentSchedule of(const Worker& worker) {
    Hyperparameters values;
    for (const char* name : {"period", "fragments", "fragment-delay"}) {
      values[name] = worker.hyperparameter(name);
    }
    return FragmentSchedule(values);
  }

  int fragments() const { return fragments_; }
  /// Of the fragment whose turn is next, whether it is sent, or has its turn, after that step of a
  /// run, from 0.
  bool sends(int fragment, std::uint64_t step) const {
    return of_period(step) + delay_ == turn_of(fragment);
  }
  bool merges(int fragment, std::uint64_t step) const {
    return of_period(step) == turn_of(fragment);
  }

 private:
  static std::uint64_t steps(const Hyperparameters& hyperparameters, const char* name) {
    return static_cast<std::uint64_t>(hyperparameter(hyperparameters, name));
  }
  std::uint64_t of_period(std::uint64_t step) const { return step % period_ + 1; }
  std::uint64_t turn_of(int fragment) const { return even_cut(period_, fragment + 1, fragments_); }

  std::uint64_t period_;  // H
  std::uint64_t delay_;   // τ
  int fragments_;         // P
};

}  // namespace trainyard
