#include "trainyard/base/aligned_buffer.hpp"

#include <new>

#include <sys/mman.h>

#include "trainyard/base/cache_lines.hpp"
#include "trainyard/base/memory_account.hpp"

#include "base/huge_pages.hpp"

namespace trainyard {

namespace {

std::align_val_t alignment_of(std::size_t bytes) {
  return std::align_val_t{bytes >= smallest_on_huge_pages ? huge_page : cache_line};
}

}  // namespace

AlignedMemory allocate_aligned(std::size_t bytes) {
  account_memory(bytes);
  void* data = ::operator new(bytes, alignment_of(bytes), std::nothrow);
  if (data == nullptr) {
    release_memory(bytes);
    throw std::bad_alloc();
  }
  // A system without huge pages refuses, and then pages are small.
  if (bytes >= smallest_on_huge_pages) (void)madvise(data, bytes, MADV_HUGEPAGE);
  return {.data = data, .bytes = bytes};
}

void free_aligned(AlignedMemory memory) noexcept {
  if (memory.data == nullptr || memory.bytes == 0) return;
  if (memory.counted) release_memory(memory.bytes);
  if (memory.mapped) {
    munmap(memory.data, memory.bytes);
  } else {
    ::operator delete(memory.data, alignment_of(memory.bytes));
  }
}

}  // namespace trainyard
