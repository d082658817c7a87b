// The minibatches of one share, or of what one worker is dealt of all rows, one after another.
//
// Threads: a stream belongs to its worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "trainyard/base/random.hpp"
#include "trainyard/data/batch.hpp"
#include "trainyard/data/dealt_pass.hpp"

namespace trainyard {

/// How a share's rows are drawn.
enum class Drawing {
  reshuffled,   // every row once a pass, in an order drawn anew for each pass
  cyclic,       // every row once a pass, in the order in which the share is laid out
  replacement,  // each row of a minibatch is any row of the share, uniformly
};

/// Every minibatch has exactly `batch` rows; but with replacement, one that spans the end of a pass
/// takes its last rows from the next. What is drawn depends only on the stream that is given and on
/// the number of the minibatch. minibatch.cpp says how a reshuffled pass still streams through
/// memory. next() does not allocate.
class MinibatchStream {
 public:
  /// `share` is kept by reference. REQUIRES: 0 < share.rows < 2^32, batch > 0.
  MinibatchStream(const Dataset& share, std::size_t batch, Drawing drawing, RandomStream random);
  /// As reshuffled, of what `place` is dealt of all rows in each pass. `all` is kept by reference.
  /// `common`: the same stream for all workers. REQUIRES: as DealtPass.
  MinibatchStream(const Dataset& all, DealtPass::Place place, std::size_t batch,
                  RandomStream common);

  /// The next minibatch; valid until the following call.
  Batch next() {
    // Nearly always, but for rows drawn with replacement, which come in no runs. In the header, as
    // a call is 1 ns of a step of 100.
    if (batch_ < end_ - position_) {
      single_ = {share_, position_, batch_};
      position_ += batch_;
      ++number_;
      return {&single_, 1};
    }
    return next_of_runs();
  }

  /// Leaves out so many minibatches: what follows is what would have followed them. Takes as long
  /// as beginning one pass; with replacement, as drawing them.
  void skip(std::uint64_t minibatches);

  /// How many minibatches have been taken or left out.
  std::uint64_t taken() const { return number_; }
  std::size_t batch() const { return batch_; }
  /// In a pass.
  std::size_t rows() const { return rows_; }
  /// How many consecutive rows a reshuffled pass keeps together.
  std::size_t block_rows() const { return block_rows_; }

 private:
  Batch next_of_runs();
  Batch next_with_replacement();
  void begin_pass(std::uint64_t pass, std::size_t wanted);
  void next_run(std::size_t wanted);
  void run(std::size_t first, std::size_t count);

  const Dataset* share_;  // or all rows, where they are dealt
  std::size_t rows_;
  std::size_t batch_;
  Drawing drawing_;
  std::size_t block_rows_;
  RandomStream random_;
  std::optional<DealtPass> dealt_;

  std::uint64_t number_ = 0;  // of the next minibatch
  std::uint64_t pass_ = 0;
  std::size_t position_ = 0, end_ = 0;  // of the run of rows that is being taken
  std::size_t wrapped_ = 0;             // rows from 0 on that belong to it too
  std::size_t first_row_ = 0;           // of the pass's first block
  std::size_t blocked_rows_ = 0;        // rows of the pass that lie in blocks
  std::vector<std::uint32_t> blocks_;   // of the pass, those before block_ in the order taken
  std::size_t block_ = 0;
  RowRange single_;               // the minibatch where it is one run,
  std::vector<RowRange> ranges_;  // where it may be several
};

}  // namespace trainyard
