#include "trainyard/runtime/staleness.hpp"

#include <algorithm>
#include <cmath>

namespace trainyard {

void Staleness::record(std::uint64_t updates) {
  const std::size_t bin = std::min(updates, most_told_apart);
  if (bin >= bins_.size()) bins_.resize(bin + 1, 0);
  ++bins_[bin];
  ++count_;
  sum_ += updates;
  max_ = std::max(max_, updates);
}

void Staleness::merge(const Staleness& other) {
  if (other.bins_.size() > bins_.size()) bins_.resize(other.bins_.size(), 0);
  for (std::size_t bin = 0; bin < other.bins_.size(); ++bin) bins_[bin] += other.bins_[bin];
  count_ += other.count_;
  sum_ += other.sum_;
  max_ = std::max(max_, other.max_);
}

double Staleness::mean() const {
  return count_ == 0 ? 0.0 : static_cast<double>(sum_) / static_cast<double>(count_);
}

std::uint64_t Staleness::quantile(double fraction) const {
  const auto wanted = static_cast<std::uint64_t>(std::ceil(fraction * static_cast<double>(count_)));
  std::uint64_t seen = 0;
  for (std::size_t bin = 0; bin < bins_.size(); ++bin) {
    seen += bins_[bin];
    if (seen >= wanted) return bin;
  }
  return max_;
}

std::vector<std::uint64_t> Staleness::packed() const {
  std::vector<std::uint64_t> packed{count_, sum_, max_};
  packed.insert(packed.end(), bins_.begin(), bins_.end());
  return packed;
}

Staleness Staleness::unpacked(std::span<const std::uint64_t> packed) {
  Staleness staleness;
  staleness.count_ = packed[0];
  staleness.sum_ = packed[1];
  staleness.max_ = packed[2];
  staleness.bins_.assign(packed.begin() + 3, packed.end());
  return staleness;
}

}  // namespace trainyard
