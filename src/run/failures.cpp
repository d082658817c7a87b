#include "run/failures.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "trainyard/base/units.hpp"

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

bool loses_ranks(const Faults& faults) {
  return faults.on_failure == OnFailure::wait &&
         std::ranges::any_of(faults.crashes,
                             [](const Crash& crash) { return crash.when.until == Time::max(); });
}

std::string lost_ranks_text(const Faults& faults, int workers, Time now) {
  std::string text;
  for (const Crash& crash : faults.crashes) {
    if (crash.when.until != Time::max() || crash.when.from > now) continue;
    text += fmt::format("{}{} for good", text.empty() ? "" : ", ",
                        failure_text({crash.rank, crash.when.from}, workers));
  }
  return text;
}

std::optional<Failures> failures_of(const Faults& faults, int workers, int ranks,
                                    std::uint64_t seed) {
  if (!faults.crash() || faults.on_failure == OnFailure::wait) return std::nullopt;
  return Failures(faults, workers, ranks, seed);
}

}  // namespace trainyard
