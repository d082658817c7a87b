// Boost.Context's plain resume() makes the processor foresee wrongly where the functions on the
// other side return to: it knows that from the calls it has seen, and those were of the fiber that
// was left. resume_with() ends its switch with a return, not with a jump, which keeps the foreseen
// returns in step with the stack; so where both fibers wait in the same place, as ranks in
// lock-step do, all are foreseen. Among 64 fibers that wait three calls deep a switch took 28 ns
// instead of 73 (Intel Xeon at 2 GHz, busy).
#include "runtime/virtual/fiber.hpp"

#include <utility>

#include <boost/context/preallocated.hpp>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#define TRAINYARD_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#define TRAINYARD_TSAN 1
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer) && !defined(TRAINYARD_ASAN)
#include <sanitizer/asan_interface.h>
#define TRAINYARD_ASAN 1
#endif
#endif

namespace trainyard {

namespace {

/// The stack outlives the fiber, and is not its to give back.
struct LentStack {
  void deallocate(boost::context::stack_context& /*stack*/) noexcept {}
};

}  // namespace

/// Stacks begin at page boundaries, so the tops of all would share the few sets of the cache that
/// belong to one place in a page. So each begins bytes_of_frames further down than the one before,
/// round and round within a page.
std::size_t Fiber::colour(std::size_t number) {
  constexpr std::size_t page = 4096;
  return number * bytes_of_frames % page;
}

Fiber::Fiber() {
#ifdef TRAINYARD_TSAN
  tsan_fiber_ = __tsan_get_current_fiber();
#endif
}

Fiber::Fiber(std::function<void()> body, Fiber& home, std::span<std::byte> lent, std::size_t number)
    : home_(&home), body_(std::move(body)), stack_bottom_(lent.data()), stack_size_(lent.size()) {
  boost::context::stack_context stack;
  stack.sp = lent.data() + lent.size();
  stack.size = lent.size();
  const std::size_t size = lent.size() - colour(number);
  const boost::context::preallocated begins(lent.data() + size, size, stack);
  frames_ = lent.data() + size - bytes_of_frames;
  goes_on_ = boost::context::fiber(std::allocator_arg, begins, LentStack(),
                                   [this](boost::context::fiber&&) {
                                     run_body();
                                     return std::move(home_->goes_on_);
                                   });
#ifdef TRAINYARD_TSAN
  tsan_fiber_ = __tsan_create_fiber(0);
#endif
}

Fiber::~Fiber() {
#ifdef TRAINYARD_ASAN
  if (home_ != nullptr) {
    goes_on_ = boost::context::fiber();  // an unfinished one unwinds now, and leaves frames too
    // The last frames of a finished fiber never return, and what was noted of their variables' ends
    // outlives the stack: whatever is mapped at its address next would begin with it.
    __asan_unpoison_memory_region(stack_bottom_, stack_size_);
  }
#endif
#ifdef TRAINYARD_TSAN
  if (home_ != nullptr) __tsan_destroy_fiber(tsan_fiber_);
#endif
}

void Fiber::run_body() {
  after_coming_back();
  try {
    body_();
  } catch (const boost::context::detail::forced_unwind&) {
    throw;  // Boost.Context takes an unfinished stack down with this
  } catch (...) {
    failure_ = std::current_exception();
  }
  finished_ = true;
  before_leaving_for(*home_, true);
}

void Fiber::go_to(Fiber& other) {
  before_leaving_for(other, false);
  // Boost.Context keeps the registers a little further down.
  constexpr std::size_t registers = 128;
  frames_ = static_cast<const std::byte*>(__builtin_frame_address(0)) - registers;
  // The lambda runs on the other's stack, before anything of the other does.
  std::move(other.goes_on_).resume_with([this](boost::context::fiber&& here) {
    goes_on_ = std::move(here);
    return boost::context::fiber();
  });
  after_coming_back();
}

void Fiber::before_leaving_for([[maybe_unused]] Fiber& other, [[maybe_unused]] bool for_ever) {
#ifdef TRAINYARD_ASAN
  other.came_from_ = this;
  __sanitizer_start_switch_fiber(for_ever ? nullptr : &fake_stack_, other.stack_bottom_,
                                 other.stack_size_);
#endif
#ifdef TRAINYARD_TSAN
  __tsan_switch_to_fiber(other.tsan_fiber_, 0);
#endif
}

/// A home learns here where its stack lies, before anybody goes to it.
void Fiber::after_coming_back() {
#ifdef TRAINYARD_ASAN
  __sanitizer_finish_switch_fiber(fake_stack_, &came_from_->stack_bottom_,
                                  &came_from_->stack_size_);
#endif
}

}  // namespace trainyard
