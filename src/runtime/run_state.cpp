#include "trainyard/runtime/run_state.hpp"

#include <utility>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/data/archive.hpp"
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

namespace {

/// Of what is there to be put into the archive, or of what lies in it.
template <typename Map>
std::vector<std::string> names_of(const Archive& archive, const std::string& place,
                                  const Map& there) {
  if (!archive.is_filled()) return archive.names_behind(place);
  std::vector<std::string> names;
  names.reserve(there.size());
  for (const auto& [name, value] : there) names.push_back(name);
  return names;
}

template <typename Streams>
void exchange_stream(Archive& archive, const std::string& name, Streams& streams) {
  const std::string own = name.substr(name.rfind('/') + 1);
  auto found = streams.find(own);
  if (found == streams.end()) found = streams.emplace(own, RandomStream(0, Purpose{})).first;
  std::vector<std::uint32_t> packed = found->second.packed();
  archive.exchange(name, packed);
  found->second = RandomStream::unpacked(packed);
}

void exchange_coding(Archive& archive, const std::string& place, CodingAccount& account) {
  archive.exchange(place + "time", account.time);
  archive.exchange(place + "vectors", account.vectors);
  archive.exchange(place + "plain bytes", account.plain_bytes);
  archive.exchange(place + "encoded bytes", account.encoded_bytes);
  archive.exchange(place + "squared error", account.squared_error);
  archive.exchange(place + "squared norm", account.squared_norm);
}

}  // namespace

Vector RunState::keep(int rank, std::string_view name, const Beginning& begins,
                      std::optional<Scalar> precision) {
  const std::size_t length = begins.length;
  const bool has_values = !begins.values.empty();
  const Scalar scalar = has_values ? begins.values.scalar() : precision.value_or(layout_.scalar);
  auto& kept = of(rank).kept;
  auto found = kept.find(name);
  if (found == kept.end()) {
    found = kept.emplace(name, has_values ? VectorBuffer::copy_of(begins.values)
                                          : VectorBuffer::zeroed(scalar, length))
                .first;
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
  return of(rank).model = keep(rank, rank < layout_.workers ? "replica" : "shard", initial);
}

std::span<std::uint64_t> RunState::counts(int rank, std::string_view name, std::size_t length) {
  auto& counts = of(rank).counts;
  auto found = counts.find(name);
  if (found == counts.end()) {
    found = counts.emplace(name, std::vector<std::uint64_t>(length, 0)).first;
  }
  if (found->second.size() != length) {
    throw InternalError(fmt::format("rank {} keeps {} counts '{}', and asks for {}", rank,
                                    found->second.size(), name, length));
  }
  return found->second;
}

RandomStream& RunState::stream(int rank, std::string_view name, const RandomStream& fresh) {
  auto& streams = of(rank).streams;
  const auto found = streams.find(name);
  return found == streams.end() ? streams.emplace(name, fresh).first->second : found->second;
}

void RunState::begin_leg() {
  for (OfRank& rank : ranks_) {
    rank.model = Vector();
    rank.coders = 0;
  }
}

void RunState::end_leg() {
  if (shared_) shared_->put_down(shared_models_);
}

void RunState::exchange(Archive& archive) {
  for (std::size_t r = 0; r < ranks_.size(); ++r) {
    OfRank& rank = ranks_[r];
    const std::string place = fmt::format("rank {}/", r);
    for (const std::string& name : names_of(archive, place + "kept/", rank.kept)) {
      archive.exchange(fmt::format("{}kept/{}", place, name), rank.kept[name]);
    }
    for (const std::string& name : names_of(archive, place + "counts/", rank.counts)) {
      archive.exchange(fmt::format("{}counts/{}", place, name), rank.counts[name]);
    }
    for (const std::string& name : names_of(archive, place + "streams/", rank.streams)) {
      exchange_stream(archive, fmt::format("{}streams/{}", place, name), rank.streams);
    }
    exchange_coding(archive, place + "coding/", rank.coding);
    archive.exchange(place + "lines' time", rank.lines_time);
    archive.exchange(place + "remarks", rank.remarks);
  }
  for (std::size_t i = 0; i < staleness_.size(); ++i) {
    std::vector<std::uint64_t> packed = staleness_[i].packed();
    archive.exchange(fmt::format("staleness/{}", i), packed);
    staleness_[i] = Staleness::unpacked(packed);
  }
  if (!shared_) return;
  const std::string models = "shared model/";
  const bool has_models =
      archive.is_filled() ? !shared_models_.empty() : !archive.names_behind(models).empty();
  if (!has_models) return;  // no leg has ended
  shared_models_.resize(static_cast<std::size_t>(shared_->groups()));
  for (std::size_t group = 0; group < shared_models_.size(); ++group) {
    archive.exchange(models + fmt::to_string(group), shared_models_[group]);
  }
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
