#include "support/interrupted.hpp"

#include <array>
#include <csignal>
#include <thread>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trainyard/base/interrupt.hpp"

#include "support/catch.hpp"

namespace trainyard::test {

int status_when_interrupted(const std::function<void()>& work, std::chrono::microseconds after) {
  std::array<int, 2> ready{};
  REQUIRE(pipe(ready.data()) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    watch_signals();
    close(ready[1]);  // from here on a signal is the program's, and not the test framework's
    try {
      work();
    } catch (...) {
      _exit(99);
    }
    _exit(0);
  }
  close(ready[1]);
  char none = 0;
  REQUIRE(read(ready[0], &none, 1) == 0);
  close(ready[0]);
  if (after.count() > 0) {
    std::this_thread::sleep_for(after);
    kill(child, SIGTERM);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace trainyard::test
