#include "trainyard/runtime/model_gatherer.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "trainyard/base/error.hpp"
#include "trainyard/base/parallel.hpp"
#include "trainyard/model/kernels.hpp"

namespace trainyard {

namespace {

constexpr std::size_t mean_block = 4096;  // coordinates whose mean one core takes at a time

}  // namespace

ModelGatherer::ModelGatherer(RunState& state)
    : state_(state),
      dimension_(state.layout().dimension),
      model_(state.layout().scalar, state.layout().dimension) {}

GatheredModel ModelGatherer::gather() {
  switch (state_.layout().home) {
    case ModelHome::replicas:
      return mean_of_replicas();
    case ModelHome::servers:
      return shards_together();
    case ModelHome::shared:
      return shared();
  }
  throw InternalError("a model whose home is unknown");
}

GatheredModel ModelGatherer::mean_of_replicas() {
  const int workers = state_.layout().workers;
  const ModelLayout& layout = state_.layout();
  const Vector copies = place_for(layout.place_of(workers));
  std::size_t place = 0;
  const auto counts = [&](int worker) {
    return worker < workers - layout.liars && !state_.is_lost(worker);
  };
  bool any = false;
  for (int worker = 0; worker < workers; ++worker) any = any || counts(worker);
  for (int worker = 0; worker < workers; ++worker) {
    if (any && layout.holdings.empty() && !counts(worker)) continue;
    const ConstVector replica = state_.replica(worker);
    kernels::copy(replica, copies.subspan(place, replica.size()));
    place += replica.size();
  }
  return layout.holdings.empty() ? mean_of(copies.first(place)) : parts_together(copies);
}

GatheredModel ModelGatherer::shards_together() {
  std::size_t first = 0;
  for (int server = 0; server < state_.layout().servers; ++server) {
    const ConstVector shard = state_.shard(server);
    kernels::copy(shard, model_.view().subspan(first, shard.size()));
    first += shard.size();
  }
  return {.values = model_.view()};
}

GatheredModel ModelGatherer::shared() {
  const SharedModels& shared = *state_.shared();
  if (shared.groups() == 1) {
    shared.of(0).read(model_.view().floats());
    shared.of(0).add_unsent(model_.view().floats());
    return {.values = model_.view()};
  }
  const Vector copies = place_for(static_cast<std::size_t>(shared.groups()) * dimension_);
  for (int group = 0; group < shared.groups(); ++group) {
    shared.of(group).read(
        copies.floats().subspan(static_cast<std::size_t>(group) * dimension_, dimension_));
  }
  return mean_of(copies);
}

Vector ModelGatherer::place_for(std::size_t size) {
  if (copies_.empty()) copies_ = VectorBuffer(model_.scalar(), size);
  return copies_.view();
}

GatheredModel ModelGatherer::of_replicas(ConstVector replicas) {
  const ModelLayout& layout = state_.layout();
  if (!layout.holdings.empty()) return parts_together(replicas);
  const auto honest = static_cast<std::size_t>(layout.workers - layout.liars);
  return mean_of(replicas.first(honest * dimension_));
}

/// By rank and in double, as the mean of whole replicas.
GatheredModel ModelGatherer::parts_together(ConstVector parts) {
  const ModelLayout& layout = state_.layout();
  const int copies = layout.copies();
  if (sums_.empty()) sums_.resize(dimension_);
  std::ranges::fill(sums_, 0.0);
  double squared_distance = 0.0;
  with_scalar(model_.scalar(), [&]<typename T>(T) {
    const std::span<const T> all = parts.as<T>();
    const auto each = [&](auto visit) {
      std::size_t place = 0;
      for (int worker = 0; worker < layout.workers; ++worker) {
        for (const ParameterRange& held : layout.held_by(worker).ranges) {
          for (std::size_t j = 0; j < held.count; ++j) visit(held.first + j, all[place + j]);
          place += held.count;
        }
      }
    };
    each([&](std::size_t j, double value) { sums_[j] += value; });
    for (std::size_t j = 0; j < dimension_; ++j) {
      sums_[j] /= copies;
      model_.view().template as<T>()[j] = static_cast<T>(sums_[j]);
    }
    if (copies == 1) return;
    each([&](std::size_t j, double value) {
      squared_distance += (value - sums_[j]) * (value - sums_[j]);
    });
  });
  GatheredModel made{.values = model_.view()};
  if (copies > 1) made.consensus_distance = squared_distance / copies;
  return made;
}

/// Both sums go by rank and in double, so they do not depend on who came first, and by fixed
/// blocks, so they do not depend on the number of cores.
GatheredModel ModelGatherer::mean_of(ConstVector replicas) {
  const std::size_t count = replicas.size() / dimension_;
  const std::size_t blocks = (dimension_ + mean_block - 1) / mean_block;
  squared_distances_.assign(blocks, 0.0);
  with_scalar(model_.scalar(), [&]<typename T>(T) {
    const std::span<const T> all = replicas.as<T>();
    const std::span<T> means = model_.view().as<T>();
    parallel_blocks(blocks, [&](std::size_t block) {
      const std::size_t first = block * mean_block;
      const std::size_t size = std::min(mean_block, dimension_ - first);
      squared_distances_[block] =
          mean_of_block(all.subspan(first), count, means.subspan(first, size));
    });
  });
  return {.values = model_.view(),
          .consensus_distance =
              std::accumulate(squared_distances_.begin(), squared_distances_.end(), 0.0) /
              static_cast<double>(count)};
}

/// The mean over `count` replicas that lie dimension_ apart, and the sum of their squared distances
/// from it.
template <typename T>
double ModelGatherer::mean_of_block(std::span<const T> replicas, std::size_t count,
                                    std::span<T> means) const {
  const std::size_t size = means.size();
  std::array<double, mean_block> mean{};
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < size; ++j) mean[j] += replicas[i * dimension_ + j];
  }
  for (std::size_t j = 0; j < size; ++j) {
    mean[j] /= static_cast<double>(count);
    means[j] = static_cast<T>(mean[j]);
  }
  double squared_distance = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      const double off = replicas[i * dimension_ + j] - mean[j];
      squared_distance += off * off;
    }
  }
  return squared_distance;
}

}  // namespace trainyard
