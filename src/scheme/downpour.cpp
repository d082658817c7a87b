// Downpour SGD (Dean et al., NIPS 2012, algorithm 7.1; catalogue §2.7): ps-async in which a worker
// talks less often, and steps on its own replica in between. In step t, counted from 0:
//   if n_fetch divides t: x_i ← the servers' model
//   g ← ∇f(x_i),  accrued ← accrued + g,  x_i ← x_i − γ g
//   if n_push divides t: push accrued, accrued ← 0
// The server applies what is pushed the moment it comes, as one gradient; with --optimizer adagrad
// it is DistBelief's. The worker's own steps are plain. n_fetch = n_push = 1 is ps-async, message
// by message: the request goes with the push.
//
// A fetch replaces the replica, gradients that have accrued and are not pushed included; they reach
// the model with the next push. (The paper lets fetches and pushes go on in the background; here a
// fetch is waited for, a push is not.) With k servers the shards update independently, so a replica
// may be a mixture of versions.
//
// Without a regulariser, what accrued and what is fetched go by keys (working_set.hpp).
//
// Warm start (§4.1): the first worker takes so many steps alone (--warm-start), and then the others
// fetch the model and join. Gradients that are stale do the most harm at the beginning, when the
// model moves far.
//
// DistBelief's workers are replicas that lie on several machines each (§3). With --tensor-size T so
// many neighbouring workers are one, and hold a part of every layer as in tensor-split. They
// compute a gradient together, of the minibatches of all of them, and then each pushes and fetches
// its part by itself, at the servers that hold some of it (§4.1). So it is lockstep within a
// replica and asynchronous between them, and a replica may be a mixture of versions also where
// there is one server. With T = 1 it is the rule above.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "trainyard/collective/all_reduce.hpp"
#include "trainyard/collective/working_set.hpp"
#include "trainyard/model/kernels.hpp"
#include "trainyard/model/layered_model.hpp"
#include "trainyard/runtime/shard_part.hpp"
#include "trainyard/scheme/scheme.hpp"
#include "trainyard/scheme/split_stage.hpp"

#include "scheme/held_shards.hpp"
#include "scheme/ps_async.hpp"
#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

namespace {

// A message's tag: the version that its worker fetched last, and below that these two bits.
constexpr std::uint64_t wants_model = 1, brings_gradient = 2;
constexpr int bits = 2;

/// The gradients of a replica that this worker has to itself, or of its part of one.
class Gradients {
 public:
  Gradients(Worker& worker, int tensor_size) : worker_(worker) {
    if (tensor_size == 1) return;
    part_.emplace(worker, worker.layers().cut(1).front(), tensor_size, find_all_reduce("ring"));
  }

  /// Valid until the next call.
  ConstVector compute() {
    if (!part_) return worker_.compute_gradient();
    part_->forward(worker_.minibatches().next());
    part_->backward();
    return part_->gradient();
  }

 private:
  Worker& worker_;
  std::optional<StagePart> part_;
};

/// The first replica is alone at first, and at its end if it has not come so far.
class WarmStart {
 public:
  WarmStart(Worker& worker, HeldShards& shards, int tensor_size)
      : worker_(worker),
        shards_(shards),
        tensor_size_(tensor_size),
        steps_(static_cast<std::uint64_t>(worker.hyperparameter("warm-start"))) {}

  /// Waits until this worker is to join, and fetches the model. Those of the first replica need not
  /// wait.
  void join(std::span<std::uint64_t> versions) {
    if (steps_ == 0 || worker_.comm().rank() < tensor_size_) return;
    worker_.comm().receive(0);
    std::ranges::fill(versions, wants_model);
    shards_.push(Vector(), versions, true);
    shards_.pull(versions);
  }
  /// After each step, and with `ends` after the last one: the first worker tells those who wait.
  void let_join(bool ends) {
    const bool tells = worker_.comm().rank() == 0;
    if (steps_ == 0 || !tells || joined_ || (!ends && worker_.step() + 1 < steps_)) return;
    joined_ = true;
    for (int other = tensor_size_; other < worker_.comm().workers(); ++other) {
      worker_.comm().send_control(other, 0);
    }
  }

 private:
  Worker& worker_;
  HeldShards& shards_;
  const int tensor_size_;
  const std::uint64_t steps_;
  bool joined_ = false;
};

void work(Worker& worker) {
  const auto fetch_period = static_cast<std::uint64_t>(worker.hyperparameter("fetch-period"));
  const auto push_period = static_cast<std::uint64_t>(worker.hyperparameter("push-period"));
  const int tensor_size = static_cast<int>(worker.hyperparameter(tensor_size_info.name));
  const Vector replica = worker.replica();
  const Vector accrued = worker.keep("accrued gradients", replica.size());
  const std::span<std::uint64_t> versions = versions_of(worker);
  std::vector<std::uint64_t> tags(versions.size());
  Gradients gradients(worker, tensor_size);
  HeldShards shards(worker, fetch_period);
  WarmStart warm_start(worker, shards, tensor_size);
  warm_start.join(versions);
  while (worker.next_step()) {
    const auto gradient = gradients.compute();
    const bool pushes = worker.step() % push_period == 0;
    const bool fetches = (worker.step() + 1) % fetch_period == 0;  // for the next step
    kernels::add(gradient, accrued);
    if (pushes || fetches) {
      const std::uint64_t asks = (fetches ? wants_model : 0) | (pushes ? brings_gradient : 0);
      std::ranges::transform(versions, tags.begin(),
                             [asks](std::uint64_t version) { return version << bits | asks; });
      shards.push(pushes ? accrued : Vector(), tags, fetches);
    }
    if (pushes) kernels::set_to_zero(accrued);
    if (fetches) {
      shards.pull(versions);
    } else {
      kernels::axpy(-worker.step_size(), gradient, replica);
    }
    warm_start.let_join(false);
  }
  warm_start.let_join(true);
}

void serve(Server& server) {
  const auto push_period = static_cast<std::uint64_t>(server.hyperparameter("push-period"));
  const int tensor_size = static_cast<int>(server.hyperparameter(tensor_size_info.name));
  std::vector<ShardPart> parts;  // what each worker of a replica has in common with the shard
  parts.reserve(static_cast<std::size_t>(tensor_size));
  for (int worker = 0; worker < tensor_size; ++worker) parts.emplace_back(server, worker);
  WorkingSets keys(server, ModelRead::common);
  const bool by_keys = server.gradient_shape().key_width > 0;
  // A worker's first push has one gradient in it, the later ones a period's.
  const std::span<std::uint64_t> gradients =
      server.keep_counts("gradients of a push", static_cast<std::size_t>(server.comm().workers()));
  while (const auto message = server.comm().receive_any()) {
    ShardPart& part = parts[static_cast<std::size_t>(message->from() % tensor_size)];
    keys.hear(*message);
    if ((message->tag() & brings_gradient) != 0) {
      part.record_staleness(message->tag() >> bits);
      std::uint64_t& count = gradients[static_cast<std::size_t>(message->from())];
      if (count == 0) count = 1;
      part.apply(keys.gradient(*message), count * static_cast<std::uint64_t>(tensor_size));
      count = push_period;
    }
    if ((message->tag() & wants_model) != 0) {
      if (by_keys) {
        keys.answer(message->from(), part.version());
      } else {
        server.comm().send(message->from(), part.values(), part.version());
      }
    }
  }
}

/// A fetch in each step, by all workers from the start, each with a whole replica.
bool is_as_ps_async(const StepSetting& s) {
  return hyperparameter(s.hyperparameters, tensor_size_info.name) == 1 &&
         hyperparameter(s.hyperparameters, "warm-start") == 0 &&
         hyperparameter(s.hyperparameters, "fetch-period") == 1;
}

/// Without a fetch in the first step nobody waits for the server. Where several workers are a
/// replica nobody knows a closed form: messages about parts meet at the servers' ports.
std::optional<Duration> step_time(const StepSetting& s) {
  return is_as_ps_async(s) ? ps_async_step_time(s) : std::nullopt;
}

std::optional<Duration> step_time_colocated(const StepSetting& s) {
  return is_as_ps_async(s) ? ps_async_step_time_colocated(s) : std::nullopt;
}

}  // namespace

Scheme downpour_scheme() {
  return {
      .name = "downpour",
      .summary = "ps-async that fetches and pushes every so many steps, local steps between",
      .step = "γ × each gradient: as ps-async",
      .cost = {.formula = "as ps-async for a fetch and a push in each step; without either c",
               .rate = "as ps-async, with larger staleness",
               .time = step_time,
               .time_colocated = step_time_colocated},
      .source = "Dean et al. 2012; catalogue 2.7",
      .family = SchemeFamily::asynchronous,
      .order = {.pace = Pace::free, .outlives_worker = true},
      .cast = cast::servers,
      // Servers do not know what accrues of the regulariser.
      .messages = {.by_keys = ByKeys::without_regulariser},
      .optimizers = {.no_l1 = "pushes sums of gradients and steps along each in between, with an "
                              "optimizer on its servers alone"},
      .hyperparameters = {fetch_period_info,
                          {.name = "push-period",
                           .argument = "N",
                           .help = "steps from push to push",
                           .fallback = 1,
                           .low = 1,
                           .high = 1e12,
                           .whole = true,
                           .cycle = true},
                          {.name = "warm-start",
                           .argument = "N",
                           .help = "steps of the first worker before the others join it",
                           .low = 0,
                           .high = 1e12,
                           .whole = true,
                           .in_the_long_run = 0.0},
                          tensor_size_info},
      .worker = work,
      .server = serve};
}

}  // namespace trainyard
