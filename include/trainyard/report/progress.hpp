// The progress of a run: a live line on a terminal, one line when it has ended elsewhere.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>

#include "trainyard/run/run.hpp"

namespace trainyard {

/// How many runs of a comparison have ended, for all who tell of one.
struct RunCount {
  std::size_t all = 0;  // known before the first one ends
  std::size_t ended = 0;
  std::mutex mutex{};  // guards `ended`, and keeps lines in its order
};

/// The parts of a run that are shown.
struct ProgressOptions {
  bool quiet = false;             // nothing but warnings
  bool every_evaluation = false;  // where standard error is no terminal, too
  bool alone = true;              // otherwise a terminal shows only how each run ended
  RunCount* count = nullptr;      // of the comparison that it is one of
};

/// Writes to standard error. Threads: one at a time.
class Progress {
 public:
  explicit Progress(const ProgressOptions& options);

  /// Notes are heard when quiet, too; of one of several runs, with its name.
  void remark(const std::string& text);
  void begin(std::string name, const Configuration& resolved);
  void evaluated(const Metrics& metrics);
  void end(const RunResult& result);

 private:
  double fraction_done(const Metrics& metrics) const;
  void tell(const std::string& text) const;
  std::string line_of(const Metrics& metrics) const;

  ProgressOptions options_;
  bool live_;  // standard error is a terminal
  std::string name_;
  double last_step_ = 0.0, last_second_ = 0.0;  // of the budget; 0 when there is no such limit
  bool may_end_earlier_ = false;                // at a target
  std::chrono::steady_clock::time_point began_;
};

}  // namespace trainyard
