#include "trainyard/run/microbatches.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>

#include "trainyard/scheme/scheme.hpp"

namespace trainyard {

namespace {

/// A hyperparameter of the scheme; empty where it has none of that name, whatever others have.
std::optional<int> hyperparameter_of(const Configuration& c, std::string_view name) {
  const auto& known = find_scheme(c.scheme).hyperparameters;
  if (std::ranges::find(known, name, &HyperparameterInfo::name) == known.end()) return {};
  const auto found = c.hyperparameters.find(std::string(name));
  if (found == c.hyperparameters.end()) return {};
  return static_cast<int>(found->second);
}

/// Neighbouring ranks hold the parts of a stage, neighbouring stages a pipeline.
struct Stages {
  int parts = 1, stages = 1;

  /// Whether it goes from a stage to the same part of the next one, up or down.
  bool joined_by(const Transfer& message) const {
    const int of_pipeline = parts * stages;
    return message.from / of_pipeline == message.to / of_pipeline &&
           std::abs(message.to - message.from) == parts;
  }
};

}  // namespace

std::optional<Microbatches> microbatches_of(const Trace& trace, const Configuration& resolved) {
  const Stages stages{.parts = hyperparameter_of(resolved, "tensor-size").value_or(1),
                      .stages = hyperparameter_of(resolved, "stages").value_or(1)};
  if (stages.stages < 2 || trace.from != Time{0} || resolved.network.faults.crash()) return {};
  const std::optional<int> in_step = hyperparameter_of(resolved, "microbatches");
  Microbatches found{.word = in_step ? "microbatch" : "minibatch", .of_messages = {}};
  std::map<std::pair<int, int>, std::uint64_t> sent;  // from a rank to another
  for (const Transfer& message : trace.messages) {
    std::optional<std::uint64_t>& number = found.of_messages.emplace_back();
    if (!stages.joined_by(message)) continue;
    const std::uint64_t before = sent[{message.from, message.to}]++;
    number = in_step ? before % static_cast<std::uint64_t>(*in_step) : before;
  }
  return found;
}

}  // namespace trainyard
