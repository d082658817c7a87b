// The control groups of this process (cgroups(7)), of version 2 and of version 1.
//
// Threads: any.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace trainyard {

struct ControlGroup {
  std::filesystem::path folder;  // with the files of the controller
  bool old = false;              // of version 1
};

/// The groups by which `controller` ("memory", "cpu") limits this process: its own group and all
/// groups above it. Inside a container the path that the kernel tells may not be there; its own
/// group is then what is mounted, which is always one of them. A folder need not exist. `root`: of
/// the system, another than "/" for tests.
std::vector<ControlGroup> control_groups(std::string_view controller,
                                         const std::filesystem::path& root = "/");

}  // namespace trainyard
