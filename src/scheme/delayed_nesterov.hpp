// The outer optimizer of a server to which ways come one at a time, each of one worker and of an
// older model: Delayed Nesterov (Liu, Chhaparia, Douillard, Kale, Rusu, Shen, Szlam & Ranzato 2024,
// Algorithm 3). With plain momentum every late way would go on in the velocity, and what is stale
// would count many times; here the momentum changes only at every N-th way, by the mean of the
// last N, and each way is a step of its own:
//
//   a ← a + Δ
//   N-th ways  m ← β m + a / N,  x ← x − η ((1 − c N + c) β m + Δ / N),  a ← 0
//   others                       x ← x − η (c β m + Δ / N)
//
// c, from 0 to 1/N, is what part of the momentum each of the others takes, so that in N ways it is
// taken once in all. N = 1 is OuterModel's Nesterov. β = 0 is SGD with η/N.
//
// Threads: belongs to its server's rank.
#pragma once

#include <cstdint>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/runtime/server.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/outer_model.hpp"

namespace trainyard {

inline const HyperparameterInfo momentum_delay_info{
    .name = "momentum-delay",
    .argument = "N",
    .help = "ways of workers for which the outer momentum stays what it is; the number of workers",
    .fallback = 1,
    .low = 1,
    .high = 1e6,
    .whole = true,
    .run_fallback = [](int workers, const Hyperparameters&) -> double { return workers; }};

inline const HyperparameterInfo momentum_activation_info{
    .name = "momentum-activation",
    .argument = "C",
    .help = "share of the outer momentum in each of the ways between, at most 1/N",
    .fallback = 0.0,
    .low = 0.0,
    .high = 1.0};

/// Throws OptionError for c > 1/N.
inline void check_delayed_nesterov(const Hyperparameters& hyperparameters) {
  const double activation = hyperparameter(hyperparameters, momentum_activation_info.name);
  const double delay = hyperparameter(hyperparameters, momentum_delay_info.name);
  if (activation * delay <= 1.0) return;
  throw OptionError(
      momentum_activation_info.name, fmt::to_string(activation),
      fmt::format("with --momentum-delay {} expected at most {:.4g}", delay, 1.0 / delay));
}

class DelayedNesterov {
 public:
  struct Setting {
    double step_size, momentum, delay, activation;  // η, β, N, c
  };

  /// η, β, N and c of the row's hyperparameters above.
  static Setting setting_of(const Server& server) {
    return {.step_size = server.hyperparameter(outer_lr_info.name),
            .momentum = server.hyperparameter(outer_momentum_info.name),
            .delay = server.hyperparameter(momentum_delay_info.name),
            .activation = server.hyperparameter(momentum_activation_info.name)};
  }

  /// Steps `model`, which outlives it; the server keeps m and a.
  DelayedNesterov(Server& server, Vector model, const Setting& setting)
      : setting_(setting),
        model_(model),
        velocity_(server.keep("outer momentum", setting.momentum > 0.0 ? model.size() : 0)),
        accrued_(server.keep("accrued ways", velocity_.size())),
        ways_(server.keep_counts("ways", 1).front()) {}

  /// A step along Δ.
  void step(ConstVector way) {
    ++ways_;
    if (setting_.momentum > 0.0) step_of_momentum(way);
    kernels::axpy(-setting_.step_size / setting_.delay, way, model_);
  }

 private:
  void step_of_momentum(ConstVector way) {
    const auto& [step_size, momentum, delay, activation] = setting_;
    kernels::add(way, accrued_);
    double share = activation;
    if (ways_ % static_cast<std::uint64_t>(delay) == 0) {
      kernels::scale(momentum, velocity_);
      kernels::axpy(1.0 / delay, accrued_, velocity_);
      kernels::set_to_zero(accrued_);
      share = 1.0 - activation * delay + activation;
    }
    if (share > 0.0) kernels::axpy(-step_size * share * momentum, velocity_, model_);
  }

  const Setting setting_;
  const Vector model_, velocity_, accrued_;  // x, m, a
  std::uint64_t& ways_;
};

}  // namespace trainyard
