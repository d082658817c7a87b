#include "trainyard/data/minibatch.hpp"

#include <algorithm>

#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

/// The most runs one minibatch can have: one a row when drawn with replacement; otherwise a first
/// piece, whole passes while the minibatch is longer than the share, and a last piece.
std::size_t most_ranges(std::size_t rows, std::size_t batch, bool replacement) {
  return replacement ? batch : batch / rows + 2;
}

}  // namespace

MinibatchStream::MinibatchStream(const Dataset& share, std::size_t batch, bool replacement,
                                 RandomStream random)
    : share_(&share), batch_(batch), replacement_(replacement), random_(random) {
  require(share.rows > 0, "a minibatch stream needs a share with rows");
  require(batch > 0, "a minibatch needs at least one row");
  // Reserved once, so that next() never allocates.
  ranges_.reserve(most_ranges(share.rows, batch, replacement));
}

Batch MinibatchStream::next() {
  ranges_.clear();
  if (replacement_) {
    for (std::size_t i = 0; i < batch_; ++i) {
      ranges_.push_back({share_, static_cast<std::size_t>(random_.below(share_->rows)), 1});
    }
    return ranges_;
  }
  std::size_t missing = batch_;
  while (missing > 0) {
    const std::size_t count = std::min(missing, share_->rows - position_);
    ranges_.push_back({share_, position_, count});
    position_ += count;  // a modulo would be a division, which shows beside a step of 30 ns
    if (position_ == share_->rows) position_ = 0;
    missing -= count;
  }
  return ranges_;
}

}  // namespace trainyard
