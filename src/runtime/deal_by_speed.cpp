// Workers that wait for one another at every step are held to the slowest. Where cores differ, as
// those of virtual machines do by a factor of two, equal shares leave the others waiting: LB-BSP
// (Chen, Weng, Wang, Li & Li, "Semi-Dynamic Load Balancing: Efficient Distributed Learning in
// Non-Dedicated Environments", SoCC 2020) gives worker i of a step with X rows x_i ∝ v_i of them,
// v_i being the rows that it does in a second, and weighs its gradient by x_i. That is the step's
// mean over X rows, whoever computes which, so that training goes as with equal shares.
//
// So that the X rows of a step are the same however they are divided, they come from one order of
// all rows, which every worker knows; each takes its portion of them.
//
// The speed is that of the time in which a worker neither waits nor is at a transfer: what a step
// takes beside its rows counts, too. Where that is the same a_i at any x_i, t_i = a_i + x_i/r_i,
// the rule x_i ← X (x_i/t_i) / Σ_j (x_j/t_j) rests where all t_i are equal, which is what is
// wanted.
//
// All go by one division in each stretch of steps. Who comes first to the end of a stretch makes
// the next division, of the speeds that the others have shown by then; in simulated time that is
// the same at every repetition. The paper looks at every step, and on processors predicts by a
// neural network what the next one will take. Here a stretch is at least 8 steps, and a millisecond
// where steps are short, as a look takes a lock, which beside steps of a microsecond would be all
// that a worker does. The time of a row is half the median of the stretch's steps, or of fifteen of
// them, half what it was before. Not their mean: where a system takes a core away for some
// milliseconds, shorter steps are as fast as ever or do not happen, and a division by means made
// two cores of which one had a neighbour 0.58 of what equal portions did.
#include "trainyard/runtime/deal_by_speed.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

#include "trainyard/base/error.hpp"
#include "trainyard/base/units.hpp"

namespace trainyard {

namespace {

constexpr std::uint64_t least_steps = 8, most_steps = 8192;  // between two looks
constexpr double least_seconds = 1e-3;

constexpr std::string_view kept_name = "deal by speed";

}  // namespace

std::vector<std::size_t> in_proportion(std::span<const double> speeds, std::size_t rows) {
  const double all = std::accumulate(speeds.begin(), speeds.end(), 0.0);
  const std::size_t n = speeds.size();
  const auto spare = static_cast<double>(rows - n);  // beyond the one of each
  std::vector<std::size_t> counts(n);
  std::vector<std::pair<double, std::size_t>> rests;
  std::size_t given = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double wanted = std::max(0.0, static_cast<double>(rows) * speeds[i] / all - 1.0);
    const double most = std::min(wanted, spare);
    counts[i] = 1 + static_cast<std::size_t>(most);
    given += counts[i];
    rests.emplace_back(std::floor(most) - most, i);  // the largest first, then the first worker
  }
  // Who is raised to one row takes it from those who have most.
  for (; given > rows; --given) --*std::max_element(counts.rbegin(), counts.rend());
  std::ranges::sort(rests);
  for (std::size_t k = 0; given < rows; ++given, k = (k + 1) % n) ++counts[rests[k].second];
  return counts;
}

DealBySpeed::DealBySpeed(int workers, std::size_t rows_of_step, RunState& state)
    : rows_of_step_(rows_of_step), shares_(static_cast<std::size_t>(workers)) {
  require(workers > 0 && shares_.size() <= rows_of_step, "each worker is dealt some rows");
  for (int worker = 0; worker < workers; ++worker) {
    const auto kept = state.counts(worker, kept_name, kept_numbers);
    Share& share = shares_[static_cast<std::size_t>(worker)];
    share.portion = {kept[0], kept[1]};
    share.end = kept[2];
    share.stride = std::max<std::uint64_t>(1, kept[3]);
    share.seconds_a_row = std::bit_cast<double>(kept[4]);
    share.timing = kept[5] != 0;
    share.busy = Duration(static_cast<Duration::rep>(kept[6]));
    share.timed = kept[7];
    const auto took = kept.subspan(8);
    std::ranges::transform(took, share.took.begin(),
                           [](auto bits) { return std::bit_cast<double>(bits); });
  }
}

void DealBySpeed::put_down(int worker, RunState& state) const {
  const Share& share = shares_[static_cast<std::size_t>(worker)];
  const auto kept = state.counts(worker, kept_name, kept_numbers);
  kept[0] = share.portion.first;
  kept[1] = share.portion.count;
  kept[2] = share.end;
  kept[3] = share.stride;
  kept[4] = std::bit_cast<std::uint64_t>(share.seconds_a_row);
  kept[5] = share.timing ? 1 : 0;
  kept[6] = static_cast<std::uint64_t>(share.busy.count());
  kept[7] = share.timed;
  std::ranges::transform(share.took, kept.begin() + 8,
                         [](double seconds) { return std::bit_cast<std::uint64_t>(seconds); });
}

/// So many steps that a look is rare, by those of whom something is known.
std::uint64_t DealBySpeed::steps_of_next() const {
  double longest = 0.0;
  for (const Share& share : shares_) {
    longest = std::max(longest, share.seconds_a_row * static_cast<double>(share.portion.count));
  }
  if (longest <= 0.0) return least_steps;
  const double wanted = std::min(std::ceil(least_seconds / longest), 1.0 * most_steps);
  return std::max(least_steps, static_cast<std::uint64_t>(wanted));
}

DealBySpeed::Division DealBySpeed::divided(std::uint64_t step) const {
  const std::size_t n = shares_.size();
  Division made{.end = step + steps_of_next(), .firsts = std::vector<std::size_t>(n + 1, 0)};
  const bool known =
      std::ranges::all_of(shares_, [](const Share& s) { return s.seconds_a_row > 0; });
  std::vector<double> speeds(n, 1.0);
  if (known) {
    std::ranges::transform(shares_, speeds.begin(),
                           [](const Share& s) { return 1 / s.seconds_a_row; });
  }
  const std::vector<std::size_t> counts = in_proportion(speeds, rows_of_step_);
  std::partial_sum(counts.begin(), counts.end(), made.firsts.begin() + 1);
  return made;
}

/// Of the step that ends, if it is one of those that are timed; and whether the next one is.
void DealBySpeed::time(Share& share, std::uint64_t step, Rank& rank) {
  const bool is_timed = share.timed < most_timed && step % share.stride == 0;
  if (!share.timing && !is_timed) return;
  const Duration busy = rank.now() - rank.blocked();
  if (share.timing && share.timed < most_timed) {
    share.took[share.timed++] =
        to_seconds(busy - share.busy) / static_cast<double>(share.portion.count);
  }
  share.timing = is_timed;
  share.busy = busy;
}

/// What the stretch that ends has shown.
void DealBySpeed::look(Share& share) {
  const auto middle = share.took.begin() + static_cast<std::ptrdiff_t>(share.timed / 2);
  std::nth_element(share.took.begin(), middle,
                   share.took.begin() + static_cast<std::ptrdiff_t>(share.timed));
  if (share.timed > 0 && *middle > 0.0) {
    share.seconds_a_row = share.seconds_a_row > 0 ? (share.seconds_a_row + *middle) / 2 : *middle;
  }
  share.timed = 0;
  share.timing = false;
}

void DealBySpeed::renew(std::size_t worker, std::uint64_t step) {
  auto division = divisions_.upper_bound(step);
  const bool is_there = division != divisions_.begin() && step < std::prev(division)->second.end;
  division = is_there ? std::prev(division) : divisions_.emplace(step, divided(step)).first;
  const auto& [end, firsts] = division->second;
  Share& share = shares_[worker];
  share.portion = {firsts[worker], firsts[worker + 1] - firsts[worker]};
  share.end = end;
  share.stride = std::max<std::uint64_t>(1, (end - step) / most_timed);
  // Nobody comes back to those that all have left.
  const auto least = std::ranges::min_element(shares_, {}, &Share::end)->end;
  while (divisions_.size() > 1 && divisions_.begin()->second.end < least) {
    divisions_.erase(divisions_.begin());
  }
}

DealBySpeed::Portion DealBySpeed::portion(Rank& rank, std::uint64_t step) {
  const auto worker = static_cast<std::size_t>(rank.rank());
  Share& share = shares_[worker];
  time(share, step, rank);
  // Before the last step of a stretch, as whoever makes the next division may be the first to come
  // to it: where all wait for all, everybody has come to that step.
  if (step + 1 == share.end) {
    const std::lock_guard lock(mutex_);
    look(share);
  } else if (step >= share.end) {
    const std::lock_guard lock(mutex_);
    renew(worker, step);
  }
  return share.portion;
}

}  // namespace trainyard
