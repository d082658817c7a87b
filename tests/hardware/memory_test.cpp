#include "trainyard/hardware/memory.hpp"

#include <limits>
#include <string>

#include "data/files.hpp"
#include "support/catch.hpp"

namespace trainyard {

namespace {

constexpr const char* eight_gibibytes =
    "MemTotal:       16000000 kB\nMemFree:         1000000 kB\nMemAvailable:    8388608 kB\n";
constexpr std::size_t gibibyte = std::size_t{1} << 30U;

}  // namespace

TEST_CASE("memory is what the system calls available", "[hardware]") {
  const TemporaryFolder root;
  CHECK(available_memory_below(root.path()) == std::numeric_limits<std::size_t>::max());
  root.write("proc/meminfo", eight_gibibytes);
  CHECK(available_memory_below(root.path()) == 8 * gibibyte);
}

TEST_CASE("a control group above this process leaves less", "[hardware]") {
  const TemporaryFolder root;
  const std::string groups = "sys/fs/cgroup/";
  root.write("proc/meminfo", eight_gibibytes);
  root.write("proc/self/cgroup", "0::/batch/job7\n");
  root.write(groups + "batch/job7/memory.max", "max\n");
  root.write(groups + "batch/job7/memory.current", "100\n");
  CHECK(available_memory_below(root.path()) == 8 * gibibyte);

  root.write(groups + "batch/memory.max", std::to_string(3 * gibibyte));
  root.write(groups + "batch/memory.current", std::to_string(2 * gibibyte));
  CHECK(available_memory_below(root.path()) == gibibyte);
  // Cached files are dropped when the room is needed.
  root.write(groups + "batch/memory.stat", "anon 5\ninactive_file 1024\nactive_file 7\n");
  CHECK(available_memory_below(root.path()) == gibibyte + 1024);
  // Inside a container its own group is the root of what is mounted.
  root.write(groups + "memory.max", "5000\n");
  root.write(groups + "memory.current", "6000\n");
  CHECK(available_memory_below(root.path()) == 0);
}

TEST_CASE("control groups of version 1 are read too", "[hardware]") {
  const TemporaryFolder root;
  const std::string groups = "sys/fs/cgroup/memory/";
  root.write("proc/meminfo", eight_gibibytes);
  root.write("proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory:/docker/a\n0::/\n");
  root.write(groups + "memory.limit_in_bytes", "9223372036854771712\n");
  root.write(groups + "memory.usage_in_bytes", "123456\n");
  CHECK(available_memory_below(root.path()) == 8 * gibibyte);
  root.write(groups + "docker/a/memory.limit_in_bytes", "4096\n");
  root.write(groups + "docker/a/memory.usage_in_bytes", "3000\n");
  root.write(groups + "docker/a/memory.stat", "inactive_file 1\ntotal_inactive_file 1000\n");
  CHECK(available_memory_below(root.path()) == 2096);
}

TEST_CASE("this machine has memory", "[hardware]") {
  CHECK(available_memory() > std::size_t{64} << 20U);
}

}  // namespace trainyard
