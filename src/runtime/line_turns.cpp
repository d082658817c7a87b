#include "trainyard/runtime/line_turns.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "trainyard/base/error.hpp"
#include "trainyard/data/split_file.hpp"
#include "trainyard/runtime/worker.hpp"

#include "runtime/worker_parts.hpp"

namespace trainyard {

namespace {

/// Floats of a cache line; of doubles a part is two of them.
constexpr std::size_t numbers_of_part = 16;

/// A count of 1 among so many says 1/p to a factor of two or three; which part waits for 16 visits
/// and which for 32 matters little.
constexpr std::size_t most_counted = 4096;

struct Touched {
  std::size_t columns;                // of a part
  std::vector<std::uint32_t> counts;  // of rows, a part
  std::size_t rows;
};

Touched count_rows(const Dataset& train, std::size_t outputs) {
  constexpr std::uint32_t none = ~std::uint32_t{0};
  const std::size_t columns = numbers_of_part / std::gcd(numbers_of_part, outputs);
  const std::size_t parts = (train.features + columns - 1) / columns;
  Touched found{columns, std::vector<std::uint32_t>(parts, 0), std::min(train.rows, most_counted)};
  std::vector<std::uint32_t> last(parts, none);
  for (std::size_t i = 0; i < found.rows; ++i) {
    const std::size_t row = train.rows * i / found.rows;
    check_rows(train, row, 1);
    for (const std::uint32_t column : train.sparse_row(row).columns) {
      const std::size_t part = column / columns;
      if (last[part] == i) continue;
      last[part] = static_cast<std::uint32_t>(i);
      ++found.counts[part];
    }
  }
  return found;
}

/// In how many visits a part has its turn that a fraction `touched` of the minibatches touches.
std::uint64_t visits_of(double touched, std::uint64_t most_visits) {
  const double power = std::round(-std::log2(std::min(1.0, touched)));  // infinite of none
  const double most = std::log2(static_cast<double>(std::bit_floor(most_visits)));
  return std::uint64_t{1} << static_cast<unsigned>(std::min(power, most));
}

}  // namespace

LineTurns::LineTurns(Worker& worker, std::uint64_t period, std::uint64_t most_visits) {
  require(period >= 1 && most_visits >= 1, "a part has its turn in some visit");
  const WorkerParts all(worker);
  const std::size_t dimension = all.context.model.dimension();
  const Dataset& train = all.context.train;
  const auto minibatches = static_cast<std::uint64_t>(all.context.workers) * period;
  const std::uint64_t of_pass = train.rows / all.context.batch / minibatches;
  most_visits = std::clamp<std::uint64_t>(of_pass, 1, most_visits);
  if (all.context.model.sparse_update() == nullptr || most_visits == 1 || train.features == 0) {
    parts_ = due_ = {{0, dimension}};
    groups_ = {{0, 1, 1}};
    most_ = dimension;
    return;
  }
  const std::size_t outputs = dimension / train.features;
  const Touched touched = count_rows(train, outputs);
  std::vector<std::uint32_t> order(touched.counts.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::uint32_t part) { return touched.counts[part]; });
  const auto batch = static_cast<double>(all.context.batch);
  for (const std::uint32_t part : order) {
    const double of_rows =
        static_cast<double>(touched.counts[part]) / static_cast<double>(touched.rows);
    const std::uint64_t visits = visits_of(batch * of_rows, most_visits);
    if (groups_.empty() || groups_.back().visits != visits) {
      groups_.push_back({parts_.size(), 0, visits});
    }
    ++groups_.back().count;
    const std::size_t first = part * touched.columns * outputs;
    parts_.push_back({first, std::min(touched.columns * outputs, dimension - first)});
  }
  std::size_t most_parts = 0;
  for (const Group& group : groups_) most_parts += (group.count + group.visits - 1) / group.visits;
  due_.reserve(most_parts);
  most_ = most_parts * touched.columns * outputs;
}

std::span<const ParameterRange> LineTurns::due(std::uint64_t visit) {
  due_.clear();
  for (const Group& group : groups_) {
    const std::uint64_t turn = visit % group.visits;
    const std::size_t first = group.first + group.count * turn / group.visits;
    const std::size_t end = group.first + group.count * (turn + 1) / group.visits;
    due_.insert(due_.end(), parts_.begin() + static_cast<std::ptrdiff_t>(first),
                parts_.begin() + static_cast<std::ptrdiff_t>(end));
  }
  return due_;
}

}  // namespace trainyard
