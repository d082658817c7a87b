// Linux gives a process 65,530 mappings. A stack that is mapped and guarded by itself takes two of
// them, which ended at 32,000 ranks. Guards by madvise (Linux 6.13) leave one mapping whole; where
// there are none, and many ranks, several stacks share one.
#include "runtime/virtual/stacks.hpp"

#include <new>

#include <sys/mman.h>
#include <unistd.h>

namespace trainyard {

namespace {

// Address space, not memory. A rank's program is shallow, but setting up its data is done here too.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::size_t of_a_rank = std::size_t{1024} * 1024;
#else
constexpr std::size_t of_a_rank = std::size_t{256} * 1024;
#endif
/// A guard of the older kind divides a mapping in two more.
constexpr std::size_t most_older_guards = 30'000;

/// MADV_GUARD_INSTALL, which headers of older systems lack.
constexpr int guard_install = 102;

}  // namespace

std::size_t Stacks::system_page() {
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// With its guard a stack is an odd number of pages. A rank in lock-step touches one page of its
/// stack, and where these are a power of two apart they share a few sets of the TLB: of more than
/// 64 ranks each then waited for a page walk, 36 ns with 1024 ranks.
Stacks::Stacks(std::size_t count, std::size_t page)
    : count_(count), guard_bytes_(page), stack_bytes_(of_a_rank + page) {
  // Without a reserve: of 25 GB for 100,000 ranks 0.8 are touched.
  void* const mapped = mmap(nullptr, count * stack_bytes_, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  begin_ = static_cast<std::byte*>(mapped);
  // A huge page would back eight stacks for the two small pages that each needs. Systems without
  // huge pages refuse, and need no advice.
  (void)madvise(begin_, count * stack_bytes_, MADV_NOHUGEPAGE);
  try {
    install_guards();
  } catch (...) {
    munmap(begin_, count * stack_bytes_);
    throw;
  }
}

Stacks::~Stacks() {
  munmap(begin_, count_ * stack_bytes_);
}

std::span<std::byte> Stacks::at(std::size_t number) const {
  return {begin_ + number * stack_bytes_ + guard_bytes_, stack_bytes_ - guard_bytes_};
}

void Stacks::install_guards() const {
  if (madvise(begin_, guard_bytes_, guard_install) == 0) {
    for (std::size_t i = 1; i < count_; ++i) {
      if (madvise(begin_ + i * stack_bytes_, guard_bytes_, guard_install) != 0)
        throw std::bad_alloc();
    }
    return;
  }
  const std::size_t stride = (count_ + most_older_guards - 1) / most_older_guards;
  for (std::size_t i = 0; i < count_; i += stride) {
    if (mprotect(begin_ + i * stack_bytes_, guard_bytes_, PROT_NONE) != 0) throw std::bad_alloc();
  }
}

}  // namespace trainyard
