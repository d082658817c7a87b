// A fixed-size array of plain values on 64-byte lines, so that vector loads never straddle a cache
// line and two ranks' buffers never share one. The memory is not touched until it is written
// (unless `zeroed`), so it lands on the NUMA node of the thread that first writes it.
//
// Large arrays ask for huge pages: filling 1 GB in pages of 4 KiB costs 250,000 page faults, about
// as long as parsing its text, and a random access into them misses the translation cache as well.
//
// Threads: one at a time for one object; different objects share nothing.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>

namespace trainyard {

/// Memory, and what free_aligned() has to know of it.
struct AlignedMemory {
  void* data = nullptr;
  std::size_t bytes = 0;  // 0: somebody else's, who keeps it and frees it
  bool mapped = false;    // else from the heap
  bool counted = true;    // in what the program holds (memory_account.hpp)
};
/// At least `bytes` > 0, counted (memory_account.hpp). Throws RunError where that passes the bound,
/// std::bad_alloc where the system refuses.
AlignedMemory allocate_aligned(std::size_t bytes);
void free_aligned(AlignedMemory memory) noexcept;

template <typename T>
class AlignedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  AlignedBuffer() = default;
  /// `size` values, uninitialised.
  explicit AlignedBuffer(std::size_t size) : size_(size) {
    if (size == 0) return;
    hold(allocate_aligned(size * sizeof(T)));
  }
  /// `size` values in memory that this array takes over.
  AlignedBuffer(AlignedMemory memory, std::size_t size) : size_(size) { hold(memory); }
  static AlignedBuffer zeroed(std::size_t size) {
    AlignedBuffer buffer(size);
    if (size != 0) std::memset(buffer.data(), 0, size * sizeof(T));
    return buffer;
  }
  static AlignedBuffer copy_of(std::span<const T> values) {
    AlignedBuffer buffer(values.size());
    if (!values.empty()) std::memcpy(buffer.data(), values.data(), values.size_bytes());
    return buffer;
  }

  /// `values` themselves, which their owner keeps as long as this exists, and which nobody writes.
  /// They need not lie on a line of their own.
  static AlignedBuffer view_of(std::span<const T> values) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): nobody writes
    AlignedMemory memory{.data = const_cast<T*>(values.data()), .counted = false};
    return AlignedBuffer(memory, values.size());
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) { return data_.get()[i]; }
  const T& operator[](std::size_t i) const { return data_.get()[i]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  std::span<T> span() { return {data(), size_}; }
  std::span<const T> span() const { return {data(), size_}; }

 private:
  struct Free {
    std::size_t bytes = 0;
    bool mapped = false, counted = true;
    void operator()(T* memory) const { free_aligned({memory, bytes, mapped, counted}); }
  };
  void hold(AlignedMemory memory) {
    data_ = {static_cast<T*>(memory.data), Free{memory.bytes, memory.mapped, memory.counted}};
  }
  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0;
};

}  // namespace trainyard
