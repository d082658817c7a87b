// A bound on memory for as long as a test needs it.
#pragma once

#include <cstddef>

#include "trainyard/base/memory_account.hpp"

namespace trainyard {

class MemoryBound {
 public:
  explicit MemoryBound(std::size_t bytes) : before_(memory_bound()) { bound_memory(bytes); }
  ~MemoryBound() { bound_memory(before_); }
  MemoryBound(const MemoryBound&) = delete;
  MemoryBound& operator=(const MemoryBound&) = delete;

 private:
  std::size_t before_;
};

}  // namespace trainyard
