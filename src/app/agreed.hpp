// Actions that all processes of a run do, or none.
#pragma once

#include <exception>

#include "trainyard/runtime/processes.hpp"

namespace trainyard::app {

/// Called by all: what `make` makes in this process, or, where it has failed in one of them, an
/// exception in each (Processes::agree()).
template <typename Make>
auto agreed(Processes& processes, const Make& make) {
  decltype(make()) made{};
  std::exception_ptr failure;
  try {
    made = make();
  } catch (...) {
    failure = std::current_exception();
  }
  processes.agree(failure);
  return made;
}

}  // namespace trainyard::app
