// Staleness: how many updates others made between the moment a gradient's model was read and the
// moment the gradient was applied.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace trainyard {

/// A histogram. Threads: each rank records into its own; they are merged when the run has ended.
class alignas(64) Staleness {
 public:
  void record(std::uint64_t updates);
  void merge(const Staleness& other);

  bool empty() const { return count_ == 0; }
  double mean() const;
  /// How many updates had that staleness.
  std::uint64_t count(std::uint64_t updates) const {
    return updates < bins_.size() ? bins_[static_cast<std::size_t>(updates)] : 0;
  }
  /// The smallest staleness that at least this fraction of the updates does not exceed.
  std::uint64_t quantile(double fraction) const;
  std::uint64_t max() const { return max_; }

  /// Conversion to numbers, for a process that shares no memory with this one, and back.
  std::vector<std::uint64_t> packed() const;
  static Staleness unpacked(std::span<const std::uint64_t> packed);

  /// Updates as stale as this, or staler, are counted together.
  static constexpr std::uint64_t most_told_apart = 65535;

 private:
  std::vector<std::uint64_t> bins_;
  std::uint64_t count_ = 0, sum_ = 0, max_ = 0;
};

}  // namespace trainyard
