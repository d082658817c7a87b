// The status line of a computation without a run.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

#include <unistd.h>

namespace trainyard {

/// On a terminal, and only there, one line that says what is computed and for how long, from
/// `silent` on and once a second; gone with this object. A thread of its own writes it, so that
/// what computes need not come back; where there is no thread left there is no line. Threads:
/// show() by any.
class StatusLine {
 public:
  explicit StatusLine(int descriptor = STDERR_FILENO,
                      std::chrono::milliseconds silent = std::chrono::seconds(1));
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// Names what is computed from now on, like "matcha, 12 of 60".
  void show(std::string what);

 private:
  void tell(const std::stop_token& stop);

  int descriptor_;
  std::chrono::milliseconds silent_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable_any changed_;  // never signalled but by the stop token
  std::string what_;
  std::jthread teller_;  // last: it uses what stands above
};

}  // namespace trainyard
