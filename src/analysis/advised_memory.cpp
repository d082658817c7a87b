#include "analysis/advised_memory.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "trainyard/base/error.hpp"
#include "trainyard/base/units.hpp"
#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

namespace {

constexpr double model_and_gradient = 2.0;

/// Besides model, gradient and optimizer, by their rules.
struct Held {
  std::string_view scheme;
  double vectors;
};
constexpr std::array held{
    Held{"local-sgd-sum", 1.0},    // the model of the last meeting
    Held{"async-local-sgd", 1.0},  // the same
    Held{"halos", 1.0},            // the same
    Held{"diloco", 2.0},           // and the outer velocity
    Held{"coded-diloco", 3.0},     // and the error of rounding
    Held{"eager-diloco", 6.0},     // and the ways of rounds, its own and the mean
    Held{"gossip", 1.0},           // the model that comes from another
    Held{"qgm", 3.0},              // and the momentum, and the model before the step
};

/// What outlives a step (runtime/optimizer.hpp).
double kept_by(const OptimizerOptions& optimizer) {
  switch (optimizer.kind) {
    case OptimizerKind::sgd:
      return optimizer.momentum > 0.0 ? 1.0 : 0.0;
    case OptimizerKind::nesterov:  // which has no other way than with momentum
    case OptimizerKind::adagrad:
    case OptimizerKind::lion:
      return 1.0;
    case OptimizerKind::adam:
    case OptimizerKind::adamw:
    case OptimizerKind::muon:  // of matrices one alone
      return 2.0;
  }
  return 0.0;
}

}  // namespace

MemoryNeed memory_need(const Contestant& contestant, const PredictionSetting& setting,
                       const OptimizerOptions& optimizer) {
  const Scheme& scheme = find_scheme(contestant.scheme);
  MemoryNeed need{.vectors = model_and_gradient};
  // Servers step the model, and keep what that needs.
  if (cast_of(scheme, setting.configuration).servers == 0) {
    need.vectors += kept_by(optimizer);
  }
  const auto* more = std::ranges::find(held, scheme.name, &Held::scheme);
  if (more != held.end()) need.vectors += more->vectors;
  need.bytes = need.vectors * static_cast<double>(setting.parameters * sizeof(float));
  return need;
}

std::string beyond_memory(const MemoryNeed& need, std::uint64_t memory_bytes) {
  return fmt::format("a worker has at least {} vectors of the model's length: {}, of {}",
                     need.vectors, human_bytes(need.bytes),
                     human_bytes(static_cast<double>(memory_bytes)));
}

void check_memory_holds(const PredictionSetting& setting, std::uint64_t memory_bytes) {
  const auto model = static_cast<double>(setting.parameters * sizeof(float));
  // Rings and trees step on the workers; only where servers do is there nothing besides.
  const double least = model_and_gradient * model;
  const auto room = static_cast<double>(memory_bytes);
  if (least <= room) return;
  throw OptionError(
      "memory", human_bytes(room),
      fmt::format("a worker with a model of {} and its gradient has at least {}; so much memory "
                  "holds a model of {} at most",
                  human_bytes(model), human_bytes(least), human_bytes(room / model_and_gradient)));
}

}  // namespace trainyard
