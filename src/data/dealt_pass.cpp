// A share that a worker keeps for the whole run has a minimum of its own, and a replica that is
// merged with others only now and then goes some way towards that. SySCD (Ioannou, Mendler-Dünner &
// Parnell, NeurIPS 2019, section 3.2) deals all data anew among the threads of a machine at every
// pass, in buckets of neighbouring ones; PyTorch's DistributedSampler does it row by row, for
// machines that all have the whole data set. Here it is a pass of minibatch.cpp, cut for all
// workers together: the rows lie in a random order once, on a circle; the pass begins at a row
// drawn at random, is cut into blocks of consecutive rows, and the blocks are dealt in a random
// order, the first so many to worker 0, and so on.
//
// A worker's minibatches and blocks are kept in step, as there: its pass begins with the rows that
// the minibatch still wants which spans its beginning, goes on with whole blocks, and ends with
// what is left of its share, less than a block. The first and the last of these, the loose rows,
// are cut off the circle's end, one worker's behind the other's. How many rows and blocks each
// worker has follows from the pass's number, so that each knows where those before it end.
//
// All blocks up to a worker's last are shuffled when its pass begins: of 16 workers with a million
// rows, 4,000 numbers once in 62,500 rows.
#include "trainyard/data/dealt_pass.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "trainyard/base/error.hpp"

namespace trainyard {

std::size_t block_rows_of(std::size_t rows, std::size_t batch) {
  const auto root = static_cast<std::size_t>(std::sqrt(static_cast<double>(rows)));
  return batch * std::max<std::size_t>(1, root / batch);
}

DealtPass::DealtPass(std::size_t rows, Place place, std::size_t batch, RandomStream common)
    : rows_(rows),
      place_(place),
      batch_(batch),
      least_(rows / place.workers),
      longer_(rows % place.workers),
      block_rows_(block_rows_of(least_, batch)),
      common_(common) {
  require(place.worker < place.workers && place.workers <= rows, "each worker is dealt some rows");
  require(rows <= std::numeric_limits<std::uint32_t>::max(), "row numbers have 32 bits");
  require(batch > 0, "a minibatch needs at least one row");
  blocks_.reserve(rows / block_rows_);
}

DealtPass::Cut DealtPass::cut_of(std::size_t rows, std::uint64_t pass) const {
  const std::uint64_t before = (pass % batch_) * (rows % batch_) % batch_;  // of pass · rows
  const std::size_t wanted = before == 0 ? 0 : std::min<std::size_t>(rows, batch_ - before);
  const std::size_t blocks = (rows - wanted) / block_rows_;
  return {.wanted = wanted, .blocks = blocks, .left = rows - wanted - blocks * block_rows_};
}

void DealtPass::begin(std::uint64_t pass) {
  // After 2^32 passes the deals repeat.
  common_.jump_to(static_cast<std::uint32_t>(pass));
  start_ = common_.below32(static_cast<std::uint32_t>(rows_));
  const Cut longer = cut_of(least_ + 1, pass), least = cut_of(least_, pass);
  const auto sum_before = [&](std::size_t worker, std::size_t of_longer, std::size_t of_least) {
    const std::size_t first = std::min(worker, longer_);
    return first * of_longer + (worker - first) * of_least;
  };
  cut_ = place_.worker < longer_ ? longer : least;
  const std::size_t all = sum_before(place_.workers, longer.blocks, least.blocks);
  block_ = sum_before(place_.worker, longer.blocks, least.blocks);
  loose_first_ = all * block_rows_ + sum_before(place_.worker, longer.loose(), least.loose());
  blocks_.resize(all);
  std::iota(blocks_.begin(), blocks_.end(), 0U);
  const std::size_t end = block_ + cut_.blocks;
  for (std::size_t i = 0; i < end && i + 1 < all; ++i) {
    std::swap(blocks_[i], blocks_[i + common_.below32(static_cast<std::uint32_t>(all - i))]);
  }
}

DealtPass::Run DealtPass::next() {
  const auto at = [&](std::size_t place) {
    const std::size_t row = start_ + place;
    return row < rows_ ? row : row - rows_;
  };
  if (cut_.wanted > 0) {
    const std::size_t count = std::exchange(cut_.wanted, 0);
    return {at(std::exchange(loose_first_, loose_first_ + count)), count};
  }
  if (cut_.blocks > 0) {
    --cut_.blocks;
    return {at(blocks_[block_++] * block_rows_), block_rows_};
  }
  return {at(loose_first_), std::exchange(cut_.left, 0)};
}

}  // namespace trainyard
