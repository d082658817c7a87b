#include "run/failures.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "trainyard/base/units.hpp"
#include "trainyard/network/fault_trace.hpp"

namespace trainyard {

namespace {

constexpr std::size_t most_together = 100'000;  // crashes before all are up again

}  // namespace

std::string failure_text(const Failure& failure, int workers) {
  const bool is_worker = failure.rank < workers;
  return fmt::format("{} {} crashed at {}", is_worker ? "worker" : "server",
                     is_worker ? failure.rank : failure.rank - workers,
                     human_duration(to_seconds(failure.at)));
}

Failures::Failures(const Faults& faults, int workers, int ranks, std::uint64_t seed)
    : merges_(faults.on_failure == OnFailure::restart) {
  for (int rank = 0; rank < ranks; ++rank) {
    ranks_.push_back({crashes_of(faults, rank, workers, seed)});
  }
  find();
}

void Failures::go_past() {
  for (OfRank& own : ranks_) {
    own.met = own.within;
    own.crashes.forget_before(own.met);
  }
  find();
}

void Failures::go_to(Time moment) {
  while (next_ && next_->at < moment) go_past();
}

void Failures::find() {
  next_.reset();
  OfRank* first = nullptr;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    OfRank& own = ranks_[rank];
    own.within = own.met;
    const FaultTime* down = own.crashes.get(own.met, Time::max());
    if (down == nullptr || (next_ && next_->at <= down->from)) continue;
    next_ = Failure{static_cast<int>(rank), down->from, down->until};
    first = &own;
  }
  if (!next_) return;
  if (merges_ && !next_->is_for_good()) {
    merge();
  } else {
    ++first->within;
  }
}

/// Whoever crashes before all are back has the others wait for longer, in which more may crash.
/// Where that goes on and on they are never up together.
void Failures::merge() {
  next_->crashes = 0;
  for (bool grows = true; grows && !next_->is_for_good();) {
    grows = false;
    for (OfRank& own : ranks_) {
      const FaultTime* down = own.crashes.get(own.within, next_->over);
      if (down == nullptr || (down->from == next_->over && down->from != next_->at)) continue;
      ++own.within;
      ++next_->crashes;
      next_->over = std::max(next_->over, down->until);
      grows = true;
      if (next_->crashes > most_together) next_->over = Time::max();
    }
  }
}

namespace {

/// Of those that were named, and of a trace. One table of faults serves a whole comparison, and may
/// name the server of another scheme.
std::vector<Crash> crashes_for_good(const Faults& faults, const Cast& cast) {
  std::vector<Crash> crashes = faults.crashes;
  std::erase_if(crashes, [&](const Crash& crash) { return crash.rank >= cast.ranks(); });
  for (int worker = 0; worker < cast.workers && faults.trace; ++worker) {
    for (const FaultTime& down : outages_in(*faults.trace, worker, cast.workers).once) {
      crashes.push_back({worker, down});
    }
  }
  std::erase_if(crashes, [](const Crash& crash) { return crash.when.until != Time::max(); });
  return crashes;
}

}  // namespace

bool loses_ranks(const Faults& faults, const Cast& cast) {
  return faults.on_failure == OnFailure::wait && !crashes_for_good(faults, cast).empty();
}

std::vector<std::string> lost_ranks(const Faults& faults, const Cast& cast, Time now) {
  std::vector<std::string> all;
  for (const Crash& crash : crashes_for_good(faults, cast)) {
    if (crash.when.from > now) continue;
    all.push_back(failure_text({crash.rank, crash.when.from}, cast.workers) + " for good");
  }
  return all;
}

std::string crash_of_nobody(const Faults& faults, const Cast& cast) {
  const auto found = std::ranges::find_if(
      faults.crashes, [&](const Crash& crash) { return crash.rank >= cast.ranks(); });
  if (found == faults.crashes.end()) return "";
  return fmt::format("note: --fault crash:{} has no effect: the ranks of this scheme are 0 to {}",
                     found->rank, cast.ranks() - 1);
}

std::optional<Failures> failures_of(const Faults& faults, int workers, int ranks,
                                    std::uint64_t seed) {
  const OnFailure rule = faults.on_failure;
  if (!faults.crash() || (rule != OnFailure::stop && rule != OnFailure::restart)) return {};
  return Failures(faults, workers, ranks, seed);
}

}  // namespace trainyard
