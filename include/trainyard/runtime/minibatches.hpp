// The minibatches of one worker: their rows, and what computing on one costs.
//
//   Minibatches& minibatches = worker.minibatches();
//   while (worker.next_step()) {
//     if (idles(worker.step())) {
//       minibatches.sit_out();
//       continue;
//     }
//     const Batch batch = minibatches.next();  // Worker::compute_gradient() takes it by itself
//     worker.compute(minibatches.count_of(batch), [&] { my_gradient(worker.model(), batch); });
//   }
//
// A worker has one share of the data, several in gradient coding, and all in the sequential
// yardstick. Its minibatch then has one minibatch of each of them.
//
// Threads: belongs to its worker's rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <span>
#include <vector>

#include "trainyard/base/error.hpp"
#include "trainyard/base/function_ref.hpp"
#include "trainyard/data/dataset.hpp"
#include "trainyard/data/minibatch.hpp"
#include "trainyard/runtime/minibatch_costs.hpp"
#include "trainyard/runtime/rank.hpp"
#include "trainyard/runtime/run_context.hpp"

namespace trainyard {

class Minibatches {
 public:
  /// Lays out the shares of these workers in this thread's memory, unless each pass deals all rows
  /// anew, which then lie in memory of the whole run. `rank` and `context` outlive it.
  Minibatches(Rank& rank, const RunContext& context, std::span<const int> shares);
  /// The next leg of the run goes on behind those that were taken.
  ~Minibatches();
  // Streams refer to shares.
  Minibatches(const Minibatches&) = delete;
  Minibatches& operator=(const Minibatches&) = delete;

  /// Takes the next one. Valid until another one is taken.
  Batch next() { return own_stream_ != nullptr ? own_stream_->next() : next_of_shares(); }
  /// The one that next() will return after `after` others, drawn now, which changes none of them.
  /// Valid until it has been taken and another one is. REQUIRES: of_share() is not called.
  Batch upcoming(std::size_t after);
  /// How many next() has taken since the first call of upcoming().
  std::uint64_t taken() const { return taken_; }
  /// The number of the present one among those of all workers, from 0, where the pace is free;
  /// elsewhere the number of the first one of the present step.
  std::uint64_t number() const { return context_.pacer.minibatch_number(rank_.rank()); }

  /// This step takes none. REQUIRES: the pace is lockstep.
  void sit_out() { context_.pacer.sit_out(rank_.rank()); }
  /// How many minibatches these rows make, for Worker::compute(): a fraction for a part of one.
  double count_of(Batch batch) const {
    return static_cast<double>(row_count(batch)) / static_cast<double>(context_.batch);
  }
  /// Takes the next one and computes something of it in a gradient's place, and as long, with the
  /// run's noise. Throws OptionError where --weights says that gradients weigh differently.
  /// REQUIRES: `work` does as that of Worker::compute().
  void compute_on_next(FunctionRef<void(Batch)> work);
  /// The weight of the worker's share in a mean that the program takes itself: its rows, or 1 where
  /// all count alike (--weights). For rows with .shares = {.in_program = true}.
  std::uint64_t share_weight() const {
    return context_.share_weights == ShareWeights::rows ? streams_.front().rows() : 1;
  }

  /// How many make a pass over the worker's own share, or what it is dealt of one.
  std::uint64_t of_epoch() const {
    const std::size_t batch = streams_.front().batch();
    return (streams_.front().rows() + batch - 1) / batch;
  }

  // Shares one by one.

  std::size_t shares() const { return streams_.size(); }
  /// Minibatch `number`, from 0, of that share alone. A share's numbers go up; those left out are
  /// skipped.
  Batch of_share(std::size_t share, std::uint64_t number);
  /// The factor of the losses of that share's rows (--weights): n n_i / N, or 1.
  double loss_weight_of(std::size_t share) const {
    return loss_weights_.empty() ? 1.0 : loss_weights_[share];
  }
  /// The factor of all rows of a minibatch. REQUIRES: !shares_weigh().
  /// Of a step's portion, as it was taken last, where portions weigh its rows for each of a
  /// minibatch.
  double loss_weight() const {
    require(!shares_weigh(), "shares that weigh differently are combined");
    if (context_.by_speed != nullptr) return context_.portions_weigh ? portion_ : 1.0;
    return loss_weight_of(0);
  }
  /// There are several shares, with weights of their own.
  bool shares_weigh() const { return loss_weights_.size() > 1; }

  /// These rows, once they have come from the data server, if there is one.
  Batch fetched(Batch rows);
  MinibatchCosts& costs() { return costs_; }

 private:
  Batch next_of_shares();
  Batch draw_of_shares();
  Batch draw_portion();

  Rank& rank_;
  const RunContext& context_;
  // Written by the constructor.
  std::vector<Dataset> shares_;       // none where rows are dealt anew
  std::vector<double> loss_weights_;  // of each share; empty: 1
  // Written whenever one is drawn.
  std::vector<MinibatchStream> streams_;     // of each share
  MinibatchStream* own_stream_ = nullptr;    // of the only share, whose rows are at hand
  std::vector<std::uint64_t> next_numbers_;  // of each stream, as of_share() counts
  std::vector<RowRange> ranges_;             // one minibatch of each share
  // Drawn ahead, taken last, and room for more. Lists, as their nodes move without allocation.
  std::list<std::vector<RowRange>> ahead_, last_taken_, spare_;
  std::uint64_t taken_ = 0;
  double portion_ = 1.0;  // of the rows of a minibatch, with --deal speed
  MinibatchCosts costs_;
};

}  // namespace trainyard
