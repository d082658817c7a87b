// A fiber: a stack of its own and a place to come back to. One OS thread runs many of them, each
// until it yields. Boost.Context switches the stacks (about 10 ns); this wrapper adds what the
// sanitizers need to know about that.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>

#include <boost/context/fiber.hpp>
#include <boost/context/protected_fixedsize_stack.hpp>

namespace trainyard {

class Fiber {
 public:
  /// Nothing runs until the first resume().
  explicit Fiber(std::function<void()> body);
  /// REQUIRES: finished() or never resumed.
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Runs the body until it yields or ends. Called from outside of any fiber.
  void resume();
  /// Goes back to whoever resumed this fiber. Called from within.
  void yield();
  bool finished() const { return finished_; }
  /// What ended the body, if it was an exception.
  std::exception_ptr failure() const { return failure_; }

 private:
  void enter(boost::context::fiber&& resumer);
  void before_switch_in();
  void after_switch_in();
  void before_switch_out(bool for_ever);
  void after_switch_out();

  std::function<void()> body_;
  boost::context::stack_context stack_;
  boost::context::fiber inside_;   // where this fiber goes on
  boost::context::fiber outside_;  // where its resumer goes on
  std::exception_ptr failure_;
  bool finished_ = false;

  // Kept for the sanitizers.
  void* fake_stack_inside_ = nullptr;
  void* fake_stack_outside_ = nullptr;
  const void* outside_stack_ = nullptr;
  std::size_t outside_stack_size_ = 0;
  [[maybe_unused]] void* thread_fiber_ = nullptr;
  [[maybe_unused]] void* own_fiber_ = nullptr;
};

}  // namespace trainyard
