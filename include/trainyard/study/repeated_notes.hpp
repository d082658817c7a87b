// Notes of a comparison's runs as they come: the first of each kind at once, and what others come
// to (study/collated_notes.hpp) when all have ended.
//
//   note: ring, seed 1: 7 crashes: 955.9 ms of the time lost
//   …
//   note: ring, seeds 1 to 8: 3 to 11 crashes: 423.2 ms to 1.343 s of the time lost
//
// Threads: any may call is_new() at any time; lines_left() when all runs have ended.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trainyard/study/comparison.hpp"

namespace trainyard {

class RepeatedNotes {
 public:
  /// Of several seeds notes are repeated by other seeds at the same point, of one by other points.
  explicit RepeatedNotes(bool several_seeds) : several_seeds_(several_seeds) {}

  /// Whether `text` is to be said now: no other run has said the same of other numbers.
  bool is_new(const Case& one, const std::string& text);
  /// What stands for those that were not said, with whom it is about. Also those of runs that have
  /// failed and so are not in `runs`.
  std::vector<std::string> lines_left(std::span<const RunResult> runs) const;

 private:
  const bool several_seeds_;
  std::mutex mutex_;  // guards what follows
  /// Contestant and kind → the run that has said it.
  std::map<std::pair<std::string, std::string>, std::string> said_;
  std::map<std::string, std::string> kept_back_;  // text → the last point that it is of
};

}  // namespace trainyard
