// One piece of real arithmetic done on another core while simulated time goes on elsewhere.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <optional>
#include <utility>

#include <tbb/task_group.h>

#include "trainyard/base/function_ref.hpp"

namespace trainyard {

/// Work that was short the last time is done at once: handing it over takes time of both cores, and
/// keeps one awake that looks for more. The test that predicts and trains every scheme took 48 s of
/// processors with every task handed over, and 14 so.
///
/// Threads: start() and finish() are called by one thread; the work runs on any.
class BackgroundTask {
 public:
  BackgroundTask() = default;
  BackgroundTask(const BackgroundTask&) = delete;
  BackgroundTask& operator=(const BackgroundTask&) = delete;
  ~BackgroundTask() noexcept = default;

  /// `work` is kept by reference. REQUIRES: no work is running.
  void start(FunctionRef<void()> work) {
    work_ = work;
    if (last_took_ < worth_handing_over) {
      run_here();
      return;
    }
    handed_over_.store(true, std::memory_order_release);  // publishes what the work reads
    group_.run(Task{this});
  }
  /// Whether finish() has something to do.
  bool started() const { return work_.has_value(); }
  /// Waits for the work, helping with other ranks' meanwhile; rethrows its exception.
  void finish() {
    if (!work_) return;
    const ForgetWork forget{work_};  // also when wait() throws
    if (std::exchange(is_done_here_, false)) {
      if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
      return;
    }
    group_.wait();
    (void)handed_over_.load(std::memory_order_acquire);  // sees what the work wrote
  }

 private:
  /// oneTBB orders the hand-over; the atomic repeats it where ThreadSanitizer can see it, because
  /// the distribution's oneTBB is not instrumented. Reading the task's own pointer is all that goes
  /// unwatched.
  struct Task {
    BackgroundTask* owner;
    [[gnu::no_sanitize_thread]] void operator()() const { owner->run(); }
  };
  struct ForgetWork {
    std::optional<FunctionRef<void()>>& work;
    ~ForgetWork() { work.reset(); }
  };
  void run() {
    (void)handed_over_.load(std::memory_order_acquire);  // sees what start() published
    try {
      measure();
    } catch (...) {
      handed_over_.store(false, std::memory_order_release);
      throw;
    }
    handed_over_.store(false, std::memory_order_release);  // publishes what the work wrote
  }

  /// Its exception waits for finish(), as that of work elsewhere does.
  void run_here() {
    is_done_here_ = true;
    try {
      measure();
    } catch (...) {
      failure_ = std::current_exception();
    }
  }
  void measure() {
    const FunctionRef<void()> work = *work_;
    const auto began = std::chrono::steady_clock::now();
    work();
    last_took_ = std::chrono::steady_clock::now() - began;
  }

#ifdef __SANITIZE_THREAD__
  static constexpr std::chrono::nanoseconds worth_handing_over{0};  // to see what work touches
#else
  static constexpr std::chrono::nanoseconds worth_handing_over{2'000};
#endif

  tbb::task_group group_;
  std::optional<FunctionRef<void()>> work_;
  std::atomic<bool> handed_over_{false};
  bool is_done_here_ = false;
  std::exception_ptr failure_;
  std::chrono::nanoseconds last_took_{worth_handing_over};  // the first is handed over
};

}  // namespace trainyard
