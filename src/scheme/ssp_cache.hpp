// A worker's copy of the model under stale synchronous parallel (Ho et al., NIPS 2013, SSPTable;
// catalogue §2.4), for the schemes that differ in how it is refreshed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trainyard/runtime/worker.hpp"

namespace trainyard {

/// The worker's replica, as a cache of the servers' shards. A shard of clock r holds every update
/// of the steps before r, perhaps some of later ones, and all of the worker's own ("read my
/// writes"). It is fresh enough for step c when r ≥ c − s: reading it costs no message.
///
/// An own update moves the copy by the γ of the worker's step, as plain SGD does: with another
/// optimizer at the servers nobody could say what they will make of a gradient. Where γ decays, the
/// servers' count of updates may be up to a round away from the worker's; what is fetched next is
/// theirs.
class SspCache {
 public:
  explicit SspCache(Worker& worker);

  /// For each server, the clock of its shard in this copy; 0 is what the run starts from.
  std::span<const std::uint64_t> clocks() const { return clocks_; }
  bool is_fresh(std::size_t server, std::uint64_t step) const {
    return clocks_[server] + bound_ >= step;
  }
  /// Whether all of it is.
  bool is_fresh(std::uint64_t step) const;

  /// For how many steps what is fetched may do: s + 1.
  std::uint64_t longest() const { return bound_ + 1; }
  /// The shard of that server within the replica.
  Vector shard(std::size_t server) const;
  /// It is of that clock now, own updates included.
  void refreshed(std::size_t server, std::uint64_t clock) { clocks_[server] = clock; }
  /// Own updates change the copy at once: replica ← replica − γ gradient.
  void apply_own(ConstVector gradient) { worker_.apply(gradient); }

 private:
  Worker& worker_;
  std::uint64_t bound_;
  std::span<std::uint64_t> clocks_;
};

}  // namespace trainyard
