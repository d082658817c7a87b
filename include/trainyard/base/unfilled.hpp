// Vectors whose new elements are not filled with zeros: for memory that is written at once after it
// is made room for.
//
// Threads: vectors like any other: any number of threads may read one, and who writes one has it
// alone.
#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace trainyard {

/// Elements that are made without a value have none.
template <typename T>
struct UnfilledAllocator : std::allocator<T> {
  template <typename U>
  struct rebind {
    using other = UnfilledAllocator<U>;
  };

  template <typename U>
  void construct(U* place) {
    ::new (static_cast<void*>(place)) U;
  }
  template <typename U, typename... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    std::construct_at(place, std::forward<Arguments>(arguments)...);
  }
};

/// A std::vector whose resize(n) leaves new elements unset. For numbers and characters.
template <typename T>
using UnfilledVector = std::vector<T, UnfilledAllocator<T>>;

}  // namespace trainyard
