#include "trainyard/hardware/memory.hpp"

#include <algorithm>
#include <limits>

#include <sys/resource.h>
#include <unistd.h>

#include "hardware/control_groups.hpp"
#include "hardware/numbers_in_files.hpp"

namespace trainyard {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

/// Pages of files count against a group, but are dropped when it needs room.
std::size_t left_of(std::size_t limit, std::size_t used, std::size_t droppable) {
  const std::size_t held = used - std::min(used, droppable);
  return limit - std::min(limit, held);
}

/// The memory that a group of version 2 has left; unlimited if it has no limit.
std::size_t left_of_group(const fs::path& group) {
  const auto limit = number_in(group / "memory.max");
  const auto used = number_in(group / "memory.current");
  if (!limit || !used) return unlimited;
  return left_of(*limit, *used, value_of(group / "memory.stat", "inactive_file").value_or(0));
}

/// The memory that a group of version 1 has left; there, a number near 2^63 means no limit.
std::size_t left_of_old_group(const fs::path& group) {
  const auto limit = number_in(group / "memory.limit_in_bytes");
  const auto used = number_in(group / "memory.usage_in_bytes");
  if (!limit || !used) return unlimited;
  return left_of(*limit, *used, value_of(group / "memory.stat", "total_inactive_file").value_or(0));
}

std::size_t left_of_control_groups(const fs::path& root) {
  std::size_t least = unlimited;
  for (const ControlGroup& group : control_groups("memory", root)) {
    least =
        std::min(least, group.old ? left_of_old_group(group.folder) : left_of_group(group.folder));
  }
  return least;
}

}  // namespace

std::size_t available_memory_below(const fs::path& root) {
  const auto kibibytes = value_of(root / "proc/meminfo", "MemAvailable:");
  const std::size_t of_machine = kibibytes ? *kibibytes * 1024 : unlimited;
  return std::min(of_machine, left_of_control_groups(root));
}

std::size_t available_memory() {
  const std::size_t mapped =
      number_in("/proc/self/statm").value_or(0) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::size_t least = available_memory_below("/");
  for (const auto limit : {RLIMIT_AS, RLIMIT_DATA}) {
    rlimit found{};
    if (getrlimit(limit, &found) != 0) continue;
    if (found.rlim_cur == RLIM_INFINITY) continue;
    least = std::min<std::size_t>(least, found.rlim_cur - std::min<rlim_t>(found.rlim_cur, mapped));
  }
  return least;
}

}  // namespace trainyard
