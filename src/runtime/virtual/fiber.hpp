// A fiber: a stack of its own and a place to come back to. One OS thread runs many of them, each
// until it goes to another. Boost.Context switches the stacks; this wrapper adds what the
// sanitizers need to know about that.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <span>

#include <boost/context/fiber.hpp>

namespace trainyard {

class Fiber {
 public:
  /// The thread itself, on the stack that it has: the home of other fibers.
  Fiber();
  /// Nothing runs until somebody goes to it. When the body has ended, its home goes on. `stack`
  /// outlives the fiber. Fibers of neighbouring numbers keep what they touch in different sets of
  /// the first-level cache.
  Fiber(std::function<void()> body, Fiber& home, std::span<std::byte> stack, std::size_t number);
  /// REQUIRES: finished(), or nobody ever went to it, or it is a home.
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Leaves this fiber, the one that runs, for another; returns when somebody goes to this one.
  /// Never in line: ThreadSanitizer, which keeps a stack of calls for each fiber, would count a
  /// call on one and its return on another, and frames_ is this function's own.
  [[gnu::noinline]] void go_to(Fiber& other);
  // Always in line: a function that does nothing but prefetch has no effect in the eyes of g++ 12,
  // which leaves out calls of it.

  /// Asks the processor for the page on which the middle of the frames is that wait for go_to().
  /// REQUIRES: it is no home.
  [[gnu::always_inline]] void prefetch_page() const {
    __builtin_prefetch(frames_ + bytes_of_frames / 2, 1);
  }
  /// And for all of the frames: where many fibers ran meanwhile, they are no longer in the
  /// first-level cache.
  [[gnu::always_inline]] void prefetch_frames() const {
    constexpr std::size_t line = 64;
    for (std::size_t at = 0; at < bytes_of_frames; at += line) __builtin_prefetch(frames_ + at, 1);
  }
  bool finished() const { return finished_; }
  /// The exception that ended the body, if one did.
  std::exception_ptr failure() const { return failure_; }

 private:
  static constexpr std::size_t bytes_of_frames = 640;  // of a rank that waits for a message, about

  static std::size_t colour(std::size_t number);
  void run_body();
  void before_leaving_for(Fiber& other, bool for_ever);
  void after_coming_back();

  boost::context::fiber goes_on_;      // where this fiber goes on; empty while it runs
  const std::byte* frames_ = nullptr;  // the lowest of their bytes
  bool finished_ = false;
  Fiber* home_ = nullptr;
  std::exception_ptr failure_;
  std::function<void()> body_;

  // Kept for the sanitizers.
  const void* stack_bottom_ = nullptr;
  std::size_t stack_size_ = 0;
  [[maybe_unused]] void* fake_stack_ = nullptr;
  [[maybe_unused]] Fiber* came_from_ = nullptr;  // who went to this one
  [[maybe_unused]] void* tsan_fiber_ = nullptr;
};

}  // namespace trainyard
