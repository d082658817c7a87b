#include "trainyard/hardware/open_files.hpp"

#include <functional>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/catch.hpp"

namespace trainyard {

namespace {

/// In a process of its own, whose limits are nobody else's; it says yes by its exit status.
bool holds(const std::function<bool()>& check) {
  const pid_t child = fork();
  if (child == 0) _exit(check() ? 0 : 1);
  int status = 1;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

bool set_limits(rlim_t soft, rlim_t hard) {
  const rlimit limits{soft, hard};
  return setrlimit(RLIMIT_NOFILE, &limits) == 0;
}

rlim_t soft_limit() {
  rlimit limits{};
  return getrlimit(RLIMIT_NOFILE, &limits) == 0 ? limits.rlim_cur : 0;
}

/// Opens as many as it can, of `most`.
std::size_t opened(std::size_t most) {
  std::size_t count = 0;
  while (count < most && open("/dev/null", O_RDONLY) >= 0) ++count;
  return count;
}

}  // namespace

TEST_CASE("the limit of open files is raised as far as it takes", "[hardware]") {
  CHECK(holds([] {
    return set_limits(100, 600) && room_for_files(300) >= 300 && soft_limit() > 300 &&
           soft_limit() < 600 && opened(300) == 300;
  }));
  CHECK(holds(
      [] { return set_limits(200, 600) && room_for_files(50) >= 50 && soft_limit() == 200; }));
}

TEST_CASE("the room for open files ends at the hard limit", "[hardware]") {
  CHECK(holds([] {
    if (!set_limits(100, 150)) return false;
    const std::size_t room = room_for_files(1000);
    return soft_limit() == 150 && room < 150 && room > 50 && opened(1000) >= room;
  }));
}

}  // namespace trainyard
