// What the page of a lab shows of each contestant, for the tests of its story. Durations and bytes
// are virtual, and may be off by 3 %, as processors round differently.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "trainyard/configuration/defaults.hpp"
#include "trainyard/configuration/labs.hpp"
#include "trainyard/configuration/options.hpp"
#include "trainyard/run/run.hpp"
#include "trainyard/study/comparison.hpp"

#include "support/catch.hpp"

namespace trainyard::story {

inline constexpr double ms = 1e-3, mega = 1e6;
inline constexpr double never = 1e99;

inline Approx about(double value) {
  return Approx(value).epsilon(0.03);
}

/// What a page shows of each contestant.
class Shown {
 public:
  explicit Shown(const std::vector<RunResult>& runs) {
    for (const RunResult& run : runs) of_.emplace(run.summary.label, run.summary);
  }

  const Summary& of(const std::string& label) const { return of_.at(label); }
  double seconds(const std::string& label) const { return of(label).seconds; }
  double loss(const std::string& label) const { return of(label).train_loss; }
  double bytes(const std::string& label) const { return static_cast<double>(of(label).bytes_sent); }
  double to_target(const std::string& label) const {
    return of(label).diverged ? never : of(label).seconds_to_target.value_or(never);
  }

  /// Whose run is the shortest.
  std::string shortest() const { return least(&Shown::seconds); }
  std::string first() const { return least(&Shown::to_target); }

 private:
  std::string least(double (Shown::*figure)(const std::string&) const) const {
    std::string best = of_.begin()->first;
    for (const auto& [label, summary] : of_) {
      if ((this->*figure)(label) < (this->*figure)(best)) best = label;
    }
    return best;
  }

  std::map<std::string, Summary> of_;
};

/// Of the lab with its sliders moved there; `step_sizes`: the lab's own, or those that tuning
/// finds.
inline Shown shown(const std::string& lab, const std::vector<OptionText>& moved = {},
                   StepSizes step_sizes = StepSizes::as_given) {
  ComparisonRequest request{.configuration = default_configuration(), .contestants = {}};
  std::vector<ContestantTable> contestants;
  read_configuration("lab:" + lab, request.configuration, &contestants);
  request.contestants = contestants_of(contestants);
  apply(moved, request.configuration);
  request.options.step_sizes = step_sizes;
  return Shown(run_comparison(request, {}).runs);
}

}  // namespace trainyard::story
