#include "trainyard/hardware/processor_quota.hpp"

#include <string>

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

TEST_CASE("a quota of CPU time is the tightest of the groups above this process", "[hardware]") {
  const TemporaryFolder root;
  const std::string groups = "sys/fs/cgroup/";
  CHECK(!processor_quota(root.path()));
  root.write("proc/self/cgroup", "0::/batch/job7\n");
  root.write(groups + "batch/job7/cpu.max", "max 100000\n");
  CHECK(!processor_quota(root.path()));
  CHECK(!throttled_seconds(root.path()));
  root.write(groups + "batch/cpu.max", "400000 100000\n");
  CHECK(processor_quota(root.path()) == 4.0);
  root.write(groups + "batch/job7/cpu.max", "75000 50000\n");
  CHECK(processor_quota(root.path()) == 1.5);
  // Inside a container its own group is the root of what is mounted.
  root.write(groups + "cpu.max", "50000 100000\n");
  CHECK(processor_quota(root.path()) == 0.5);
}

TEST_CASE("what a quota has held back is that of all groups that have one", "[hardware]") {
  const TemporaryFolder root;
  const std::string groups = "sys/fs/cgroup/";
  root.write("proc/self/cgroup", "0::/batch/job7\n");
  root.write(groups + "batch/cpu.max", "200000 100000\n");
  root.write(groups + "batch/cpu.stat", "usage_usec 5\nnr_throttled 2\nthrottled_usec 1250000\n");
  root.write(groups + "batch/job7/cpu.max", "max 100000\n");
  root.write(groups + "batch/job7/cpu.stat",
             "usage_usec 5\nnr_throttled 2\nthrottled_usec 9000000\n");
  CHECK(throttled_seconds(root.path()) == 1.25);
  root.write(groups + "batch/job7/cpu.max", "100000 100000\n");
  CHECK(throttled_seconds(root.path()) == 10.25);
}

TEST_CASE("quotas of version 1 are read too", "[hardware]") {
  const TemporaryFolder root;
  const std::string group = "sys/fs/cgroup/cpu,cpuacct/docker/a/";
  root.write("proc/self/cgroup", "9:memory:/\n4:cpu,cpuacct:/docker/a\n0::/\n");
  root.write(group + "cpu.cfs_quota_us", "-1\n");
  root.write(group + "cpu.cfs_period_us", "100000\n");
  CHECK(!processor_quota(root.path()));
  root.write(group + "cpu.cfs_quota_us", "250000\n");
  root.write(group + "cpu.stat", "nr_periods 7\nnr_throttled 2\nthrottled_time 1500000000\n");
  CHECK(processor_quota(root.path()) == 2.5);
  CHECK(throttled_seconds(root.path()) == 1.5);
  // Where each controller has a link of its own name, that is taken.
  const std::string linked = "sys/fs/cgroup/cpu/docker/a/";
  root.write(linked + "cpu.cfs_quota_us", "50000\n");
  root.write(linked + "cpu.cfs_period_us", "100000\n");
  CHECK(processor_quota(root.path()) == 0.5);
}

TEST_CASE("a rank has a core for itself within the cores and the quota", "[hardware]") {
  CHECK(has_core_for_each(16, 16, {}));
  CHECK(!has_core_for_each(17, 16, {}));
  CHECK(has_core_for_each(2, 16, 2.0));
  CHECK(!has_core_for_each(2, 16, 1.9));
  CHECK(!has_core_for_each(1, 16, 0.5));
  CHECK(has_core_for_each(16, 16, 40.0));
  CHECK(cores_text(16, {}) == "16 cores");
  CHECK(cores_text(1, {}) == "1 core");
  CHECK(cores_text(16, 1.5) == "16 cores with a CPU quota of 1.5");
  CHECK(cores_text(16, 32.0) == "16 cores");
}

}  // namespace trainyard
