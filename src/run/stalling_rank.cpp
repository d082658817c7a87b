#include "run/stalling_rank.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace trainyard {

std::unique_ptr<StallingRank> stalling_rank(Rank& inside, const Faults& faults,
                                            std::uint64_t seed) {
  const bool crashes = faults.crash() && faults.on_failure == OnFailure::wait;
  if (faults.stalls.empty() && !crashes) return nullptr;
  std::vector<FaultTime> stalls;
  for (const Stall& stall : faults.stalls) {
    if (stall.rank == inside.rank()) stalls.push_back(stall.when);
  }
  const Faults none;
  return std::make_unique<StallingRank>(
      inside, crashes_of(crashes ? faults : none, inside.rank(), inside.workers(), seed,
                         std::move(stalls)));
}

StallingRank::StallingRank(Rank& inside, Outages away)
    : RankWrapper(inside), away_(std::move(away)) {}

/// It has been at something since `began`, and would be done now. Of a stretch that has begun
/// meanwhile it makes up for what it missed, in which another one may begin, for good, too: then it
/// is gone when that begins, and not before.
Duration StallingRank::missed_since(Time began) {
  const Time done = now();
  Time until = done;
  Time stood = std::max(began, made_up_);
  const FaultTime* away = away_.get(passed_, done);
  while (away != nullptr && away->until <= stood) away = away_.get(++passed_, done);
  away_.forget_before(passed_);
  for (std::size_t i = passed_; (away = away_.get(i, until)) != nullptr; ++i) {
    if (away->until <= stood) continue;
    if (away->until == Time::max()) die_at(away->from);
    const Time from = std::max(away->from, stood);
    until = checked_sum(until, away->until - from);
    stood = away->until;
  }
  if (until > done) made_up_ = until;
  return until - done;
}

/// In simulated time, if it is gone for good before something that it begins now ends.
void StallingRank::die_before(Time ends) {
  for (std::size_t i = passed_; const FaultTime* away = away_.get(i, ends); ++i) {
    if (away->until == Time::max()) die_at(away->from);
  }
}

void StallingRank::die_at(Time moment) {
  const Time present = now();
  if (moment > present) RankWrapper::compute({.pause = moment - present}, [] {});
  throw RankGone();
}

bool StallingRank::is_away(Time present) {
  for (std::size_t i = passed_; const FaultTime* away = away_.get(i, present); ++i) {
    if (away->has(present)) return true;
  }
  return false;
}

void StallingRank::stand_since(Time began) {
  const Duration missed = missed_since(began);
  if (missed > Duration{0}) RankWrapper::compute({.pause = missed}, [] {});
}

void StallingRank::begin() {
  RankWrapper::begin();
  die_before(now());
}

Message StallingRank::receive(int from) {
  Message message = RankWrapper::receive(from);
  stand();
  return message;
}

std::uint64_t StallingRank::receive_into(int from, Vector into) {
  const std::uint64_t tag = RankWrapper::receive_into(from, into);
  stand();
  return tag;
}

void StallingRank::receive_add(int from, Vector sum) {
  RankWrapper::receive_add(from, sum);
  stand();
}

bool StallingRank::await_message() {
  const bool comes = RankWrapper::await_message();
  stand();
  return comes;
}

std::optional<Message> StallingRank::receive_any() {
  std::optional<Message> message = RankWrapper::receive_any();
  stand();
  return message;
}

std::optional<Message> StallingRank::poll(int from) {
  stand();
  return RankWrapper::poll(from);
}

std::optional<Message> StallingRank::poll_any() {
  stand();
  return RankWrapper::poll_any();
}

void StallingRank::lend(int to, ConstVector payload) {
  stand();
  RankWrapper::lend(to, payload);
}

void StallingRank::post(int to, std::span<const std::byte> bytes, Payload payload,
                        std::uint64_t tag) {
  stand();
  RankWrapper::post(to, bytes, payload, tag);
}

void StallingRank::compute(const ComputeCost& cost, FunctionRef<void()> work) {
  const Time began = now();
  die_before(checked_sum(checked_sum(began, cost.simulated), cost.pause));
  RankWrapper::compute(cost, work);
  stand_since(began);
}

void StallingRank::barrier() {
  RankWrapper::barrier();
  stand();
}

bool StallingRank::compute_serving(const ComputeCost& cost, FunctionRef<void()> work,
                                   FunctionRef<bool(Message&)> serve) {
  std::vector<Message> held;
  const auto serve_held = [&] {
    bool goes_on = true;
    for (Message& message : held) goes_on = serve(message) && goes_on;
    held.clear();
    return goes_on;
  };
  const auto serve_if_awake = [&](Message& message) {
    if (is_away(now())) {
      held.push_back(std::move(message));
      return true;
    }
    const bool goes_on = serve_held();  // they came before
    return serve(message) && goes_on;
  };
  const Time began = now();
  die_before(checked_sum(checked_sum(began, cost.simulated), cost.pause));
  bool goes_on = RankWrapper::compute_serving(cost, work, serve_if_awake);
  if (goes_on) {
    const Duration missed = missed_since(began);
    if (missed > Duration{0}) {
      goes_on = RankWrapper::compute_serving(
          {.pause = missed}, [] {}, serve_if_awake);
    }
  }
  return serve_held() && goes_on;
}

}  // namespace trainyard
