// Counts the memory of the program's arrays against a bound.
//
// Linux grants memory that it does not have, and kills somebody when it is used. So every array of
// values (AlignedBuffer, and with it every vector of parameters and every message) is counted here,
// one addition an allocation, and one that would pass the bound is refused: a run that outgrows the
// machine ends with a message, and what was computed before it is kept.
//
// Threads: any may call any of these at any time.
#pragma once

#include <cstddef>
#include <string>

namespace trainyard {

/// Bytes that arrays hold now.
std::size_t memory_held();
/// The most they held at once since the last reset_memory_peak().
std::size_t memory_peak();
void reset_memory_peak();

/// The bound on all of them together, in bytes. SIZE_MAX (unbounded) until it is set.
std::size_t memory_bound();
void bound_memory(std::size_t bytes);

/// Throws RunError if `bytes` more would pass the bound: "WHAT needs 3.2 GB, and 1.1 GB are free".
/// For what is about to be allocated, here or elsewhere.
void require_room(double bytes, const std::string& what);

/// Counts an array in: throws RunError if it would pass the bound. And out.
void account_memory(std::size_t bytes);
void release_memory(std::size_t bytes) noexcept;

/// Counts what is no array, for as long as it is there.
class MemoryCharge {
 public:
  explicit MemoryCharge(std::size_t bytes) : bytes_(bytes) { account_memory(bytes); }
  ~MemoryCharge() { release_memory(bytes_); }
  MemoryCharge(const MemoryCharge&) = delete;
  MemoryCharge& operator=(const MemoryCharge&) = delete;

 private:
  std::size_t bytes_;
};

}  // namespace trainyard
