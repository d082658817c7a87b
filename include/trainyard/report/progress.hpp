// What a run tells while it goes on: a live line on a terminal, a line an evaluation elsewhere.
#pragma once

#include <chrono>
#include <string>

#include "trainyard/run/run.hpp"

namespace trainyard {

/// Writes to standard error. Threads: one at a time.
class Progress {
 public:
  explicit Progress(bool quiet);

  void remark(const std::string& text);
  void begin(const Configuration& resolved);
  void evaluated(const Metrics& metrics);
  void end(const RunResult& result);

 private:
  double fraction_done(const Metrics& metrics) const;
  std::string line_of(const Metrics& metrics) const;

  bool quiet_;
  bool live_;  // standard error is a terminal
  std::string scheme_;
  double last_step_ = 0.0, last_second_ = 0.0;  // of the budget; 0 when there is no such limit
  bool may_end_earlier_ = false;                // at a target loss
  std::chrono::steady_clock::time_point began_;
};

}  // namespace trainyard
