// A control group of version 1 for what a test starts, where the system lets it be made: inside
// most containers it does not.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace trainyard::test {

class ControlGroup {
 public:
  /// With those files and what is written to them: {"pids", {{"pids.max", "2"}}}.
  ControlGroup(const std::string& controller,
               const std::vector<std::pair<std::string, std::string>>& settings);
  /// Its processes have ended.
  ~ControlGroup();
  ControlGroup(const ControlGroup&) = delete;
  ControlGroup& operator=(const ControlGroup&) = delete;

  /// False: it could not be made, which is a visible warning, for a test to return.
  bool is_there() const { return is_there_; }
  /// Shell text before `exec`: whatever the shell becomes is in the group.
  std::string entering() const { return "echo $$ >" + (folder_ / "cgroup.procs").string() + "; "; }

 private:
  std::filesystem::path folder_;
  bool is_there_ = false;
};

}  // namespace trainyard::test
