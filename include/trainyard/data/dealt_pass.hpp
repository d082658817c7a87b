// Which rows a worker takes in a pass for which all rows are dealt anew among the workers
// (--deal pass).
//
// Threads: a pass belongs to its worker; workers make the same deal, each for itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trainyard/base/random.hpp"

namespace trainyard {

/// How many consecutive rows a pass over `rows` rows keeps together: about their root, in whole
/// minibatches.
std::size_t block_rows_of(std::size_t rows, std::size_t batch);

/// Each pass deals every row to exactly one worker, and to each worker as many as ever: part sizes
/// of `rows` rows differ by at most one, the longer ones first, as those of partition() do. What is
/// dealt depends only on the stream that is given and on the number of the pass, so that workers
/// agree without a word. dealt_pass.cpp says how. begin() and next() do not allocate.
class DealtPass {
 public:
  struct Place {
    std::size_t worker = 0, workers = 1;
  };
  /// Rows that lie one behind the other, from `first` on; those beyond the last row are the first
  /// ones.
  struct Run {
    std::size_t first = 0, count = 0;
  };

  /// `common`: the same stream for all workers. REQUIRES: worker < workers ≤ rows < 2^32, batch >
  /// 0.
  DealtPass(std::size_t rows, Place place, std::size_t batch, RandomStream common);

  /// Begins that pass, from 0.
  void begin(std::uint64_t pass);
  /// The pass's next run; none, of count 0, at its end. First come the rows that a minibatch still
  /// wants which spans the pass's beginning; a run of blocks is whole minibatches.
  Run next();

  /// The worker's in a pass.
  std::size_t rows() const { return rows_of(place_.worker); }
  std::size_t block_rows() const { return block_rows_; }

 private:
  /// How a worker's rows of a pass are cut: `wanted` by the minibatch that spans its beginning,
  /// whole blocks, and what is left.
  struct Cut {
    std::size_t wanted = 0, blocks = 0, left = 0;
    std::size_t loose() const { return wanted + left; }
  };

  std::size_t rows_of(std::size_t worker) const { return least_ + (worker < longer_ ? 1 : 0); }
  Cut cut_of(std::size_t rows, std::uint64_t pass) const;

  std::size_t rows_;
  Place place_;
  std::size_t batch_;
  std::size_t least_, longer_;  // rows of a worker at the least; workers that have one more
  std::size_t block_rows_;
  RandomStream common_;

  // Of the pass that is under way.
  std::size_t start_ = 0;              // the row at which it begins
  Cut cut_;                            // of this worker, what is not taken yet
  std::size_t loose_first_ = 0;        // of its loose rows, counted from the start
  std::vector<std::uint32_t> blocks_;  // in the order of the deal, up to this worker's last
  std::size_t block_ = 0;              // the worker's next one of these
};

}  // namespace trainyard
