// A worker that stands still for stretches of time, as a process that is stopped: whatever it would
// do in one, it does when that is over. What is on its way to it arrives meanwhile. What arrives
// while it should compute and serve is served when its minibatch is done. One that is away for good
// ends in the midst of what it is at, and nobody is told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "trainyard/network/faults.hpp"
#include "trainyard/network/outages.hpp"
#include "trainyard/runtime/rank_wrapper.hpp"

namespace trainyard {

/// The rank is away for good. Its program lets it pass.
struct RankGone {};

class StallingRank final : public RankWrapper {
 public:
  /// `inside` outlives it.
  StallingRank(Rank& inside, Outages away);

  /// One that was gone in an earlier leg of the run begins none.
  void begin() override;

  Message receive(int from) override;
  std::uint64_t receive_into(int from, Vector into) override;
  void receive_add(int from, Vector sum) override;
  bool await_message() override;
  std::optional<Message> receive_any() override;
  std::optional<Message> poll(int from) override;
  std::optional<Message> poll_any() override;
  void lend(int to, ConstVector payload) override;
  void barrier() override;
  void compute(const ComputeCost& cost, FunctionRef<void()> work) override;
  bool compute_serving(const ComputeCost& cost, FunctionRef<void()> work,
                       FunctionRef<bool(Message&)> serve) override;

 protected:
  void post(int to, std::span<const std::byte> bytes, Payload payload, std::uint64_t tag) override;

 private:
  Duration missed_since(Time began);
  void stand_since(Time began);
  void die_before(Time ends);
  [[noreturn]] void die_at(Time moment);
  bool is_away(Time present);
  void stand() { stand_since(now()); }

  Outages away_;
  std::size_t passed_ = 0;  // of them
  Time made_up_{0};         // for all that it missed before
};

/// Around `inside`, which outlives it, if any rank stands still some time, or crashes and others do
/// not stop for it; else nullptr. One around a rank that does not changes nothing but that it
/// speaks as those do that do: in messages.
std::unique_ptr<StallingRank> stalling_rank(Rank& inside, const Faults& faults, std::uint64_t seed);

}  // namespace trainyard
