// How much of its processors a process may use. A control group may have a quota of CPU time
// (cpu.max; cpu.cfs_quota_us of version 1): containers and batch systems give one so often instead
// of cores, and the process sees all cores of the machine all the same. Who has used it up stands
// still until the next period begins, usually 100 ms after the last one.
//
// Threads: any.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace trainyard {

/// In cores, of this process's control group or one above it, the tightest: 1.5 is 150 ms of CPU
/// time in 100 ms. Empty: there is none.
std::optional<double> processor_quota(const std::filesystem::path& root = "/");

/// Seconds that groups with a quota have been held back so far, added up over hardware threads
/// (cpu.stat). Empty: no group has a quota, or the system does not count.
std::optional<double> throttled_seconds(const std::filesystem::path& root = "/");

/// Whether each of so many ranks can compute all the time: on a core of its own, and within the
/// quota.
bool has_core_for_each(int ranks, int cores, std::optional<double> quota);

/// "16 cores", "16 cores with a CPU quota of 1.5".
std::string cores_text(int cores, std::optional<double> quota);

}  // namespace trainyard
