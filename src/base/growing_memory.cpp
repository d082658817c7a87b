#include "trainyard/base/growing_memory.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include <sys/mman.h>

#include "trainyard/base/memory_account.hpp"

#include "base/huge_pages.hpp"

namespace trainyard {

namespace {

// More than any data set that fits the machine; a system that limits addresses gets less.
constexpr std::size_t first_reservation = std::size_t{1} << 36U;

std::size_t rounded_up(std::size_t bytes) {
  return (bytes + huge_page - 1) / huge_page * huge_page;
}

}  // namespace

void GrowingMemory::ensure(std::size_t bytes) {
  if (bytes > counted_) {
    account_memory(rounded_up(bytes) - counted_);
    counted_ = rounded_up(bytes);
  }
  if (bytes > reserved_) reserve(bytes);
  if (!on_huge_pages_ && bytes >= smallest_on_huge_pages) {
    on_huge_pages_ = true;
    (void)madvise(data_, reserved_, MADV_HUGEPAGE);  // may be refused; pages are small then
  }
}

void GrowingMemory::reserve(std::size_t bytes) {
  void* data = MAP_FAILED;
  std::size_t size = std::max(2 * rounded_up(bytes), first_reservation);
  for (; data == MAP_FAILED && size >= bytes; size /= 2) {
    data = data_ == nullptr ? mmap(nullptr, size, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
                            : mremap(data_, reserved_, size, MREMAP_MAYMOVE);
    if (data != MAP_FAILED) break;
  }
  if (data == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<std::byte*>(data);
  reserved_ = size;
  on_huge_pages_ = false;
}

AlignedMemory GrowingMemory::release(std::size_t bytes) {
  std::byte* const data = std::exchange(data_, nullptr);
  const std::size_t reserved = std::exchange(reserved_, 0);
  const std::size_t counted = std::exchange(counted_, 0);
  const std::size_t kept = data == nullptr ? 0 : std::min({rounded_up(bytes), counted, reserved});
  release_memory(counted - kept);
  if (kept < reserved) munmap(data + kept, reserved - kept);
  if (kept == 0) return {};
  return {.data = data, .bytes = kept, .mapped = true};
}

}  // namespace trainyard
