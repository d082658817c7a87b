#include "trainyard/runtime/run_state.hpp"

#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"

namespace trainyard {

std::size_t ModelLayout::place_of(int worker) const {
  if (home != ModelHome::replicas) return 0;
  if (holdings.empty()) return static_cast<std::size_t>(worker) * dimension;
  std::size_t place = 0;
  for (int before = 0; before < worker; ++before) place += count_of(before);
  return place;
}

int ModelLayout::copies() const {
  if (dimension == 0 || holdings.empty()) return workers;
  std::size_t held = 0;
  for (int worker = 0; worker < workers; ++worker) held += count_of(worker);
  return static_cast<int>(held / dimension);
}

RunState::RunState(const ModelLayout& layout, std::vector<std::span<std::byte>> shared_memory)
    : layout_(layout),
      ranks_(static_cast<std::size_t>(layout.workers + layout.servers)),
      staleness_(ranks_.size()) {
  if (layout.shared_models == 0) return;
  shared_.emplace(layout.workers, layout.shared_models, std::move(shared_memory));
}

Vector RunState::keep(int rank, std::string_view name, std::size_t length,
                      std::optional<Scalar> precision) {
  const Scalar scalar = precision.value_or(layout_.scalar);
  auto& kept = of(rank).kept;
  auto found = kept.find(name);
  if (found == kept.end()) {
    found = kept.emplace(name, VectorBuffer::zeroed(scalar, length)).first;
  }
  const Vector model = of(rank).model;
  if (!model.empty() && found->second.view().data() == model.data()) {
    throw InternalError(
        fmt::format("rank {} asks to keep '{}', which is its model's own name", rank, name));
  }
  if (found->second.size() != length) {
    throw InternalError(
        fmt::format("rank {} keeps '{}' of {} numbers, and asks for {} under that "
                    "name",
                    rank, name, found->second.size(), length));
  }
  if (found->second.view().scalar() != scalar) {
    throw InternalError(
        fmt::format("rank {} asks for '{}' in another precision than it keeps it", rank, name));
  }
  return found->second.view();
}

Vector RunState::keep_model(int rank, ConstVector initial) {
  const Vector model = keep(rank, rank < layout_.workers ? "replica" : "shard", initial.size());
  kernels::copy(initial, model);
  return of(rank).model = model;
}

std::vector<KeptVector> RunState::kept_by(int rank) const {
  std::vector<KeptVector> all;
  for (const auto& [name, values] : of(rank).kept) all.push_back({name, values.view()});
  return all;
}

std::vector<std::string> RunState::remarks() const {
  std::vector<std::string> all;
  for (const OfRank& rank : ranks_) all.insert(all.end(), rank.remarks.begin(), rank.remarks.end());
  return all;
}

Staleness RunState::staleness() const {
  Staleness all;
  for (const Staleness& one : staleness_) all.merge(one);
  return all;
}

}  // namespace trainyard
