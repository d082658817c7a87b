// Counts what the test program takes from the heap: malloc and its kin are replaced, and pass on to
// glibc's own. Everything that ends there is counted, operator new and libraries included.
#pragma once

#include <cstdint>

namespace trainyard::test {

/// False where nothing is counted: under sanitizers, which replace malloc themselves, and with
/// another C library than glibc.
bool counts_allocations();

/// By all threads, since the program began.
std::uint64_t allocations();

}  // namespace trainyard::test
