// The worker's end.
#include "trainyard/collective/working_set.hpp"

#include <algorithm>

#include "trainyard/base/error.hpp"
#include "trainyard/base/even_split.hpp"
#include "trainyard/collective/parameter_server.hpp"

#include "collective/keyed_wire.hpp"

namespace trainyard {

std::span<const std::uint32_t> KeyedShard::own(std::span<const std::uint32_t> keys) const {
  if (count == 0) return {};
  const auto from = std::ranges::lower_bound(keys, first / width);
  const auto to = std::ranges::lower_bound(keys, (first + count + width - 1) / width);
  return {from, to};
}

std::size_t KeyedShard::numbers(std::span<const std::uint32_t> own) const {
  if (width == 1 || own.empty()) return own.size();
  std::size_t all = 0;
  keyed::for_each_piece(*this, own, [&](std::size_t, std::size_t numbers) { all += numbers; });
  return all;
}

WorkingSet::WorkingSet(Worker& worker, std::uint64_t minibatches)
    : worker_(worker),
      width_(minibatches <= 256 ? worker.gradient_shape().key_width : 0),
      horizon_(static_cast<std::size_t>(minibatches)) {
  if (width_ == 0) return;
  const int servers = worker.comm().servers();
  const std::size_t parameters = worker.replica().size();
  require(parameters / width_ < std::size_t{1} << 28U, "keys are counted in 28 bits");
  for (int k = 0; k < servers; ++k) {
    const std::size_t first = even_cut(parameters, k, servers);
    servers_.push_back({{first, even_cut(parameters, k + 1, servers) - first, width_}, {}});
  }
  keys_.emplace(worker);
  keys_->look_ahead(horizon_);
}

void WorkingSet::push(ConstVector vector, std::span<const std::uint64_t> tags) {
  send(vector, tags, true);
}

void WorkingSet::push_in_turn(ConstVector vector, std::span<const std::uint64_t> tags,
                              FunctionRef<void(int)> await_turn) {
  send(vector, tags, true, &await_turn);
}

void WorkingSet::push_alone(ConstVector vector, std::span<const std::uint64_t> tags) {
  send(vector, tags, false);
}

void WorkingSet::push_nothing(std::span<const std::uint64_t> tags) {
  send(ConstVector(worker_.replica()).first(0), tags, true);
}

void WorkingSet::drop() {
  if (width_ == 0) return;
  keys_->forget_taken();
  keys_->look_ahead(horizon_);
}

void WorkingSet::send(ConstVector vector, std::span<const std::uint64_t> tags, bool pull_follows,
                      const FunctionRef<void(int)>* await_turn) {
  Communicator& comm = worker_.comm();
  const auto to_each = [&](const auto& send_shard) {
    if (await_turn == nullptr) {
      for_each_shard(comm, send_shard);
      return;
    }
    for (int shard = 0; shard < comm.servers(); ++shard) {
      (*await_turn)(shard);
      send_shard(shard);
    }
  };
  if (width_ == 0) {
    to_each([&](int shard) {
      comm.send(comm.server(shard), even_split(vector, shard, comm.servers()),
                tags.empty() ? 0 : tags[static_cast<std::size_t>(shard)]);
    });
    return;
  }
  static const Features none;
  const Features& taken = vector.empty() ? none : keys_->taken();
  const Features* next = pull_follows ? &keys_->next(horizon_) : nullptr;
  to_each([&](int shard) {
    const auto k = static_cast<std::size_t>(shard);
    const KeyedShard& place = servers_[k].shard;
    send_to(k, vector.empty() ? vector : vector.subspan(place.first, place.count),
            tags.empty() ? 0 : tags[k], taken, next);
  });
  if (!vector.empty()) keys_->forget_taken();
  keys_->look_ahead(horizon_);  // at what is taken until the next push
}

/// `taken`: the keys of `part`; `next`: those of the pull that follows; nullptr: none does.
void WorkingSet::send_to(std::size_t k, ConstVector part, std::uint64_t tag, const Features& taken,
                         const Features* next) {
  OfServer& server = servers_[k];
  const KeyedShard& shard = server.shard;
  const int rank = worker_.comm().server(static_cast<int>(k));
  const auto pushed = shard.own(taken);
  const auto asked = next == nullptr ? shard.own({}) : shard.own(*next);
  const bool asks_whole = asked.size() + shard.numbers(asked) >= shard.count;
  const bool as_before =
      next == nullptr ||
      (asks_whole ? server.whole : !server.whole && std::ranges::equal(asked, server.asked));
  keyed::Header header{.lists = server.whole || !std::ranges::equal(pushed, server.asked)};
  header.whole_values =
      (header.lists ? pushed.size() : 0) + shard.numbers(pushed) >= shard.count && !part.empty();
  const bool is_plain = part.empty() ? as_before || shard.count == 0
                                     : header.whole_values && (asks_whole || next == nullptr);
  if (is_plain) {
    if (!part.empty()) server.whole = true;
    worker_.comm().send(rank, part, tag);
    return;
  }
  header.lists = header.lists && !header.whole_values;
  header.listed = header.lists ? static_cast<std::uint32_t>(pushed.size()) : 0;
  header.asks_whole = !as_before && asks_whole;
  header.asks_listed = !as_before && !asks_whole;
  const std::uint32_t bits = header.bits();
  const std::size_t values =
      part.empty() ? 0 : (header.whole_values ? shard.count : shard.numbers(pushed));
  wire_.resize(sizeof bits + header.listed * sizeof(std::uint32_t) + values * sizeof(float) +
               (header.asks_listed ? asked.size_bytes() : 0));
  std::byte* at = keyed::put(wire_.data(), std::as_bytes(std::span(&bits, 1)));
  if (header.lists) at = keyed::put(at, std::as_bytes(pushed));
  if (header.whole_values) {
    at = keyed::put(at, part.bytes());
  } else if (!part.empty()) {
    at = keyed::put_values_of(shard, pushed, part, at);
  }
  if (header.asks_listed) keyed::put(at, std::as_bytes(asked));
  if (!as_before) server.whole = asks_whole;
  if (header.asks_listed) server.asked.assign(asked.begin(), asked.end());
  worker_.comm().send_encoded(rank, wire_, tag);
}

void WorkingSet::pull(std::span<std::uint64_t> versions) {
  if (width_ == 0) {
    trainyard::pull(worker_.comm(), worker_.replica(), versions);
    return;
  }
  for_each_shard(worker_.comm(), [&](int index) {
    const auto k = static_cast<std::size_t>(index);
    const OfServer& server = servers_[k];
    const Vector part = worker_.replica().subspan(server.shard.first, server.shard.count);
    const int from = worker_.comm().server(index);
    std::uint64_t version = 0;
    if (server.whole) {
      version = worker_.comm().receive_into(from, part);
    } else {
      const Message model = worker_.comm().receive(from);
      require(model.bytes().size() == server.shard.numbers(server.asked) * sizeof(float),
              "a value for each key that was asked for");
      keyed::take_values(model.bytes(), server.shard, server.asked, part);
      version = model.tag();
    }
    if (!versions.empty()) versions[k] = version;
  });
}

}  // namespace trainyard
