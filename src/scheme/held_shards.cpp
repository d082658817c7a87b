#include "scheme/held_shards.hpp"

#include <algorithm>

#include "trainyard/collective/parameter_server.hpp"
#include "trainyard/model/holding.hpp"
#include "trainyard/model/model.hpp"

namespace trainyard {

HeldShards::HeldShards(Worker& worker, std::uint64_t minibatches)
    : worker_(worker), holds_all_(worker.replica().size() == worker.model().dimension()) {
  if (worker.gradient_shape().key_width > 0) keys_.emplace(worker, minibatches);
  const Holding held = worker.holding();
  const auto servers = static_cast<std::size_t>(worker.comm().servers());
  for (std::size_t shard = 0; shard <= servers; ++shard) {
    const std::size_t cut = worker.model().dimension() * shard / std::max<std::size_t>(servers, 1);
    std::size_t before = 0;
    for (const ParameterRange& range : held.ranges) {
      if (range.first < cut) before += std::min(range.count, cut - range.first);
    }
    cuts_.push_back(before);
  }
}

/// A server without parameters, of which there are some where servers outnumber them, is asked by
/// those who hold the whole model.
void HeldShards::for_each(
    FunctionRef<void(std::size_t shard, std::size_t first, std::size_t count)> deal) {
  for_each_shard(worker_.comm(), [&](int shard) {
    const auto s = static_cast<std::size_t>(shard);
    const std::size_t count = cuts_[s + 1] - cuts_[s];
    if (count > 0 || holds_all_) deal(s, cuts_[s], count);
  });
}

void HeldShards::push(ConstVector vector, std::span<const std::uint64_t> tags, bool pull_follows) {
  if (keys_) {
    if (vector.empty()) return keys_->push_nothing(tags);
    return pull_follows ? keys_->push(vector, tags) : keys_->push_alone(vector, tags);
  }
  Communicator& comm = worker_.comm();
  for_each([&](std::size_t shard, std::size_t first, std::size_t count) {
    comm.send(comm.server(static_cast<int>(shard)),
              vector.empty() ? vector : vector.subspan(first, count), tags[shard]);
  });
}

void HeldShards::pull(std::span<std::uint64_t> versions) {
  if (keys_) return keys_->pull(versions);
  Communicator& comm = worker_.comm();
  for_each([&](std::size_t shard, std::size_t first, std::size_t count) {
    versions[shard] = comm.receive_into(comm.server(static_cast<int>(shard)),
                                        worker_.replica().subspan(first, count));
  });
}

}  // namespace trainyard
