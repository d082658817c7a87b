// What a program in Python waits for, and what it gets.
//
// Threads: `work` is called on the rank's own thread or fiber, without the interpreter's lock.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "trainyard/base/vector.hpp"

namespace trainyard::python {

/// A message; of whom where the program did not say it.
struct Letter {
  std::optional<int> from{};
  VectorBuffer vector{};
  std::uint64_t tag = 0;
};

/// Nothing, whether, a vector, a message, or the tags of several.
using Waited = std::variant<std::monostate, bool, VectorBuffer, Letter, std::vector<std::uint64_t>>;

/// Of a wait that is dropped before it is taken, the name stays with its rank: its `yield` was
/// forgotten, and what it is about was never done.
class UntilTaken {
 public:
  UntilTaken(const char*& forgotten, const char* name) : forgotten_(&forgotten), name_(name) {}
  UntilTaken(UntilTaken&& other) noexcept
      : forgotten_(std::exchange(other.forgotten_, nullptr)), name_(other.name_) {}
  UntilTaken(const UntilTaken&) = delete;
  UntilTaken& operator=(const UntilTaken&) = delete;
  UntilTaken& operator=(UntilTaken&&) = delete;
  ~UntilTaken() {
    if (forgotten_ != nullptr) *forgotten_ = name_;
  }
  /// False where it was before: each is waited for once.
  bool take() { return std::exchange(forgotten_, nullptr) != nullptr; }

 private:
  const char** forgotten_;
  const char* name_;
};

struct Wait {
  std::shared_ptr<const void> of;  // the rank that it was asked of, and that alone does it
  std::function<Waited()> work;
  UntilTaken until_taken;  // goes before its rank
};

}  // namespace trainyard::python
