#include "run/stalling_rank.hpp"

#include <algorithm>
#include <utility>

namespace trainyard {

std::unique_ptr<StallingRank> stalling_rank(Rank& inside, const Faults& faults) {
  if (faults.stalls.empty()) return nullptr;
  std::vector<FaultTime> found;
  for (const Stall& stall : faults.stalls) {
    if (stall.rank == inside.rank()) found.push_back(stall.when);
  }
  std::ranges::sort(found, {}, &FaultTime::from);
  return std::make_unique<StallingRank>(inside, std::move(found));
}

StallingRank::StallingRank(Rank& inside, std::vector<FaultTime> stalls)
    : RankWrapper(inside), stalls_(std::move(stalls)) {}

/// It has been at something since `began`, and would be done now. Of a stretch that has begun
/// meanwhile it makes up for what it missed, in which another one may begin.
Duration StallingRank::missed_since(Time began) {
  if (stalls_.empty()) return Duration{0};
  const Time done = now();
  Time until = done;
  Time stood = std::max(began, made_up_);
  for (const FaultTime& stall : stalls_) {
    if (stall.until <= stood || stall.from > until) continue;
    const Time from = std::max(stall.from, stood);
    until = checked_sum(until, stall.until - from);
    stood = stall.until;
  }
  if (until > done) made_up_ = until;
  return until - done;
}

void StallingRank::stand_since(Time began) {
  const Duration missed = missed_since(began);
  if (missed > Duration{0}) RankWrapper::compute({.pause = missed}, [] {});
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
  const auto serve_if_awake = [&](Message& message) {
    const Time present = now();
    const auto has_now = [&](const FaultTime& stall) { return stall.has(present); };
    if (std::ranges::none_of(stalls_, has_now)) return serve(message);
    held.push_back(std::move(message));
    return true;
  };
  const Time began = now();
  bool goes_on = RankWrapper::compute_serving(cost, work, serve_if_awake);
  if (goes_on) {
    const Duration missed = missed_since(began);
    if (missed > Duration{0}) {
      goes_on = RankWrapper::compute_serving(
          {.pause = missed}, [] {}, serve_if_awake);
    }
  }
  for (Message& message : held) goes_on = serve(message) && goes_on;
  return goes_on;
}

}  // namespace trainyard
