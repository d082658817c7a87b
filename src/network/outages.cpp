#include "trainyard/network/outages.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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
                 std::uint64_t seed, int rank)
    : named_(std::move(named)),
      rule_(drawn),
      stream_(seed, Purpose::crash, static_cast<std::uint32_t>(rank)) {
  std::ranges::sort(named_, std::ranges::greater(), &FaultTime::from);
  if (!rule_) return;
  drawn_.until = Time{0};
  draw();
}

void Outages::draw() {
  drawn_.from = after(drawn_.until, times(rule_->mean, stream_.exponential()));
  drawn_.until = after(drawn_.from, rule_->repair);
}

const FaultTime* Outages::get(std::size_t i, Time until) {
  while (forgotten_ + found_.size() <= i) {
    const bool has_named = !named_.empty() && named_.back().from <= drawn_.from;
    const FaultTime next = has_named ? named_.back() : drawn_;
    if (next.from > until || next.from == Time::max()) return nullptr;
    found_.push_back(next);
    if (has_named) {
      named_.pop_back();
    } else {
      draw();
    }
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
  const bool is_worker = rank < workers;
  return {std::move(named), is_worker ? faults.drawn_crashes : std::nullopt, seed, rank};
}

}  // namespace trainyard
