#include "trainyard/hardware/memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

namespace trainyard {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

/// The number after `key` in a file of lines "key number"; empty: no such file or line.
std::optional<std::size_t> value_of(const fs::path& file, const std::string& key) {
  std::ifstream stream(file);
  for (std::string word; stream >> word;) {
    std::size_t value = 0;
    if (word == key && stream >> value) return value;
  }
  return std::nullopt;
}

/// The one number in a file; empty: no such file, or "max".
std::optional<std::size_t> number_in(const fs::path& file) {
  std::ifstream stream(file);
  std::size_t value = 0;
  if (stream >> value) return value;
  return std::nullopt;
}

/// Pages of files count against a group, but are dropped when it needs room.
std::size_t left_of(std::size_t limit, std::size_t used, std::size_t droppable) {
  const std::size_t held = used - std::min(used, droppable);
  return limit - std::min(limit, held);
}

/// Of one group of version 2; unlimited where it has no limit.
std::size_t left_of_group(const fs::path& group) {
  const auto limit = number_in(group / "memory.max");
  const auto used = number_in(group / "memory.current");
  if (!limit || !used) return unlimited;
  return left_of(*limit, *used, value_of(group / "memory.stat", "inactive_file").value_or(0));
}

/// Of one group of version 1, where no limit is a number near 2^63.
std::size_t left_of_old_group(const fs::path& group) {
  const auto limit = number_in(group / "memory.limit_in_bytes");
  const auto used = number_in(group / "memory.usage_in_bytes");
  if (!limit || !used) return unlimited;
  return left_of(*limit, *used, value_of(group / "memory.stat", "total_inactive_file").value_or(0));
}

/// Of `path`, a group below `mount`, and all groups above it. Inside a container the path may not
/// be there; its own group is then the mount itself.
template <typename Left>
std::size_t left_of_groups(const fs::path& mount, fs::path path, Left left) {
  std::size_t least = left(mount);
  for (; path.has_relative_path(); path = path.parent_path()) {
    least = std::min(least, left(mount / path.relative_path()));
  }
  return least;
}

std::size_t left_of_control_groups(const fs::path& root) {
  std::size_t least = unlimited;
  std::ifstream stream(root / "proc/self/cgroup");
  const fs::path mount = root / "sys/fs/cgroup";
  for (std::string line; std::getline(stream, line);) {  // "0::/path" or "4:memory,cpu:/path"
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = fmt::format(",{},", line.substr(first + 1, second - first - 1));
    const fs::path path = line.substr(second + 1);
    if (controllers == ",,") {
      least = std::min(least, left_of_groups(mount, path, left_of_group));
    } else if (controllers.find(",memory,") != std::string::npos) {
      least = std::min(least, left_of_groups(mount / "memory", path, left_of_old_group));
    }
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
