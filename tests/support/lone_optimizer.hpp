// An optimizer outside a run, with memory of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "trainyard/runtime/optimizer.hpp"

namespace trainyard::test {

class LoneOptimizer {
 public:
  LoneOptimizer(const OptimizerOptions& options, Scalar scalar, std::size_t dimension,
                const AbsolutePenalty& penalty = {})
      : optimizer_(
            options,
            [&](std::string_view name) {
              return memory_.emplace(name, VectorBuffer::zeroed(scalar, dimension))
                  .first->second.view();
            },
            steps_, penalty) {}

  void apply(Vector model, ConstVector gradient, double epochs, double scale = 1.0,
             double stretch = 1.0) {
    optimizer_.apply(model, gradient, epochs, scale, stretch);
  }

 private:
  std::map<std::string, VectorBuffer> memory_;
  std::uint64_t steps_ = 0;
  Optimizer optimizer_;
};

}  // namespace trainyard::test
