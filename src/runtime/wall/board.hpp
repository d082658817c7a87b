// Where a worker writes what it shows, for all others to read (runtime/shown.hpp).
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "trainyard/base/vector.hpp"

namespace trainyard {

/// Written by its worker alone. Two lines, as processors fetch lines in pairs.
struct alignas(128) Board {
  /// How far the worker is: it shows entries[stage mod 2], or has hidden what it showed; and it has
  /// read what was shown before.
  std::atomic<std::uint64_t> stage{0};
  std::array<ConstVector, 2> entries{};
};

}  // namespace trainyard
