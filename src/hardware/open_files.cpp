#include "trainyard/hardware/open_files.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <system_error>

#include <sys/resource.h>

namespace trainyard {

namespace {

/// Assumed if the system does not say: more than a process starts with.
constexpr std::size_t usual_files = 64;

std::size_t open_files() {
  std::error_code error;
  const std::filesystem::directory_iterator files("/proc/self/fd", error);
  if (error) return usual_files;
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

}  // namespace

std::size_t room_for_files(std::size_t wanted) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 0;
  const rlim_t open = open_files();
  if (limit.rlim_cur < open + wanted && limit.rlim_cur < limit.rlim_max) {
    rlimit raised = limit;
    raised.rlim_cur = std::min<rlim_t>(limit.rlim_max, open + wanted);
    if (setrlimit(RLIMIT_NOFILE, &raised) == 0) limit = raised;
  }
  return limit.rlim_cur - std::min(limit.rlim_cur, open);
}

}  // namespace trainyard
