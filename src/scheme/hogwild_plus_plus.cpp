// Hogwild++ (Zhang, Hsieh & Akella, ICDM 2016; catalogue §2.16): each cluster of cores, a NUMA
// node, has its own model and runs Hogwild on it. The clusters form a directed ring in which one
// token goes round. Who has it hands the changes that its cluster has made since last time on to
// the next cluster and takes over from it, as RingExchange says; keeps the token for
// --token-updates more steps of its own; and passes it on. No cluster reads the model of another
// but once a round, so cache lines stay on their node. Of a change its own cluster keeps the share
// β and hands β on, the next hands on β², …; β is such that the βⁿ which comes home after a round
// makes it whole again: βⁿ + β = 1.
//
// Changes below --tolerance stay where they are and accumulate until they are worth a cache line of
// the next cluster's. One cluster is Hogwild.
//
// The first worker of each cluster is the one that takes part in the ring. The token is a message
// without bytes: what it publishes is ordered by the queue that it comes through, and `old` belongs
// to that worker alone; everything else is the relaxed atomics of SharedModel. In `virtual` an
// exchange takes what its cache lines take, and no more.
#include "scheme/hogwild_plus_plus.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "trainyard/model/kernels.hpp"
#include "trainyard/runtime/shared_steps.hpp"
#include "trainyard/scheme/scheme.hpp"

#include "scheme/shared_hyperparameters.hpp"

namespace trainyard {

RingWeights ring_weights(int clusters) {
  double low = 0.5;  // β grows with n; for two it is 0.618
  double high = 1.0;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (std::pow(middle, clusters) + middle < 1.0 ? low : high) = middle;
  }
  return {.beta = low, .lambda = 1.0 - std::pow(low, clusters - 1)};
}

namespace {

constexpr std::size_t floats_of_line = 16;

}  // namespace

RingExchange::RingExchange(RingWeights weights, double tolerance, std::span<float> old)
    : weights_(weights), tolerance_(static_cast<float>(tolerance)), old_(old) {
  handed_on_.reserve(old.size() / floats_of_line + 1);
}

void RingExchange::exchange(SharedModel& own, SharedModel& next, SharedAccess access) {
  constexpr std::size_t block = 512;
  handed_on_.clear();
  std::array<float, block> own_values, next_values, written;
  const auto beta = static_cast<float>(weights_.beta);
  const auto lambda = static_cast<float>(weights_.lambda);
  for (std::size_t first = 0; first < old_.size(); first += block) {
    const std::size_t count = std::min(block, old_.size() - first);
    const std::span<float> w = std::span(own_values).first(count);
    const std::span<float> x = std::span(next_values).first(count);
    own.read(w, first);
    next.read(x, first);
    for (std::size_t i = 0; i < count; ++i) {
      float& old = old_[first + i];
      const float change = w[i] - old;
      const bool large = !(std::abs(change) <= tolerance_);  // a NaN is handed on, and seen
      const float pull = lambda * (x[i] - w[i]) + (large ? beta + lambda - 1.0F : lambda) * change;
      old = w[i] + pull - (large ? 0.0F : change);
      x[i] = large ? beta * change : 0.0F;
      w[i] = pull;
    }
    own.add(1.0F, w, std::span(written).first(count), access, first);
    // Lines that have not changed are not fetched to be written.
    for (std::size_t i = 0; i < count; i += floats_of_line) {
      const std::span<float> handed_on = x.subspan(i, std::min(floats_of_line, count - i));
      if (std::ranges::all_of(handed_on, [](float change) { return change == 0.0F; })) continue;
      handed_on_.push_back(first + i);
      next.add(1.0F, handed_on, std::span(written).first(handed_on.size()), access, first + i);
    }
  }
}

namespace {

/// The model of the worker's cluster when it last had the token: at first the starting point of
/// all.
std::span<float> old_of(Worker& worker) {
  const Vector old = worker.keep("old", worker.initial_model());
  return old.floats();
}

/// One worker's part in the ring, between its steps.
class TokenRing {
 public:
  TokenRing(Worker& worker, SharedSteps& shared, SharedAccess access);
  /// Whether the shared model was changed.
  bool take_turn();

 private:
  Communicator& comm_;
  SharedSteps& shared_;
  SharedAccess access_;
  int next_cluster_;
  int next_, previous_;  // ranks
  std::uint64_t hold_, left_ = 0;
  bool has_token_;
  RingExchange exchange_;
};

TokenRing::TokenRing(Worker& worker, SharedSteps& shared, SharedAccess access)
    : comm_(worker.comm()),
      shared_(shared),
      access_(access),
      next_cluster_((shared.group() + 1) % shared.models().groups()),
      next_(shared.models().first_worker_of(next_cluster_)),
      previous_(shared.models().first_worker_of((shared.group() + shared.models().groups() - 1) %
                                                shared.models().groups())),
      hold_(static_cast<std::uint64_t>(worker.hyperparameter("token-updates"))),
      has_token_(shared.group() == 0),
      exchange_(ring_weights(shared.models().groups()), worker.hyperparameter("tolerance"),
                old_of(worker)) {}

bool TokenRing::take_turn() {
  if (left_ > 0) {
    if (--left_ == 0) comm_.send_control(next_, 0);
    return false;
  }
  if (!has_token_ && !comm_.poll(previous_)) return false;
  has_token_ = false;
  shared_.touch(shared_.group(), LineUse::write);
  shared_.touch(next_cluster_, LineUse::read);
  exchange_.exchange(shared_.own(), shared_.models().of(next_cluster_), access_);
  shared_.touch(next_cluster_, exchange_.lines_handed_on(), LineUse::write);
  left_ = hold_;
  return true;
}

void work(Worker& worker) {
  const auto access = worker.choice<SharedAccess>("access");
  SharedSteps shared(worker);
  const SharedModels& clusters = shared.models();
  std::optional<TokenRing> ring;
  if (clusters.groups() > 1 && clusters.first_worker_of(shared.group()) == worker.comm().rank()) {
    ring.emplace(worker, shared, access);
  }
  while (worker.next_step()) {
    shared.descend(access);
    if (ring && ring->take_turn()) shared.forget_read();
  }
}

}  // namespace

Scheme hogwild_plus_plus_scheme() {
  return {
      .name = "hogwild++",
      .summary = "a shared model for each NUMA node, which hands its changes on around a ring",
      .step = "γ × each gradient, on one of the groups' models, handed on to the others",
      .cost = {.formula = "c",
               .rate = "as hogwild, with staleness of a round of the token",
               .time = [](const StepSetting& s) -> std::optional<Duration> { return s.compute; }},
      .source = "Zhang, Hsieh & Akella 2016; catalogue 2.16",
      .family = SchemeFamily::shared_memory,
      .order = {.pace = Pace::free, .outlives_worker = true},
      .cast = cast::shared_by_groups,
      .messages = {.within = "the NUMA nodes of one machine"},
      .optimizers = {.range = OptimizerRange::plain,
                     .no_l1 =
                         "hands on what nodes changed, and a sum of shrunk changes is not shrunk"},
      .hyperparameters = {access_info(),
                          groups_info(),
                          {.name = "token-updates",
                           .argument = "N",
                           .help = "steps for which a worker keeps the token",
                           .fallback = 64,
                           .low = 1,
                           .high = 1e12,
                           .whole = true},
                          {.name = "tolerance",
                           .argument = "T",
                           .help = "changes of a coordinate up to T are not handed on yet",
                           .fallback = 1e-4,
                           .low = 0.0,
                           .high = 1e6}},
      .worker = work};
}

}  // namespace trainyard
