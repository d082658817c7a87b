#include "trainyard/hardware/thread_limits.hpp"

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

TEST_CASE("the tightest limit on threads of the groups above this process is told", "[hardware]") {
  const TemporaryFolder root;
  CHECK(thread_limits_text(root.path()).find("pids.max") == std::string::npos);
  root.write("proc/self/cgroup", "0::/batch/job7\n");
  root.write("sys/fs/cgroup/batch/job7/pids.max", "max\n");
  CHECK(thread_limits_text(root.path()).find("pids.max") == std::string::npos);
  root.write("sys/fs/cgroup/batch/pids.max", "300\n");
  CHECK_THAT(thread_limits_text(root.path()),
             ContainsSubstring("; limits: pids.max of the control group 300"));
  root.write("sys/fs/cgroup/batch/job7/pids.max", "20\n");
  CHECK_THAT(thread_limits_text(root.path()),
             ContainsSubstring("pids.max of the control group 20"));
}

}  // namespace trainyard
