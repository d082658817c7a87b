// A row as the author of a scheme of one's own writes it: all that it must have, and no more.
#pragma once

#include "trainyard/scheme/scheme.hpp"

namespace trainyard::test {

inline void compute_only(Worker& worker) {
  while (worker.next_step()) worker.apply(worker.compute_gradient());
}

inline Scheme mine(void (*program)(Worker&) = compute_only) {
  Scheme scheme;
  scheme.name = "mine";
  scheme.summary = "a test's";
  scheme.step = "γ × own gradient";
  scheme.worker = program;
  return scheme;
}

inline HyperparameterInfo count_info() {
  return {.name = "count",
          .argument = "N",
          .help = "a test's",
          .fallback = 5,
          .low = 1,
          .high = 10,
          .whole = true};
}

}  // namespace trainyard::test
