// Memory that grows at its end and stays where it is.
//
// Threads: one at a time for one object; different objects share nothing.
#pragma once

#include <cstddef>

#include "trainyard/base/aligned_buffer.hpp"

namespace trainyard {

/// Addresses are reserved far beyond what is needed, which costs nothing: a page is there when it
/// is first written. Only what outgrows its reservation is moved, by changing the page tables.
class GrowingMemory {
 public:
  GrowingMemory() = default;
  GrowingMemory(const GrowingMemory&) = delete;
  GrowingMemory& operator=(const GrowingMemory&) = delete;
  ~GrowingMemory() { free_aligned(release(0)); }

  /// Makes room for `bytes` in all, and counts them (memory_account.hpp). Throws RunError where
  /// that passes the bound, std::bad_alloc where the system refuses.
  void ensure(std::size_t bytes);
  std::byte* data() { return data_; }

  /// Its first `bytes`, for an AlignedBuffer; the rest is given back. Leaves this empty.
  AlignedMemory release(std::size_t bytes);

 private:
  void reserve(std::size_t bytes);

  std::byte* data_ = nullptr;
  std::size_t reserved_ = 0;
  std::size_t counted_ = 0;  // whole huge pages
  bool on_huge_pages_ = false;
};

}  // namespace trainyard
