// A mutex that lies in the memory which it guards, where several processes may have that: each of
// them at an address of its own, and any of them may be killed while it holds the mutex.
//
// Threads: any number call any of its functions at once.
#pragma once

#include <pthread.h>

namespace trainyard {

class SharedMutex {
 public:
  enum class Among { threads, processes };

  explicit SharedMutex(Among among);
  SharedMutex(const SharedMutex&) = delete;
  SharedMutex& operator=(const SharedMutex&) = delete;

  /// Among processes: of one that was killed with the mutex the next one has it, and what is
  /// guarded is as the first left it, in the middle of a step perhaps. Nobody waits for ever, so
  /// the others still answer, and the run ends with its results when it learns of the loss.
  void lock();
  void unlock() noexcept { pthread_mutex_unlock(&mutex_); }

 private:
  pthread_mutex_t mutex_;
};

}  // namespace trainyard
