// Reshuffling without losing the stream.
//
// SGD that cycles through one fixed order for ever ends above the optimum by what that order makes
// of it: on rcv1-small, after a hundred passes, by 1.35e-5. An order drawn anew for each pass has
// these errors cancel, and ends at 2.3e-6 (Mishchenko, Khaled & Richtárik 2020). But visiting
// single rows at random gives up what makes a pass fast: rows that follow each other in memory,
// which the processor fetches ahead, and minibatches that are one run of rows, on which dense
// kernels work in place.
//
// A share is laid out in a random order once. Each pass cuts this order anew: it begins at a row
// drawn at random, goes round, and is cut into blocks of consecutive rows; the blocks are taken in
// random order. So which rows meet in a minibatch changes from pass to pass, and where in a pass a
// row comes is random; what is left of the fixed order is who follows whom inside a block. Of the
// error that a fixed order of n rows makes, squared, that leaves about block / n. A block has about
// √n rows, a whole number of minibatches, so 1/√n of the error is left, and a pass jumps √n times:
// of a million sparse rows a thousand times, to blocks of 600 kB. (Blocks of 64 rows cost 10 to
// 24 % there: at each jump the processor's prefetching begins anew.) docs/limits.md has what
// it costs, bench/minibatch_order.py what it brings.
//
// Minibatches and blocks are kept in step: a pass first hands out the rows that the minibatch which
// spans its beginning still wants, then whole blocks, and the block that is left over, a shorter
// one, last. So a minibatch is one run, but for the one at the end of the pass and the one where
// the pass goes round the share's end.
#include "trainyard/data/minibatch.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "trainyard/base/error.hpp"

namespace trainyard {

namespace {

/// The most runs one minibatch can have: one a row when drawn with replacement; otherwise, of each
/// pass that it touches, the end of one block, the share's end and beginning, and another block.
std::size_t most_ranges(std::size_t rows, std::size_t batch, Drawing drawing) {
  return drawing == Drawing::replacement ? batch : 4 * (batch / rows + 2);
}

}  // namespace

MinibatchStream::MinibatchStream(const Dataset& share, std::size_t batch, Drawing drawing,
                                 RandomStream random)
    : share_(&share),
      rows_(share.rows),
      batch_(batch),
      drawing_(drawing),
      block_rows_(block_rows_of(share.rows, batch)),
      random_(random) {
  require(share.rows > 0, "a minibatch stream needs a share with rows");
  require(share.rows <= std::numeric_limits<std::uint32_t>::max(), "row numbers have 32 bits");
  require(batch > 0, "a minibatch needs at least one row");
  // Reserved once, so that next() never allocates.
  ranges_.reserve(most_ranges(share.rows, batch, drawing));
  if (drawing == Drawing::replacement) return;
  if (drawing == Drawing::reshuffled) blocks_.reserve(share.rows / block_rows_ + 1);
  begin_pass(0, 0);
}

MinibatchStream::MinibatchStream(const Dataset& all, DealtPass::Place place, std::size_t batch,
                                 RandomStream common)
    : share_(&all),
      rows_(0),
      batch_(batch),
      drawing_(Drawing::reshuffled),
      block_rows_(0),
      random_(common),
      dealt_(std::in_place, all.rows, place, batch, common) {
  rows_ = dealt_->rows();
  block_rows_ = dealt_->block_rows();
  ranges_.reserve(most_ranges(rows_, batch, drawing_));
  begin_pass(0, 0);
}

Batch MinibatchStream::next_of_runs() {
  if (drawing_ == Drawing::replacement) return next_with_replacement();
  ranges_.clear();
  ++number_;
  std::size_t missing = batch_;
  while (missing > 0) {
    const std::size_t count = std::min(missing, end_ - position_);
    ranges_.push_back({share_, position_, count});
    position_ += count;  // a modulo would be a division, which shows beside a step of 30 ns
    missing -= count;
    if (position_ == end_) next_run(missing);
  }
  return ranges_;
}

Batch MinibatchStream::next_with_replacement() {
  ranges_.clear();
  ++number_;
  for (std::size_t i = 0; i < batch_; ++i) {
    ranges_.push_back({share_, static_cast<std::size_t>(random_.below(share_->rows)), 1});
  }
  return ranges_;
}

void MinibatchStream::skip(std::uint64_t minibatches) {
  if (drawing_ == Drawing::replacement) {
    for (; minibatches > 0; --minibatches) next_with_replacement();
    return;
  }
  number_ += minibatches;
  // number_ · batch_ rows, without their product, which may not fit.
  const std::uint64_t rows = rows_;
  const std::uint64_t left = number_ % rows * batch_;
  const std::uint64_t pass = number_ / rows * batch_ + left / rows;
  std::size_t taken = left % rows;                                          // of that pass
  const std::uint64_t before = (pass % batch_) * (rows % batch_) % batch_;  // of pass · rows
  begin_pass(pass, before == 0 ? 0 : batch_ - before);
  while (taken > 0) {
    const std::size_t count = std::min(taken, end_ - position_);
    position_ += count;
    taken -= count;
    if (position_ == end_) next_run(0);
  }
}

/// `wanted`: rows that the minibatch which spans its beginning still wants.
void MinibatchStream::begin_pass(std::uint64_t pass, std::size_t wanted) {
  const std::size_t rows = share_->rows;
  pass_ = pass;
  blocks_.clear();
  block_ = 0;
  blocked_rows_ = wrapped_ = 0;
  if (dealt_) {
    dealt_->begin(pass);
    next_run(wanted);
    return;
  }
  const bool all_in_one = wanted >= rows || (wanted == 0 && rows <= block_rows_);
  if (drawing_ == Drawing::cyclic || all_in_one) {
    run(0, rows);
    return;
  }
  // After 2^32 passes the orders repeat.
  random_.jump_to(static_cast<std::uint32_t>(pass));
  const std::size_t start = random_.below32(static_cast<std::uint32_t>(rows));
  blocked_rows_ = rows - wanted;
  first_row_ = start + wanted < rows ? start + wanted : start + wanted - rows;
  blocks_.resize((blocked_rows_ + block_rows_ - 1) / block_rows_);
  std::iota(blocks_.begin(), blocks_.end(), 0U);
  if (wanted > 0) {
    run(start, wanted);
  } else {
    next_run(0);
  }
}

/// Begins the next run of rows.
void MinibatchStream::next_run(std::size_t wanted) {
  const std::size_t rows = share_->rows;
  if (wrapped_ > 0) {
    run(0, std::exchange(wrapped_, 0));
    return;
  }
  if (dealt_) {
    const DealtPass::Run dealt = dealt_->next();
    if (dealt.count > 0) {
      run(dealt.first, dealt.count);
    } else {
      begin_pass(pass_ + 1, wanted);
    }
    return;
  }
  if (block_ == blocks_.size()) {
    begin_pass(pass_ + 1, wanted);
    return;
  }
  // Fisher-Yates a block at a time, so that no step waits for a whole pass to be shuffled. The last
  // block stays last if it is shorter.
  const bool last_is_short = blocked_rows_ % block_rows_ != 0;
  const std::size_t shuffled = blocks_.size() - (last_is_short ? 1 : 0);
  if (block_ + 1 < shuffled) {
    const auto left = static_cast<std::uint32_t>(shuffled - block_);
    std::swap(blocks_[block_], blocks_[block_ + random_.below32(left)]);
  }
  const std::size_t offset = blocks_[block_++] * block_rows_;
  const std::size_t first = first_row_ + offset;
  run(first < rows ? first : first - rows, std::min(block_rows_, blocked_rows_ - offset));
}

/// Rows `first` on, and on from the share's beginning where they go beyond its end.
void MinibatchStream::run(std::size_t first, std::size_t count) {
  position_ = first;
  end_ = std::min(first + count, share_->rows);
  wrapped_ = first + count - end_;
}

}  // namespace trainyard
