// Ours beside what is published, with a verdict.
//
//   const Reproduction found = reproduce(published_named("daly").front()[0], answer_of);
//   found.verdict();  // "3 of 3 as printed"
//
// Threads: the calling one.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "trainyard/study/published.hpp"

namespace trainyard {

/// What a command line prints with --json.
using AnswerOf = std::function<std::string(const std::string& command)>;

struct ReproducedTable {
  std::vector<std::vector<double>> ours;  // [row][column]; infinity: null, what was never reached
  std::vector<std::vector<bool>> agrees;  // within the tolerance; true where nothing is printed
};

struct Reproduction {
  const PublishedResult* result = nullptr;
  std::string skipped{};  // why nothing was computed, as where data are missing; then all is empty
  std::vector<ReproducedTable> tables{};  // as result's
  std::vector<bool> holds{};              // of each claim

  std::size_t printed = 0,
              agreeing = 0;           // numbers that are published, and of them those that agree
  std::size_t holding = 0;            // claims
  std::vector<std::string> unlike{};  // what is not as its file says: neither agrees nor is
                                      // known to differ, or agrees and is said to differ

  bool as_said() const { return skipped.empty() && unlike.empty(); }
  /// All that is published agrees and holds.
  bool whole() const { return skipped.empty() && agreeing == printed && holding == holds.size(); }
};

/// Asks each command once. Throws what `answer_of` throws, and InternalError where an answer has
/// not what is asked of it.
Reproduction reproduce(const PublishedResult& result, const AnswerOf& answer_of);

/// "28 of 30 numbers within a factor of 1.207; 2 of 3 claims hold; 3 known not to".
std::string verdict_of(const Reproduction& found);

/// Whether ours is within the tolerance of the number as it is printed.
bool agrees_with(const std::string& published, double ours, const Tolerance& tolerance);

}  // namespace trainyard
