#include "trainyard/base/aligned_buffer.hpp"

#include <new>

#include <sys/mman.h>

namespace trainyard {

namespace {

constexpr std::size_t cache_line = 64;
constexpr std::size_t huge_page = std::size_t{2} << 20U;
// Below it, what is lost at the end of the last huge page could be as much as the array itself.
constexpr std::size_t smallest_on_huge_pages = 4 * huge_page;

}  // namespace

AlignedMemory allocate_aligned(std::size_t bytes) {
  const bool large = bytes >= smallest_on_huge_pages;
  const std::size_t alignment = large ? huge_page : cache_line;
  void* data = ::operator new (bytes, std::align_val_t{alignment});
  // A system without huge pages refuses, and then pages are small.
  if (large) (void)madvise(data, bytes, MADV_HUGEPAGE);
  return {.data = data, .alignment = alignment};
}

void free_aligned(AlignedMemory memory) noexcept {
  if (memory.data == nullptr) return;
  if (memory.mapped > 0) {
    munmap(memory.data, memory.mapped);
    return;
  }
  ::operator delete (memory.data, std::align_val_t{memory.alignment});
}

}  // namespace trainyard
