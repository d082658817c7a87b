// When which parts of a replica are exchanged, in schemes where a part that few rows touch may wait
// longer than others: its workers change it as rarely.
//
//   LineTurns turns(worker, period, most_visits);  // a visit every so many steps
//   for (const ParameterRange& range : turns.due(visit)) exchange(range);
//
// Of a linear model on sparse rows a part is the fewest columns whose parameters are whole cache
// lines; one that a fraction p of the minibatches touches has its turn in every 1/p-th visit, to a
// power of two. Of any other model, every step of which changes all parameters, it is all of it, in
// each visit.
//
// Threads: written by its constructor; all workers of a run make the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trainyard/model/holding.hpp"

namespace trainyard {

class Worker;

class LineTurns {
 public:
  /// Counts how often parts are touched, over up to 4,096 rows that lie evenly. Each part has its
  /// turn once in `most_visits` at least, to a power of two below that, and once in a pass where a
  /// pass has a visit, so that what a pass has learnt is known everywhere after the next. REQUIRES:
  /// period ≥ 1 steps from visit to visit, most_visits ≥ 1.
  LineTurns(Worker& worker, std::uint64_t period, std::uint64_t most_visits);

  /// The parts whose turn it is at this visit, from 0: parts that are touched equally often take
  /// turns, so that visits are about alike. Valid until the next call.
  std::span<const ParameterRange> due(std::uint64_t visit);
  /// The most parameters that are due in one visit.
  std::size_t most() const { return most_; }

 private:
  /// Neighbours in `parts_`, which all have their turn in as many visits: a power of two.
  struct Group {
    std::size_t first = 0, count = 0;
    std::uint64_t visits = 1;
  };

  std::vector<ParameterRange> parts_;  // those that are touched most often first
  std::vector<Group> groups_;
  std::vector<ParameterRange> due_;
  std::size_t most_ = 0;
};

}  // namespace trainyard
