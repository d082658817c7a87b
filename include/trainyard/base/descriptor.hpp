// A file descriptor that is closed when it goes out of scope.
//
// Threads: one at a time for one object; different objects share nothing.
#pragma once

#include <cerrno>
#include <utility>

#include <unistd.h>

namespace trainyard {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }
  /// 0, or the errno that tells of what could not be written after all.
  int close() { return ::close(std::exchange(number_, -1)) == 0 ? 0 : errno; }

 private:
  int number_ = -1;
};

}  // namespace trainyard
