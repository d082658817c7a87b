// The stacks of all fibers, in one mapping.
#pragma once

#include <cstddef>
#include <span>

namespace trainyard {

/// Stacks of one size, each with a guard page below, so that a program that goes too deep ends
/// there. Only pages that are touched are backed, two for most ranks.
class Stacks {
 public:
  /// The system's pages: 4 KiB, and on Arm 16 or 64 where its kernel was built so.
  static std::size_t system_page();

  /// REQUIRES: `page` is a multiple of the system's. Throws std::bad_alloc.
  explicit Stacks(std::size_t count, std::size_t page = system_page());
  ~Stacks();
  Stacks(const Stacks&) = delete;
  Stacks& operator=(const Stacks&) = delete;

  /// REQUIRES: number < count.
  std::span<std::byte> at(std::size_t number) const;

 private:
  void install_guards() const;

  const std::size_t count_;
  const std::size_t guard_bytes_;
  const std::size_t stack_bytes_;  // with its guard
  std::byte* begin_ = nullptr;
};

}  // namespace trainyard
