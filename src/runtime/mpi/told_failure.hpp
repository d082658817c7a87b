// A failure on its way to another process.
//
// Threads: any.
#pragma once

#include <exception>
#include <string>

#include "runtime/mpi/control.hpp"

namespace trainyard::mpi {

struct Failed {
  Failure kind = Failure::none;
  std::string text;
};

/// The failure in a form that another process can be told; of none, Failure::none.
Failed told(const std::exception_ptr& failure);
/// The exception of that kind.
[[noreturn]] void throw_as(Failure kind, const std::string& text);

}  // namespace trainyard::mpi
