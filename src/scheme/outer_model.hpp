// The model that all workers begin a round of local steps from, and the optimizer that steps it
// along the way which they have come: an outer gradient, Δ = x − x_i after the round, taken for the
// gradient of SGD with momentum (Reddi et al., ICLR 2021, for servers; DiLoCo, Douillard et al.
// 2023). All workers hold the same one.
//
//   nesterov   v ← μ v + Δ,  x ← x − η (Δ + μ v)     PyTorch's SGD with nesterov=True
//   sgd        v ← μ v + Δ,  x ← x − η v             heavy ball
//
// η = 1 and μ = 0 make x the mean of the replicas. Where servers hold x, it is their shards.
//
// Threads: belongs to its rank.
#pragma once

#include <cstddef>

#include "trainyard/base/aligned_buffer.hpp"
#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

class OuterModel {
 public:
  /// Begins at the run's starting point, with η, μ and the rule of the row's hyperparameters.
  explicit OuterModel(Worker& worker)
      : OuterModel(worker, worker.keep("outer model", worker.replica())) {}
  /// A server's shard.
  explicit OuterModel(Server& server) : OuterModel(server, server.shard()) {}

  /// x, of `count` numbers from `first` on.
  ConstVector part(std::size_t first, std::size_t count) const {
    return model_.subspan(first, count);
  }
  ConstVector whole() const { return model_; }

  /// Δ ← x − x_i, from number `first` on.
  void way_to(ConstVector replica, Vector way, std::size_t first = 0) const {
    kernels::copy(part(first, way.size()), way);
    kernels::axpy(-1.0, replica, way);
  }

  /// A step of x along `scale` · Δ, from number `first` on.
  void step(ConstVector way, double scale = 1.0, std::size_t first = 0) {
    const Vector model = model_.subspan(first, way.size());
    if (momentum_ == 0.0) return kernels::axpy(-step_size_ * scale, way, model);
    const Vector velocity = velocity_.subspan(first, way.size());
    const auto rule = is_nesterov_ ? kernels::nesterov_step : kernels::momentum_step;
    rule(momentum_, scale, step_size_, way, velocity, model);
  }

 private:
  enum class Rule { nesterov, sgd };

  template <typename Owner>
  OuterModel(Owner& owner, Vector model)
      : step_size_(owner.hyperparameter("outer-lr")),
        momentum_(owner.hyperparameter("outer-momentum")),
        is_nesterov_(static_cast<Rule>(static_cast<int>(owner.hyperparameter("outer-optimizer"))) ==
                     Rule::nesterov),
        model_(model),
        velocity_(momentum_ > 0.0 ? owner.keep("outer momentum", model.size()) : Vector{}) {}

  const double step_size_, momentum_;
  const bool is_nesterov_;
  const Vector model_, velocity_;
};

/// The outer model of workers that all meet: their mean way, in the way of --collective, is one
/// step of it, and all go on from there.
class CommonModel {
 public:
  explicit CommonModel(Worker& worker)
      : worker_(worker), outer_(worker), way_(worker.replica().scalar(), worker.replica().size()) {}

  ConstVector whole() const { return outer_.whole(); }

  void meet() {
    outer_.way_to(worker_.replica(), way_.view());
    all_reduce_mean(worker_.comm(), way_.view(), collective_of(worker_));
    outer_.step(way_.view());
    kernels::copy(outer_.whole(), worker_.replica());
  }

 private:
  Worker& worker_;
  OuterModel outer_;
  VectorBuffer way_;
};

// What the rows of such schemes take. The fallbacks are DiLoCo's.

inline const HyperparameterInfo outer_lr_info{
    .name = "outer-lr",
    .argument = "ETA",
    .help = "step size of the outer optimizer, for which the way of a round is a gradient",
    .fallback = 0.7,
    .low = 0.0,
    .high = 1e6,
    .step_size = true};

inline const HyperparameterInfo outer_momentum_info{.name = "outer-momentum",
                                                    .argument = "MU",
                                                    .help = "momentum of the outer optimizer",
                                                    .fallback = 0.9,
                                                    .low = 0.0,
                                                    .high = 0.9999};

inline const HyperparameterInfo outer_optimizer_info{
    .name = "outer-optimizer",
    .argument = "nesterov|sgd",
    .help = "rule of the outer optimizer: Nesterov's momentum, or heavy ball",
    .choices = {"nesterov", "sgd"}};

/// Of ways that a codec makes short.
enum class ErrorFeedback { off, on };

inline const HyperparameterInfo error_feedback_info{
    .name = "error-feedback",
    .argument = "off|on",
    .help = "whether what encoding leaves out is sent with the next way",
    .choices = {"off", "on"}};

}  // namespace trainyard
