// The stacks of all fibers, in one mapping.
#pragma once

#include <cstddef>
#include <span>

namespace trainyard {

/// Stacks of one size, each with a guard page below, so that a program that goes too deep ends
/// there. Only pages that are touched are backed, two for most ranks.
class Stacks {
 public:
  /// Throws std::bad_alloc.
  explicit Stacks(std::size_t count);
  ~Stacks();
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;

  /// REQUIRES: number < count.
  std::span<std::byte> at(std::size_t number) const;

 private:
  void install_guards() const;

  const std::size_t count_;
  std::byte* begin_ = nullptr;
};

}  // namespace trainyard
