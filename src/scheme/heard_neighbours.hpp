// The vectors that a worker hears of its neighbours where some of them may lie: with --byzantine
// each listener is told what does it most harm. A vector with a number that is not finite is taken
// for the listener's own, which moves it nowhere, and so is one that is lost for good.
//
//   HeardNeighbours heard(worker);
//   const ConstVectors theirs = heard.exchange(worker.next_round(), worker.replica());
//
// Threads: belongs to its worker's rank.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "trainyard/aggregation/attack.hpp"
#include "trainyard/collective/neighbour_average.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/runtime/robust_mean.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

inline const HyperparameterInfo tolerated_info{
    .name = "tolerated",
    .argument = "B",
    .help = "so many liars among its neighbours a worker's rule reckons with",
    .fallback = 0,
    .low = 0,
    .high = 1e6,
    .whole = true};

class HeardNeighbours {
 public:
  /// `worker` outlives it.
  explicit HeardNeighbours(Worker& worker)
      : worker_(worker), byzantine_(worker.ingredient<Byzantine>(byzantine_kind)) {
    std::size_t most = 0;
    for (const MixingMatrix& matrix : worker.ingredient<Topology>("topology").matrices) {
      const auto own = static_cast<std::size_t>(worker.comm().rank());
      most = std::max(most, matrix[own].receives.size());
    }
    for (std::size_t i = 0; i < most; ++i) {
      places_.push_back(VectorBuffer::zeroed(worker.replica().scalar(), worker.replica().size()));
    }
    heard_.reserve(most);
    lost_.reserve(most);
    honest_.reserve(most + 1);
    lies_.reserve(most);
    weights_.reserve(most + 1);
  }

  /// Sends the own vector to all out-neighbours, and hears what they say, in the order of
  /// row.receives. Valid until the next call.
  ConstVectors exchange(const MixingRow& row, ConstVector own) {
    send_to_neighbours(worker_.comm(), row, own);
    return hear(row, own);
  }
  /// The second half, for who computes in between; `own` is what was sent.
  ConstVectors hear(const MixingRow& row, ConstVector own) {
    heard_.clear();
    lost_.clear();
    for (const MixingRow::Neighbour& neighbour : row.receives) {
      const Vector place = places_[heard_.size()].view();
      const Message message = worker_.comm().receive(neighbour.rank);
      lost_.push_back(message.lost());
      kernels::copy(message.lost() ? own : message.vector(), place);
      heard_.push_back(place);
    }
    if (byzantine_.liars > 0 && !byzantine_.attack->flips_labels()) lie(row, own);
    for (std::size_t i = 0; i < heard_.size(); ++i) {
      if (lost_[i] || !kernels::is_finite(heard_[i])) kernels::copy(own, places_[i].view());
    }
    return heard_;
  }

 private:
  void lie(const MixingRow& row, ConstVector own) {
    honest_.clear();
    lies_.clear();
    weights_.clear();
    double liars_weight = 0.0;
    for (std::size_t i = 0; i < heard_.size(); ++i) {
      const MixingRow::Neighbour& neighbour = row.receives[i];
      if (byzantine_.is_liar(neighbour.rank, worker_.comm().workers())) {
        lies_.push_back(places_[i].view());
        liars_weight += neighbour.weight;
      } else {
        honest_.push_back(heard_[i]);
        weights_.push_back(neighbour.weight);
      }
    }
    honest_.push_back(own);
    weights_.push_back(row.self_weight);
    const Audience audience{own, weights_, liars_weight};
    const bool can = static_cast<int>(honest_.size()) >= byzantine_.attack->least_honest();
    if (lies_.empty() || !can) return;
    byzantine_.attack->lie(honest_, &audience, lies_, worker_.random());
  }

  Worker& worker_;
  const Byzantine& byzantine_;
  std::vector<VectorBuffer> places_;
  std::vector<ConstVector> heard_, honest_;
  std::vector<bool> lost_;
  std::vector<Vector> lies_;
  std::vector<double> weights_;
};

/// ‖x − y‖.
inline double distance(ConstVector x, ConstVector y) {
  return with_scalar(x.scalar(), [&]<typename T>(T) {
    double sum = 0.0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      const double off = static_cast<double>(x.as<T>()[j]) - static_cast<double>(y.as<T>()[j]);
      sum += off * off;
    }
    return std::sqrt(sum);
  });
}

}  // namespace trainyard
