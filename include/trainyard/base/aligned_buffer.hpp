// A fixed-size array of plain values on 64-byte lines, so that vector loads never straddle a cache
// line and two ranks' buffers never share one. The memory is not touched until it is written
// (unless `zeroed`), so it lands on the NUMA node of the thread that first writes it.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <type_traits>

namespace trainyard {

template <typename T>
class AlignedBuffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  static constexpr std::size_t alignment = 64;

  AlignedBuffer() = default;
  /// `size` values, uninitialised.
  explicit AlignedBuffer(std::size_t size)
      : data_(size == 0 ? nullptr
                        : static_cast<T*>(
                              ::operator new (size * sizeof(T), std::align_val_t{alignment}))),
        size_(size) {}
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
    void operator()(T* memory) const { ::operator delete (memory, std::align_val_t{alignment}); }
  };
  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0;
};

}  // namespace trainyard
