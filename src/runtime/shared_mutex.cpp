#include "runtime/shared_mutex.hpp"

#include <cerrno>

#include "trainyard/base/error.hpp"

namespace trainyard {

/// Threads die together, and pay nothing for the kernel's list of what each one holds.
SharedMutex::SharedMutex(Among among) {
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  if (among == Among::processes) {
    pthread_mutexattr_setpshared(&kind, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
  }
  const int refused = pthread_mutex_init(&mutex_, &kind);
  pthread_mutexattr_destroy(&kind);
  require(refused == 0, "the system makes a mutex");
}

void SharedMutex::lock() {
  const int outcome = pthread_mutex_lock(&mutex_);
  if (outcome == EOWNERDEAD) {
    pthread_mutex_consistent(&mutex_);
    return;
  }
  require(outcome == 0, "a mutex is locked");
}

}  // namespace trainyard
