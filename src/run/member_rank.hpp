// A rank of a run of which only some workers are up: its program knows those, numbered from 0, and
// the servers behind them, while the network below knows all.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trainyard/runtime/rank_wrapper.hpp"

namespace trainyard {

class MemberRank final : public RankWrapper {
 public:
  /// `ranks`: of the members in the network, workers and then servers, in rising order. Both
  /// outlive this. REQUIRES: `inside` is one of them.
  MemberRank(Rank& inside, const std::vector<int>& ranks, int workers);

  Message receive(int from) override;
  std::uint64_t receive_into(int from, Vector into) override;
  void receive_add(int from, Vector sum) override;
  std::optional<Message> receive_any() override;
  std::optional<Message> poll(int from) override;
  std::optional<Message> poll_any() override;
  void lend(int to, ConstVector payload) override;
  bool compute_serving(const ComputeCost& cost, FunctionRef<void()> work,
                       FunctionRef<bool(Message&)> serve) override;

 protected:
  void post(int to, std::span<const std::byte> bytes, Payload payload, std::uint64_t tag) override;

 private:
  int rank_of(int member) const { return ranks_[static_cast<std::size_t>(member)]; }
  void rename(Message& message) const;
  std::optional<Message> renamed(std::optional<Message> message) const;

  const std::vector<int>& ranks_;
};

}  // namespace trainyard
