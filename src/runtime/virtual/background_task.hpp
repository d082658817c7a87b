// One piece of real arithmetic done on another core while simulated time goes on elsewhere.
#pragma once

#include <atomic>
#include <optional>

#include <tbb/task_group.h>

#include "trainyard/base/function_ref.hpp"

namespace trainyard {

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
    handed_over_.store(true, std::memory_order_release);  // publishes what the work reads
    group_.run(Task{this});
  }
  /// Whether finish() has something to do.
  bool started() const { return work_.has_value(); }
  /// Waits for the work, helping with other ranks' meanwhile; rethrows its exception.
  void finish() {
    if (!work_) return;
    const ForgetWork forget{work_};  // also when wait() throws
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
    const FunctionRef<void()> work = *work_;
    try {
      work();
    } catch (...) {
      handed_over_.store(false, std::memory_order_release);
      throw;
    }
    handed_over_.store(false, std::memory_order_release);  // publishes what the work wrote
  }

  tbb::task_group group_;
  std::optional<FunctionRef<void()>> work_;
  std::atomic<bool> handed_over_{false};
};

}  // namespace trainyard
