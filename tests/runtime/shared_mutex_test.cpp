#include "runtime/shared_mutex.hpp"

#include <csignal>
#include <new>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/catch.hpp"

using namespace trainyard;

namespace {

/// How a process ends that locks the mutex within ten seconds, and then does this.
template <typename Then>
int end_of_process(SharedMutex& mutex, const Then& then) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(10);
    mutex.lock();
    then();
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return status;
}

}  // namespace

TEST_CASE("a mutex that a killed process held goes to the next one", "[runtime]") {
  void* const memory =
      mmap(nullptr, sizeof(SharedMutex), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  auto& mutex = *new (memory) SharedMutex(SharedMutex::Among::processes);
  for (int times = 0; times < 2; ++times) {  // it is whole again afterwards
    const int killed = end_of_process(mutex, [] { raise(SIGKILL); });
    REQUIRE(WIFSIGNALED(killed));
    CHECK(WTERMSIG(killed) == SIGKILL);
    CHECK(end_of_process(mutex, [&] { mutex.unlock(); }) == 0);
  }
  munmap(memory, sizeof(SharedMutex));
}
