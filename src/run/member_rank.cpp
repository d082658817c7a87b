#include "run/member_rank.hpp"

#include <algorithm>
#include <utility>

namespace trainyard {

namespace {

int place_of(int rank, const std::vector<int>& ranks) {
  return static_cast<int>(std::ranges::lower_bound(ranks, rank) - ranks.begin());
}

}  // namespace

MemberRank::MemberRank(Rank& inside, const std::vector<int>& ranks, int workers)
    : RankWrapper(inside, place_of(inside.rank(), ranks), workers,
                  static_cast<int>(ranks.size()) - workers),
      ranks_(ranks) {}

void MemberRank::rename(Message& message) const {
  message.know_sender_as(place_of(message.from(), ranks_));
}

std::optional<Message> MemberRank::renamed(std::optional<Message> message) const {
  if (message) rename(*message);
  return message;
}

Message MemberRank::receive(int from) {
  Message message = RankWrapper::receive(rank_of(from));
  rename(message);
  return message;
}

std::uint64_t MemberRank::receive_into(int from, Vector into) {
  return RankWrapper::receive_into(rank_of(from), into);
}

void MemberRank::receive_add(int from, Vector sum) {
  RankWrapper::receive_add(rank_of(from), sum);
}

std::optional<Message> MemberRank::receive_any() {
  return renamed(RankWrapper::receive_any());
}

std::optional<Message> MemberRank::poll(int from) {
  return renamed(RankWrapper::poll(rank_of(from)));
}

std::optional<Message> MemberRank::poll_any() {
  return renamed(RankWrapper::poll_any());
}

void MemberRank::lend(int to, ConstVector payload) {
  RankWrapper::lend(rank_of(to), payload);
}

bool MemberRank::compute_serving(const ComputeCost& cost, FunctionRef<void()> work,
                                 FunctionRef<bool(Message&)> serve) {
  const auto serve_as_known = [&](Message& message) {
    rename(message);
    return serve(message);
  };
  return RankWrapper::compute_serving(cost, work, serve_as_known);
}

void MemberRank::post(int to, std::span<const std::byte> bytes, Payload payload,
                      std::uint64_t tag) {
  RankWrapper::post(rank_of(to), bytes, payload, tag);
}

}  // namespace trainyard
