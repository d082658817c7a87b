// The minibatches of one share, one after another.
#pragma once

#include <cstddef>
#include <vector>

#include "trainyard/base/random.hpp"
#include "trainyard/data/batch.hpp"

namespace trainyard {

/// Without replacement, minibatch t is rows tB, tB+1, …, tB+B-1 of the share (modulo its length):
/// the share was shuffled once, when it was laid out, so that every pass streams through memory.
/// Every minibatch has exactly B rows; one that spans the end of a pass wraps to its beginning.
/// With replacement, B rows are drawn uniformly from this rank's own stream.
class MinibatchStream {
 public:
  /// `share` is kept by reference. REQUIRES: share.rows > 0, batch > 0.
  MinibatchStream(const Dataset& share, std::size_t batch, bool replacement, RandomStream random);

  /// The next minibatch; valid until the following call.
  Batch next();

 private:
  const Dataset* share_;
  std::size_t batch_;
  bool replacement_;
  RandomStream random_;
  std::size_t position_ = 0;
  std::vector<RowRange> ranges_;
};

}  // namespace trainyard
