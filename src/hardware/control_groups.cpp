#include "hardware/control_groups.hpp"

#include <fstream>
#include <string>
#include <system_error>

#include <fmt/format.h>

namespace trainyard {

namespace {

namespace fs = std::filesystem;

void add_with_ancestors(const fs::path& mount, fs::path path, bool old,
                        std::vector<ControlGroup>& groups) {
  groups.push_back({mount, old});
  for (; path.has_relative_path(); path = path.parent_path()) {
    groups.push_back({mount / path.relative_path(), old});
  }
}

/// The mount point of a hierarchy of version 1: the controller's name or, without such a link, the
/// names of all controllers that share it ("cpu,cpuacct").
fs::path old_mount(const fs::path& mount, std::string_view controller, const std::string& all) {
  std::error_code error;
  return fs::exists(mount / controller, error) ? mount / controller : mount / all;
}

}  // namespace

std::vector<ControlGroup> control_groups(std::string_view controller, const fs::path& root) {
  std::vector<ControlGroup> groups;
  std::ifstream stream(root / "proc/self/cgroup");
  const fs::path mount = root / "sys/fs/cgroup";
  const std::string wanted = fmt::format(",{},", controller);
  for (std::string line; std::getline(stream, line);) {  // "0::/path" or "4:memory,cpu:/path"
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const fs::path path = line.substr(second + 1);
    if (controllers.empty()) {
      add_with_ancestors(mount, path, false, groups);
    } else if (fmt::format(",{},", controllers).find(wanted) != std::string::npos) {
      add_with_ancestors(old_mount(mount, controller, controllers), path, true, groups);
    }
  }
  return groups;
}

}  // namespace trainyard
