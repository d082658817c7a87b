#include "runtime/virtual/fiber.hpp"

#include <utility>

#include <boost/context/preallocated.hpp>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#define TRAINYARD_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#define TRAINYARD_TSAN 1
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer) && !defined(TRAINYARD_ASAN)
#include <sanitizer/common_interface_defs.h>
#define TRAINYARD_ASAN 1
#endif
#endif

namespace trainyard {

namespace {

// Address space, not memory: only pages that are touched are backed. A rank's program is shallow,
// but setting up its data is done here too.
#if defined(TRAINYARD_ASAN) || defined(TRAINYARD_TSAN)
constexpr std::size_t stack_bytes = 1024 * 1024;
#else
constexpr std::size_t stack_bytes = 256 * 1024;
#endif

}  // namespace

Fiber::Fiber(std::function<void()> body) : body_(std::move(body)) {
  boost::context::protected_fixedsize_stack allocator(stack_bytes);
  stack_ = allocator.allocate();
  inside_ = boost::context::fiber(std::allocator_arg,
                                  boost::context::preallocated(stack_.sp, stack_.size, stack_),
                                  allocator, [this](boost::context::fiber&& resumer) {
                                    enter(std::move(resumer));
                                    return std::move(outside_);
                                  });
#ifdef TRAINYARD_TSAN
  own_fiber_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
#ifdef TRAINYARD_TSAN
  __tsan_destroy_fiber(own_fiber_);
#endif
}

void Fiber::enter(boost::context::fiber&& resumer) {
  outside_ = std::move(resumer);
  after_switch_in();
  try {
    body_();
  } catch (const boost::context::detail::forced_unwind&) {
    throw;  // Boost.Context takes an unfinished stack down with this
  } catch (...) {
    failure_ = std::current_exception();
  }
  finished_ = true;
  before_switch_out(true);
}

void Fiber::resume() {
  before_switch_in();
  inside_ = std::move(inside_).resume();
  after_switch_out();
}

void Fiber::yield() {
  before_switch_out(false);
  outside_ = std::move(outside_).resume();
  after_switch_in();
}

void Fiber::before_switch_in() {
#ifdef TRAINYARD_ASAN
  const auto* top = static_cast<const char*>(stack_.sp);
  __sanitizer_start_switch_fiber(&fake_stack_outside_, top - stack_.size, stack_.size);
#endif
#ifdef TRAINYARD_TSAN
  thread_fiber_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(own_fiber_, 0);
#endif
}

void Fiber::after_switch_in() {
#ifdef TRAINYARD_ASAN
  __sanitizer_finish_switch_fiber(fake_stack_inside_, &outside_stack_, &outside_stack_size_);
#endif
}

void Fiber::before_switch_out([[maybe_unused]] bool for_ever) {
#ifdef TRAINYARD_ASAN
  __sanitizer_start_switch_fiber(for_ever ? nullptr : &fake_stack_inside_, outside_stack_,
                                 outside_stack_size_);
#endif
#ifdef TRAINYARD_TSAN
  __tsan_switch_to_fiber(thread_fiber_, 0);
#endif
}

void Fiber::after_switch_out() {
#ifdef TRAINYARD_ASAN
  __sanitizer_finish_switch_fiber(fake_stack_outside_, nullptr, nullptr);
#endif
}

}  // namespace trainyard
