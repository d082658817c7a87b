// One piece of real arithmetic done on another core while simulated time goes on elsewhere.
#pragma once

#include <atomic>

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
    running_ = true;
    // The hand-over is oneTBB's; the atomic repeats it where ThreadSanitizer can see it, because
    // the distribution's oneTBB is not instrumented.
    handed_over_.store(true, std::memory_order_release);  // publishes what the work reads
    group_.run([this, work] {
      (void)handed_over_.load(std::memory_order_acquire);  // sees it
      work();
      handed_over_.store(false, std::memory_order_release);  // publishes what the work wrote
    });
  }
  /// Waits for the work, helping with other ranks' meanwhile; rethrows its exception.
  void finish() {
    if (!running_) return;
    running_ = false;
    group_.wait();
    (void)handed_over_.load(std::memory_order_acquire);  // sees what the work wrote
  }

 private:
  tbb::task_group group_;
  std::atomic<bool> handed_over_{false};
  bool running_ = false;
};

}  // namespace trainyard
