#include "support/allocations.hpp"

#include <atomic>
#include <cerrno>
#include <cstdlib>

#if defined(TRAINYARD_SANITIZED) || !defined(__GLIBC__)
#define TRAINYARD_COUNTS_ALLOCATIONS 0
#else
#define TRAINYARD_COUNTS_ALLOCATIONS 1
#endif

namespace {
// relaxed, everywhere: it is read after the threads that count have been joined.
std::atomic<std::uint64_t> count{0};
}  // namespace

namespace trainyard::test {

bool counts_allocations() {
  return TRAINYARD_COUNTS_ALLOCATIONS != 0;
}

std::uint64_t allocations() {
  return count.load(std::memory_order_relaxed);
}

}  // namespace trainyard::test

#if TRAINYARD_COUNTS_ALLOCATIONS

namespace {
void* counted(void* memory) {
  count.fetch_add(1, std::memory_order_relaxed);
  return memory;
}
}  // namespace

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t number, std::size_t size);
void* __libc_realloc(void* memory, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  return counted(__libc_malloc(size));
}
void* calloc(std::size_t number, std::size_t size) {
  return counted(__libc_calloc(number, size));
}
void* realloc(void* memory, std::size_t size) {
  return counted(__libc_realloc(memory, size));
}
void* memalign(std::size_t alignment, std::size_t size) {
  return counted(__libc_memalign(alignment, size));
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return counted(__libc_memalign(alignment, size));
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  *memory = counted(__libc_memalign(alignment, size));
  return *memory == nullptr ? ENOMEM : 0;
}
}

#endif
