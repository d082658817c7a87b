// The shards of Sandblaster (Dean et al. 2012, §4.2): servers that each hold a part of the model
// and of everything that L-BFGS remembers, and do vector algebra on it when the coordinator tells
// them, "near the data". And what the coordinator says to them.
//
// Threads: each belongs to its rank.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

/// A portion at the point of an evaluation, which count from 1: the tag of what is sent about it.
struct Task {
  std::uint64_t evaluation = 0;
  std::size_t portion = 0;

  std::uint64_t tag() const { return evaluation << 32 | portion; }
  static Task from_tag(std::uint64_t tag) { return {tag >> 32, tag & 0xffff'ffff}; }
};

/// The vectors that a shard has its part of; the pairs follow, s and y of each.
enum class Held : std::uint64_t { point, slopes, trial, trial_slopes, direction, first_pair };
constexpr Held s_of(std::size_t pair) {
  return static_cast<Held>(static_cast<std::uint64_t>(Held::first_pair) + 2 * pair);
}
constexpr Held y_of(std::size_t pair) {
  return static_cast<Held>(static_cast<std::uint64_t>(s_of(pair)) + 1);
}
/// One pair more than --history remembers: a new one may be left out.
std::size_t pairs_kept(const Server& server);

enum class Verb : std::uint64_t {
  evaluate,  // trial ← point + a · direction, and its gradient is to come; answered at once
  gather,    // wait for the gradient; answered with its part of the slope along `direction`
  publish,   // the model is trial
  dot,       // answered with the part of toᵀ from
  axpy,      // to ← to + a · from
  scale,     // to ← a · to
  copy,      // to ← from
};

/// A message's tag. The number a, if any, is its payload.
struct Command {
  Verb verb{};
  Held from{}, to{};

  std::uint64_t tag() const {
    return static_cast<std::uint64_t>(verb) | static_cast<std::uint64_t>(from) << 8 |
           static_cast<std::uint64_t>(to) << 36;
  }
  static Command from_tag(std::uint64_t tag) {
    return {static_cast<Verb>(tag & 0xff), static_cast<Held>(tag >> 8 & 0xfff'ffff),
            static_cast<Held>(tag >> 36)};
  }
};

/// Coordinator: says that to every shard, these being the servers behind the first one.
void tell_shards(Communicator& comm, const Command& command, std::optional<double> number = {});
/// Coordinator: the sum of what they answer, in their order, so that the bits repeat.
double sum_of_answers(Communicator& comm);

class VectorShard {
 public:
  explicit VectorShard(Server& server);
  /// Until the run ends.
  void serve();

 private:
  Vector held(Held which) { return vectors_[static_cast<std::size_t>(which)]; }
  void hear(const Message& message);
  void obey(const Command& command, const Message& message);
  void answer(double number);
  void begin_evaluation(double step);

  Server& server_;
  std::vector<Vector> vectors_;  // as Held numbers them
  std::uint64_t evaluation_ = 0;
  std::vector<bool> counted_;  // portions of this evaluation, in trial_slopes
  std::size_t missing_ = 0;
  VectorBuffer sent_;  // trial, in the model's precision
};

}  // namespace trainyard
