#include "scheme/ssp_cache.hpp"

#include <algorithm>

#include "trainyard/base/even_split.hpp"

namespace trainyard {

SspCache::SspCache(Worker& worker)
    : worker_(worker),
      bound_(static_cast<std::uint64_t>(worker.hyperparameter("staleness"))),
      clocks_(worker.keep_counts("clocks", static_cast<std::size_t>(worker.comm().servers()))) {}

bool SspCache::is_fresh(std::uint64_t step) const {
  return *std::ranges::min_element(clocks_) + bound_ >= step;
}

Vector SspCache::shard(std::size_t server) const {
  return even_split(worker_.replica(), static_cast<int>(server), worker_.comm().servers());
}

}  // namespace trainyard
