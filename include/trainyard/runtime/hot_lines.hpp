// Which cache lines of a shared model many rows touch, and how workers keep them for themselves:
// phase reconciliation (Doppel: Narula, Cutler, Kohler & Morris, OSDI 2014, §3 and §5). A record
// that many cores add to is split there: each core has a slice of it, adds to that without meeting
// anybody, and now and then slices are reconciled with the record. Addition commutes, so that
// nothing is lost. Here the records are the lines of a sparse linear model, since it is lines that
// go back and forth between cores.
//
// Doppel splits what was contended a moment ago; here the data say beforehand how often rows touch
// a line. And it reconciles all records at once; here a line that a fraction p of the minibatches
// touches is reconciled in every C/p-th step of a worker, C being a number of uses, and at least
// once a pass. So a worker adds to a line about C times for each time that the line has to come
// from another core, whether it is used in every row or in one of a thousand, and of its updates by
// others at most about C (n − 1) are unknown to it.
//
// Threads: find_hot_lines() is called by one; then any number may read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "trainyard/data/dataset.hpp"
#include "trainyard/model/model.hpp"

namespace trainyard {

/// A block is the fewest columns whose parameters are whole lines: 16 of a model with one number a
/// column. A slice is a worker's copy of all hot blocks. Slices lie behind the model, in the memory
/// and in the numbering of the columns, so that a sparse step goes to either by the same code: rows
/// are renumbered, once, and looking up which is which costs a step nothing. (By a table of lines a
/// step of one rank took 1.3 to 1.4 times as long.)
struct HotLines {
  static constexpr std::uint32_t cold = std::numeric_limits<std::uint32_t>::max();

  /// Slots of neighbouring numbers, a part of which is reconciled at each visit: all in `visits`.
  struct Turn {
    std::size_t first = 0, count = 0;  // slots
    std::uint64_t visits = 1;          // a power of two

    /// The slots that are reconciled at this visit, counted from 0: the first, and one behind the
    /// last.
    std::pair<std::size_t, std::size_t> slots_at(std::uint64_t visit) const {
      const std::uint64_t part = visit & (visits - 1);
      return {first + count * part / visits, first + count * (part + 1) / visits};
    }
  };

  std::size_t columns = 0;     // of a block
  std::size_t parameters = 0;  // of a block, whole lines
  std::size_t dimension = 0;   // of the model
  int workers = 1;
  std::uint64_t uses = 1;             // C
  std::uint64_t steps_of_visit = 1;   // C, or those of a pass
  std::vector<std::uint32_t> slots;   // of each block of the model its place in a slice, or `cold`
  std::vector<std::uint32_t> blocks;  // of each slot its block; the most used come first
  std::vector<Turn> turns;
  /// The model's update for rows that are renumbered.
  std::shared_ptr<const Model::SparseUpdate> update;

  bool empty() const { return blocks.empty(); }
  /// In blocks, from the model's beginning.
  std::size_t place_of(int worker, std::size_t slot) const {
    return slots.size() + static_cast<std::size_t>(worker) * blocks.size() + slot;
  }
  /// The model and all slices, in blocks.
  std::size_t all_blocks() const { return place_of(workers, 0); }

  /// The columns of hot blocks become those of the worker's slice; no model may read them any more
  /// but `update`.
  void renumber(Dataset& share, int worker) const;
};

/// Uses between two turns that leave a run what hogwild is, 1 ≤ . ≤ 64; below 4 no line is hot.
/// What n workers add to a line between two of its turns they add without seeing it, C (n − 1)
/// updates of others, which is gradient descent with that delay: it does no harm while
///   γ h λ₁ C (n − 1) ≤ θ,
/// λ₁ being the largest eigenvalue of the rows' mean outer product, found by power iteration over
/// 2,000 rows at the most, and h the largest curvature of a row's loss against its margin (1/4
/// logistic, 1/2 softmax, 1 squares). (Delayed descent is stable below π/2; θ keeps the loss within
/// 5 % of hogwild's.) And a pass has 4 turns at the least, so that what a pass has learnt is seen
/// in it.
std::uint64_t harmless_uses(const Dataset& train, const Model& model, int workers,
                            std::size_t batch, double step_size);

/// Hot is a line that a worker uses at least four times between two of its turns, C being `uses`.
/// Empty where there is none, where one worker is
/// alone, and where a model has no sparse updates.
/// REQUIRES: uses ≥ 1 whole steps, batch ≥ 1.
HotLines find_hot_lines(const Dataset& train, const Model& model, int workers, std::size_t batch,
                        std::uint64_t uses);

}  // namespace trainyard
