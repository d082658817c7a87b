#include "trainyard/network/outages.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "trainyard/network/fault_trace.hpp"

namespace trainyard {

namespace {

/// `span` after `moment`, or the end of time.
Time after(Time moment, Duration span) {
  return moment > Time::max() - span ? Time::max() : moment + span;
}

/// The end of time where it would be beyond.
Duration times(Duration mean, double factor) {
  const double length = static_cast<double>(mean.count()) * factor;
  if (length >= static_cast<double>(Duration::max().count())) return Duration::max();
  return Duration(std::llround(length));
}

}  // namespace

Outages::Outages(std::vector<FaultTime> named, const std::optional<DrawnCrashes>& drawn,
                 std::uint64_t seed, int rank, OutageCycle cycle)
    : named_(std::move(named)),
      rule_(drawn),
      cycle_(std::move(cycle)),
      stream_(seed, Purpose::crash, static_cast<std::uint32_t>(rank)) {
  std::ranges::sort(named_, std::ranges::greater(), &FaultTime::from);
  turn();
  if (!rule_) return;
  drawn_.until = Time{0};
  draw();
}

void Outages::draw() {
  drawn_.from = after(drawn_.until, times(rule_->mean, stream_.exponential()));
  drawn_.until = after(drawn_.from, rule_->repair);
}

/// The next one of the cycle.
void Outages::turn() {
  if (cycle_.outages.empty()) return;
  const FaultTime& one = cycle_.outages[turns_ % cycle_.outages.size()];
  const auto periods = static_cast<std::int64_t>(turns_ / cycle_.outages.size());
  const bool is_beyond = periods > Duration::max() / cycle_.period;
  const Duration before = is_beyond ? Duration::max() : cycle_.period * periods;
  turned_ = {after(one.from, before), after(one.until, before)};
  ++turns_;
}

/// Whichever begins first of those that were named, drawn and of the cycle.
FaultTime Outages::first() const {
  const FaultTime other = turned_.from < drawn_.from ? turned_ : drawn_;
  return !named_.empty() && named_.back().from <= other.from ? named_.back() : other;
}

void Outages::take_first() {
  if (const FaultTime one = first(); !named_.empty() && named_.back() == one) {
    named_.pop_back();
  } else if (turned_.from < drawn_.from) {
    turn();
  } else {
    draw();
  }
}

const FaultTime* Outages::get(std::size_t i, Time until) {
  while (forgotten_ + found_.size() <= i) {
    const FaultTime next = first();
    if (next.from > until || next.from == Time::max()) return nullptr;
    found_.push_back(next);
    take_first();
  }
  const FaultTime& found = found_[i - forgotten_];
  return found.from <= until ? &found : nullptr;
}

void Outages::forget_before(std::size_t i) {
  for (; forgotten_ < i && !found_.empty(); ++forgotten_) found_.pop_front();
}

Outages crashes_of(const Faults& faults, int rank, int workers, std::uint64_t seed,
                   std::vector<FaultTime> besides) {
  std::vector<FaultTime> named = std::move(besides);
  for (const Crash& crash : faults.crashes) {
    if (crash.rank == rank) named.push_back(crash.when);
  }
  if (rank >= workers) return {std::move(named), std::nullopt, seed, rank};
  OutageCycle cycle;
  if (faults.trace) {
    TracedOutages traced = outages_in(*faults.trace, rank, workers);
    named.insert(named.end(), traced.once.begin(), traced.once.end());
    cycle = std::move(traced.cycle);
  }
  return {std::move(named), faults.drawn_crashes, seed, rank, std::move(cycle)};
}

}  // namespace trainyard
