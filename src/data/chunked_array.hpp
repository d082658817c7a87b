// An array that grows without ever holding its content twice. A vector that doubles needs three
// times its final size at its worst moment; here the values lie in chunks until all are known, and
// are then moved one chunk at a time, each chunk's memory going back before the next is copied.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "trainyard/base/aligned_buffer.hpp"

namespace trainyard {

template <typename T>
class ChunkedArray {
 public:
  void append(std::span<const T> values) {
    while (!values.empty()) {
      if (chunks_.empty() || used_ == chunks_.back().size()) add_chunk();
      const std::size_t count = std::min(values.size(), chunks_.back().size() - used_);
      std::copy_n(values.begin(), count, chunks_.back().data() + used_);
      used_ += count;
      size_ += count;
      values = values.subspan(count);
    }
  }

  std::size_t size() const { return size_; }

  /// Everything in one piece; leaves this array empty.
  AlignedBuffer<T> take() {
    AlignedBuffer<T> whole(size_);
    T* next = whole.data();
    for (AlignedBuffer<T>& chunk : chunks_) {
      const auto left = static_cast<std::size_t>(whole.end() - next);
      next = std::copy_n(chunk.data(), std::min(left, chunk.size()), next);
      chunk = {};
    }
    chunks_.clear();
    used_ = size_ = 0;
    return whole;
  }

 private:
  // 64 MiB is above the largest size that malloc keeps for itself (32 MiB in glibc): a chunk is
  // mapped when it is made, takes memory only as far as it is written, and is unmapped when freed.
  static constexpr std::size_t smallest_chunk = 4096 / sizeof(T);
  static constexpr std::size_t largest_chunk = std::size_t{64} * 1024 * 1024 / sizeof(T);

  void add_chunk() {
    chunks_.emplace_back(std::clamp(size_, smallest_chunk, largest_chunk));
    used_ = 0;
  }

  std::vector<AlignedBuffer<T>> chunks_;
  std::size_t used_ = 0;  // of the last chunk
  std::size_t size_ = 0;
};

}  // namespace trainyard
