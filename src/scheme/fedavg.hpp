// Shared by fedavg and the federated schemes that differ from it in a worker's step, or in what the
// server makes of the mean.
#pragma once

#include <cstdint>
#include <optional>

#include "trainyard/base/function_ref.hpp"
#include "trainyard/collective/working_set.hpp"
#include "trainyard/runtime/robust_mean.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

inline const HyperparameterInfo global_lr_info{
    .name = "global-lr",
    .argument = "ETA",
    .help = "step size of the server along the mean way of a round: 1 goes as far as the mean",
    .fallback = 1.0,
    .low = 0.0,
    .high = 1e6};

inline const HyperparameterInfo server_beta1_info{
    .name = "server-beta1",
    .argument = "BETA1",
    .help = "what stays of the server's first moment in a round",
    .fallback = 0.9,
    .low = 0.0,
    .high = 0.9999};

inline const HyperparameterInfo proximal_step_info{
    .name = "proximal-step",
    .argument = "RHO",
    .help = "a worker is held near a point by its distance from there over this",
    .fallback = 10.0,
    .low = 1e-6,
    .high = 1e6};

/// The tag of what a worker sends at the end of a round.
struct RoundTag {
  std::uint64_t weight = 0;  // Minibatches::share_weight(), also of who sits out; there are no
                             // more rows than 32 bits count
  std::uint64_t steps = 0;   // that the worker took; 0: it sat out

  std::uint64_t tag() const { return weight << 32 | std::min(steps, most_steps); }
  static RoundTag from_tag(std::uint64_t tag) { return {tag >> 32, tag & most_steps}; }

 private:
  static constexpr std::uint64_t most_steps = (std::uint64_t{1} << 32) - 1;
};

/// The place of a step among those of its worker in a round.
struct LocalStep {
  bool first = false, last = false;
};

/// Rounds of --period steps: a worker that takes part does `step` in each of its own, which takes a
/// minibatch; then it sends its replica, and the servers' answer becomes the replica of all.
void fedavg_work(Worker& worker, FunctionRef<void(LocalStep)> step);
/// What a worker sends at the end of a round of so many steps of its own: its parts of `vector` to
/// the servers, or nothing where it sat out.
void push_of_round(Worker& worker, ConstVector vector, std::uint64_t steps);
/// The server's: the mean is the model.
void serve_fedavg(Server& server);
/// c where a round has several steps; else, where all goes whole, c + (Cn + n)(α + t).
std::optional<Duration> fedavg_time(const StepSetting& setting);

/// The server's end of these rounds.
///
///   RoundMean round(server);
///   while (round.next()) {
///     kernels::copy(round.mean(), server.shard());
///     round.answer();
///   }
class RoundMean {
 public:
  explicit RoundMean(Server& server);

  /// Waits for a round to end; false where the run does. Its mean is that of the replicas x_i of
  /// who took part, each counting as often as `weigh` says; with --aggregate it is the shard and
  /// what the rule makes of their ways from there, each counting once.
  bool next(double (*weigh)(const RoundTag&) = [](const RoundTag& tag) {
    return static_cast<double>(tag.weight);
  });
  /// The server's part of the mean, the caller's to change until the next round.
  Vector mean() const { return sum_; }
  /// Who took part, in the order of the ranks.
  std::span<const RoundTag> tags() const { return tags_; }
  /// What part of all weights those have who took part: |S|/n where all count alike.
  double share() const { return share_; }
  /// Sends everybody the shard.
  void answer() { keys_.answer_all(); }

 private:
  Server& server_;
  WorkingSets keys_;
  RobustMean robust_;  // of schemes that take "aggregate"
  const std::uint64_t period_;
  std::uint64_t& first_step_;  // of the round
  Vector sum_;
  std::vector<RoundTag> tags_;
  double share_ = 1.0;
};

}  // namespace trainyard
